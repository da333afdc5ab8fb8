/**
 * Starts one child that ignores SIGTERM, records it for the folder that it is given, prints its number, and waits to
 * be killed.
 */
import { spawn } from "node:child_process";
import { openRecord } from "../../../scripts/stack/process/record.ts";

const record = openRecord({ dataDir: process.argv[2] ?? "" });
const script = 'process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000)';
const child = spawn(process.execPath, ["-e", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
child.stdout.once("data", () => {
  record.add("stubborn", child.pid ?? 0);
  console.log(child.pid);
});
setInterval(() => undefined, 1_000);
