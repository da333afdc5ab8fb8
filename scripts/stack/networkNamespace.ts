/**
 * A network of its own for a program that would listen on every interface. Nothing reaches it and it reaches nothing,
 * but for the ports that are bridged: `inward` ports of this machine lead to the program, `outward` ports are what the
 * program may use here.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { dieWithStarter, type Command } from "./dieWithStarter.ts";
import { openBridge, type Bridge } from "./loopbackBridge.ts";
import type { NamespacePlan } from "./namespaceMain.ts";

export interface NetworkNamespace {
  /** What to start instead of the program; it ends with its starter. */
  readonly command: Command;
  /** Closes this side of the bridges. */
  close(): Promise<void>;
}

/** As root, or as anybody where the system lets everybody have namespaces. */
const ways = [["--net"], ["--user", "--map-root-user", "--net"]];

/** The name of a socket file may have 107 bytes on Linux. */
const longestFolder = 80;

/** Undefined where namespaces cannot be had: no Linux, no rights, or no `ip` and `unshare`. */
export async function openNetworkNamespace(options: {
  command: Command;
  inward: readonly number[];
  outward: readonly number[];
  /** Takes the socket files, if their names would not become too long for the system. */
  folder: string;
}): Promise<NetworkNamespace | undefined> {
  const { command, inward, outward } = options;
  const way = ways.find(isPossible);
  if (!way) return undefined;

  // Only the user who made it can enter a folder of mkdtemp, so nobody else reaches the socket files.
  const parent = options.folder.length <= longestFolder ? options.folder : tmpdir();
  const folder = await mkdtemp(path.join(parent, "ngpu-net-"));
  const socketFile = (port: number): string => path.join(folder, String(port));
  const bridges: Bridge[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(bridges.map((bridge) => bridge.close()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const port of inward) {
      bridges.push(await openBridge({ from: { port }, to: { socketFile: socketFile(port) } }));
    }
    for (const port of outward) {
      bridges.push(await openBridge({ from: { socketFile: socketFile(port) }, to: { port } }));
    }
  } catch (error) {
    await close();
    throw error;
  }

  const plan: NamespacePlan = {
    bridges: [
      ...inward.map((port) => ({ from: { socketFile: socketFile(port) }, to: { port } })),
      ...outward.map((port) => ({ from: { port }, to: { socketFile: socketFile(port) } })),
    ],
    command,
  };
  const main = path.join(import.meta.dirname, "namespaceMain.ts");
  // Behind unshare, because a new user namespace forgets who its parent was.
  const inside = dieWithStarter([process.execPath, main, JSON.stringify(plan)], "KILL");
  return { command: ["unshare", ...way, ...inside], close };
}

/** Whether `openNetworkNamespace` can give one here. */
export function canIsolate(): boolean {
  return ways.some(isPossible);
}

function isPossible(way: readonly string[]): boolean {
  return spawnSync("unshare", [...way, "ip", "link", "set", "lo", "up"], { stdio: "ignore" }).status === 0;
}
