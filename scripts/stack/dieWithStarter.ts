/**
 * Ties a child to the life of its starter: when the starter is killed, the kernel signals the child. Linux only
 * (setpriv from util-linux); elsewhere the command stays as it is, and the record of the stack finds what was left
 * behind.
 */
import { spawnSync } from "node:child_process";

export type Command = readonly [string, ...string[]];

let supported: boolean | undefined;

export function dieWithStarter(command: Command, signal: "TERM" | "INT" | "KILL"): Command {
  supported ??= spawnSync("setpriv", ["--pdeathsig", "TERM", "true"], { stdio: "ignore" }).status === 0;
  return supported ? ["setpriv", "--pdeathsig", signal, ...command] : command;
}
