/**
 * Preloaded by a process that lives in a bad network: enters the namespace that its environment names before anything
 * opens a socket or starts a thread, and ends with its parent.
 */
import { setPriority } from "node:os";
import { namespaceVariable } from "./namespaceVariable.ts";
import { constants, system } from "./system.ts";

const path = process.env[namespaceVariable];
if (path !== undefined) {
  system.prctl(constants.deathSignal, constants.kill);
  const fd = system.open(path, constants.readOnly | constants.closeOnExec);
  system.setns(fd, constants.newNetwork);
  system.close(fd);
  try {
    setPriority(-10);
  } catch {
    // Runs as it is.
  }
}
