/** Keeps a roster within what keepers take in one frame, however many models nodes announce. */
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { RosterEntry } from "@ngpu/protocol/wire";

/** Below what keepers take in one frame. */
const mostRosterBytes = 63 * gatewayLimits.maxFrameBytes;

/**
 * What fits into one frame. Those that announce least come first, so that nodes which announce hundreds of models
 * push out each other and not the rest.
 */
export function withinFrame(entries: RosterEntry[]): RosterEntry[] {
  let left = mostRosterBytes;
  const sized = entries.map((entry) => ({ entry, bytes: bytesOf(entry) }));
  return sized
    .sort((a, b) => a.bytes - b.bytes)
    .filter(({ bytes }) => (left -= bytes) >= 0)
    .map(({ entry }) => entry);
}

/** Of an entry as it travels, rounded up: its texts are escaped, all else has a fixed size. */
function bytesOf({ models, executionProvider, agentVersion }: RosterEntry): number {
  return 1_000 + models.length * 70 + Buffer.byteLength(JSON.stringify([executionProvider, agentVersion]));
}
