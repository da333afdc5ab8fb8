/**
 * Names the program that listens on a port, as far as the system tells (Linux, own processes); undefined where it does
 * not.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { commandLineOf } from "./identity.ts";

const listening = "0A";

export function portOwner(port: number): string | undefined {
  const inodes = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => socketsOn(table, port)));
  if (inodes.size === 0) return undefined;
  for (const entry of list("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const holds = list(`/proc/${pid}/fd`).some((fd) => inodes.has(linkOf(`/proc/${pid}/fd/${fd}`)));
    if (holds) return `${commandLineOf(pid)?.slice(0, 80) ?? "a program"} (process ${pid})`;
  }
  return undefined;
}

/** Sockets in the form of /proc/PID/fd links: `socket:[inode]`. */
function socketsOn(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return read(table)
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === listening)
    .map((fields) => `socket:[${fields[9]}]`);
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
