/**
 * Which process a number means. Numbers are used again, so a process is known by its number and the moment it started;
 * nothing is ever ended by name.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

export interface ProcessIdentity {
  pid: number;
  /** Clock ticks since boot on Linux, `ps`'s text elsewhere: only compared, never read. */
  startedAt: string;
}

const hasProc = existsSync("/proc/self/stat");

/** The identity of a living process; undefined when there is none of that number. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const startedAt = hasProc ? livingStat(pid)?.startedAt : psField(pid, "lstart=");
  return startedAt ? { pid, startedAt } : undefined;
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identityOf(identity.pid)?.startedAt === identity.startedAt;
}

export function commandLineOf(pid: number): string | undefined {
  if (!hasProc) return psField(pid, "command=");
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Living members of the group that this process led, itself included; a reused number is never among them. */
export function groupOf(leader: ProcessIdentity): ProcessIdentity[] {
  if (!hasProc) return isAlive(leader) ? [leader] : [];
  const present = statOf(leader.pid);
  if (present && present.startedAt !== leader.startedAt) return [];
  return readdirSync("/proc")
    .map(Number)
    .filter(Number.isInteger)
    .flatMap((pid) => {
      const stat = livingStat(pid);
      const member = stat && stat.group === leader.pid && BigInt(stat.startedAt) >= BigInt(leader.startedAt);
      return member ? [{ pid, startedAt: stat.startedAt }] : [];
    });
}

/** A zombie has ended already; its parent only has not asked yet. */
function livingStat(pid: number): ReturnType<typeof statOf> {
  const stat = statOf(pid);
  return stat?.state === "Z" ? undefined : stat;
}

function statOf(pid: number): { state: string; group: number; startedAt: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the name in brackets and may hold anything, so counting begins behind the last bracket.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, , group] = fields;
    const startedAt = fields[19];
    if (state === undefined || group === undefined || startedAt === undefined) return undefined;
    return { state, group: Number(group), startedAt };
  } catch {
    return undefined;
  }
}

function psField(pid: number, field: string): string | undefined {
  try {
    return execFileSync("ps", ["-o", field, "-p", String(pid)], { encoding: "utf8" }).trim() || undefined;
  } catch {
    return undefined;
  }
}
