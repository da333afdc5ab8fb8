/** The local TCP ports of one process's IPv4 connections, as Linux lists them below /proc. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export function portsOfProcess(pid: number): Set<number> {
  const inodes = new Set(readdirSync(`/proc/${pid}/fd`).flatMap((fd) => socketInode(`/proc/${pid}/fd/${fd}`)));
  const [, ...lines] = readFileSync("/proc/net/tcp", "utf8").trimEnd().split("\n");
  return new Set(
    lines.flatMap((line) => {
      // sl, local address:port, remote address:port, state, queues, timers, retransmits, uid, timeout, inode
      const fields = line.trim().split(/\s+/);
      const [port, inode] = [fields[1]?.split(":")[1], fields[9]];
      return port !== undefined && inode !== undefined && inodes.has(inode) ? [Number.parseInt(port, 16)] : [];
    }),
  );
}

function socketInode(path: string): string[] {
  try {
    const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.[1];
    return inode === undefined ? [] : [inode];
  } catch {
    // Closed between the listing and the look.
    return [];
  }
}
