/** Runs a program to its end with its output in a file; when it fails, the error shows the end of that output. */
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { paths } from "../paths.ts";
import { StackError } from "../stackError.ts";
import { describeEnd } from "./describeEnd.ts";

export async function runTool(options: {
  name: string;
  command: readonly [string, ...string[]];
  logFile: string;
  timeoutMs: number;
  cwd?: string;
  env?: Record<string, string>;
}): Promise<void> {
  const { name, command, logFile, timeoutMs, cwd = paths.root, env = {} } = options;
  mkdirSync(dirname(logFile), { recursive: true });
  const output = openSync(logFile, "w");
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", output, output],
    timeout: timeoutMs,
  });
  closeSync(output);
  const outcome = await new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`does not run: ${error.message}`));
    child.once("exit", (code, signal) => {
      if (code === 0) resolve("");
      else
        resolve(
          signal ? `was ended by ${signal} (it may take ${timeoutMs / 1_000} s)` : `ended with code ${String(code)}`,
        );
    });
  });
  if (outcome === "") return;
  throw new StackError(describeEnd(name, outcome, logFile));
}
