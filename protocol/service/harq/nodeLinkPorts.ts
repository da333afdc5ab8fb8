/** What a link needs of its platform, from Node: a code, a hash, randomness, a clock. */
import { createHash, randomBytes } from "node:crypto";
import { createController } from "../../src/harq/congestion/createController.ts";
import type { CongestionClass } from "../../src/harq/congestion/controller.ts";
import type { Hasher } from "../../src/harq/message/ports.ts";
import { createErasureCodec } from "../../src/wire/fec/createErasureCodec.ts";
import type { LinkPorts } from "../../src/harq/link/linkPorts.ts";
import { nodeLinkClock } from "./nodeLinkClock.ts";

/** A code's memory is shared by all links of a thread: it keeps nothing between two calls. */
let sharedCodec: ReturnType<typeof createErasureCodec> | undefined;

/** Congestion control by default shares fairly; `background` yields to whoever else is on the path. */
export function nodeLinkPorts(congestion: CongestionClass = "fair"): LinkPorts {
  sharedCodec ??= createErasureCodec();
  return {
    codec: sharedCodec,
    createHasher,
    createController: (_kind, options) => createController(congestion, options),
    randomBytes: (count) => new Uint8Array(randomBytes(count)),
    largestDatagramBytes: 1_472,
    clock: nodeLinkClock,
  };
}

function createHasher(): Hasher {
  const hash = createHash("sha256");
  return { update: (bytes) => void hash.update(bytes), digest: () => new Uint8Array(hash.digest()) };
}
