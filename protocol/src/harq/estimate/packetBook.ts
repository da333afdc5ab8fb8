/**
 * Every packet a path sent that asks for a report, and what became of it. A packet is lost when another arrived that
 * left a reorder window later, or when a report left the peer so late that it should have been in it: time decides,
 * never how many packets overtook it.
 */
import type { PacketStamp } from "../congestion/controller.ts";
import type { PacketRange } from "../wire/frames.ts";

export interface SentPacket<Content> {
  readonly stamp: PacketStamp;
  readonly content: Content;
}

export interface PacketReport {
  readonly largest: number;
  readonly ranges: readonly PacketRange[];
  readonly nowUs: number;
  /** Round trip that a packet may take before a report without it means that it is lost. */
  readonly patienceUs: number;
  readonly reorderUs: number;
}

export interface SettledPacket<Content> extends SentPacket<Content> {
  readonly isLost: boolean;
}

export interface Fates<Content> {
  /** Oldest first, as are the others. */
  readonly arrived: readonly SentPacket<Content>[];
  readonly lost: readonly SentPacket<Content>[];
  /** Given up before, arrived after all; they are among `arrived` too. */
  readonly revived: readonly SentPacket<Content>[];
  /** In the order of packet numbers, without gaps. */
  readonly settled: readonly SettledPacket<Content>[];
  /** The packet with the largest number, where this report is the first to name it. */
  readonly newest: SentPacket<Content> | undefined;
}

export interface PacketBook<Content> {
  record(packet: SentPacket<Content>): void;
  report(report: PacketReport): Fates<Content>;
  /** Packets whose fate is not known, oldest first. */
  underWay(): SentPacket<Content>[];
  /** Gives up all that is under way, as when the path is no longer trusted. */
  abandon(): SentPacket<Content>[];
  inFlightBytes(): number;
  size(): number;
}

type Fate = "unknown" | "arrived" | "lost";
interface Entry<Content> extends SentPacket<Content> {
  fate: Fate;
}

const rememberedUs = 2_000_000;

export function createPacketBook<Content>(): PacketBook<Content> {
  let entries: Entry<Content>[] = [];
  /** Index of the first entry whose fate is not known. */
  let open = 0;
  let inFlightBytes = 0;
  let largestArrived: Entry<Content> | undefined;

  const indexAt = (number: number): number => {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (entries[middle]!.stamp.number < number) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const settle = (): SettledPacket<Content>[] => {
    const settled: SettledPacket<Content>[] = [];
    for (let entry = entries[open]; entry !== undefined && entry.fate !== "unknown"; entry = entries[open]) {
      settled.push({ stamp: entry.stamp, content: entry.content, isLost: entry.fate === "lost" });
      open += 1;
    }
    return settled;
  };
  const underWay = (): Entry<Content>[] => entries.slice(open).filter(({ fate }) => fate === "unknown");
  const forget = (nowUs: number): void => {
    let keepFrom = 0;
    while (keepFrom < open && entries[keepFrom]!.stamp.sentUs < nowUs - rememberedUs) keepFrom += 1;
    if (keepFrom < 64) return;
    entries = entries.slice(keepFrom);
    open -= keepFrom;
  };

  return {
    record(packet) {
      entries.push({ ...packet, fate: "unknown" });
      inFlightBytes += packet.stamp.bytes;
    },
    report({ largest, ranges, nowUs, patienceUs, reorderUs }) {
      const arrived: Entry<Content>[] = [];
      const revived: Entry<Content>[] = [];
      let above = largest + 1;
      for (const { gap, run } of ranges) {
        const end = above - gap;
        above = end - run;
        for (let at = indexAt(above); at < entries.length && entries[at]!.stamp.number < end; at += 1) {
          const entry = entries[at]!;
          if (entry.fate === "arrived") continue;
          if (entry.fate === "lost") revived.push(entry);
          else inFlightBytes -= entry.stamp.bytes;
          entry.fate = "arrived";
          arrived.push(entry);
        }
      }
      arrived.sort((one, other) => one.stamp.number - other.stamp.number);
      const last = arrived.at(-1);
      const newest = last !== undefined && last.stamp.number > (largestArrived?.stamp.number ?? -1) ? last : undefined;
      largestArrived = newest ?? largestArrived;

      const lost: Entry<Content>[] = [];
      const overtakenUs = (largestArrived?.stamp.sentUs ?? -Infinity) - reorderUs;
      const overdueUs = nowUs - patienceUs - reorderUs;
      for (let at = open; at < entries.length; at += 1) {
        const entry = entries[at]!;
        const isOvertaken = entry.stamp.sentUs <= overtakenUs && entry.stamp.number < largestArrived!.stamp.number;
        if (!isOvertaken && entry.stamp.sentUs >= overdueUs) break;
        if (entry.fate !== "unknown") continue;
        entry.fate = "lost";
        inFlightBytes -= entry.stamp.bytes;
        lost.push(entry);
      }
      const settled = settle();
      forget(nowUs);
      return { arrived, lost, revived, settled, newest };
    },
    underWay,
    abandon() {
      const given = underWay();
      for (const entry of given) entry.fate = "lost";
      inFlightBytes = 0;
      settle();
      return given;
    },
    inFlightBytes: () => inFlightBytes,
    size: () => entries.length,
  };
}
