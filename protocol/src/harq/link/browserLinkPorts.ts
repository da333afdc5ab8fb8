/** What a link needs of its platform, from a browser: portable code for the hash, and its own randomness and clock. */
import { sha256 } from "@noble/hashes/sha2.js";
import { createErasureCodec } from "../../wire/fec/createErasureCodec.ts";
import { createController } from "../congestion/createController.ts";
import type { LinkClock } from "./linkClock.ts";
import type { LinkPorts } from "./linkPorts.ts";

/** A code's memory is shared by all links of a page: it keeps nothing between two calls. */
let sharedCodec: ReturnType<typeof createErasureCodec> | undefined;

export function browserLinkPorts(): LinkPorts {
  sharedCodec ??= createErasureCodec();
  return {
    codec: sharedCodec,
    createHasher() {
      const hash = sha256.create();
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() };
    },
    createController: (_kind, options) => createController("fair", options),
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    clock: createBrowserClock(),
  };
}

/** Timers of pages are coarse and slow down when nobody looks; messages to oneself are neither. */
function createBrowserClock(): LinkClock {
  const calls: (() => void)[] = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => calls.shift()?.();
  return {
    nowUs: () => performance.now() * 1_000,
    after(us, call) {
      const timer = setTimeout(call, us / 1_000);
      return () => clearTimeout(timer);
    },
    soon(call) {
      calls.push(call);
      port2.postMessage(undefined);
    },
  };
}
