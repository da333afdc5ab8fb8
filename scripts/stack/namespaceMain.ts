/**
 * The first process of a network namespace: brings loopback up, opens the bridges that it was given and runs one
 * program, whose output and end become its own. Argument: `NamespacePlan` as JSON.
 */
import { spawn, spawnSync } from "node:child_process";
import { dieWithStarter, type Command } from "./dieWithStarter.ts";
import { openBridge, type BridgeEnds } from "./loopbackBridge.ts";

export interface NamespacePlan {
  bridges: readonly BridgeEnds[];
  command: Command;
}

if (import.meta.main) {
  const plan = JSON.parse(process.argv[2] ?? "") as NamespacePlan;
  // The whole group gets the signal, so the program ends by itself; leaving before it would cut its last words off.
  process.on("SIGTERM", () => undefined);
  process.on("SIGINT", () => undefined);

  if (spawnSync("ip", ["link", "set", "lo", "up"], { stdio: "inherit" }).status !== 0) process.exit(1);
  await Promise.all(plan.bridges.map(openBridge));
  const [program, ...args] = dieWithStarter(plan.command, "KILL");
  const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
  child.once("error", (error) => {
    console.error(error.message);
    process.exit(1);
  });
  child.once("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}
