/**
 * Asks a gateway for blobs over a link that carries whole messages: many requests at a time, each answered by its
 * number, in whatever order the answers come.
 */
import { joinBytes } from "../bytes.ts";
import { NgpuError } from "../errors.ts";
import type { Priority } from "../harq/message/priority.ts";
import { decodeAnswer, encodeRequestHead, type BlobAnswer, type BlobRequestHead } from "./messages.ts";
import { priorityOf } from "./priorityOf.ts";

/** The half of a link that takes messages; rejects when the peer did not take the message whole. */
export type SendMessage = (
  bytes: Uint8Array,
  options: { readonly priority: Priority; readonly signal: AbortSignal },
) => Promise<void>;

export interface BlobAsker {
  /**
   * The answer of that request. Rejects with the gateway's code, with GATEWAY_UNREACHABLE when the link is lost or the
   * gateway failed inside, or with the reason of `signal`.
   */
  ask(request: Omit<BlobRequestHead, "request">, blob: Uint8Array, signal: AbortSignal): Promise<BlobAnswer>;
  /** A message of the gateway. Throws WIRE_MALFORMED; an answer that nobody waits for is dropped. */
  take(message: Uint8Array): void;
  /** The link is gone, and nothing that is open will be answered. */
  lose(): void;
}

interface Waiting {
  resolve(answer: BlobAnswer): void;
  reject(reason: unknown): void;
}

export function createBlobAsker({ send }: { send: SendMessage }): BlobAsker {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let isLost = false;

  return {
    async ask(request, blob, signal) {
      signal.throwIfAborted();
      if (isLost) throw new NgpuError("GATEWAY_UNREACHABLE");
      const number = (last = (last + 1) % 2 ** 32);
      const message = joinBytes(encodeRequestHead({ ...request, request: number }), blob);
      const answered = Promise.withResolvers<BlobAnswer>();
      // Whoever gives up first, the message or its sender, is not the one that is waited for.
      answered.promise.catch(() => undefined);
      const giveUp = (): void => answered.reject(signal.reason);
      signal.addEventListener("abort", giveUp, { once: true });
      waiting.set(number, answered);
      try {
        const sent = send(message, { priority: priorityOf(message.length), signal });
        sent.catch((cause: unknown) => answered.reject(new NgpuError("GATEWAY_UNREACHABLE", {}, { cause })));
        return await answered.promise;
      } finally {
        waiting.delete(number);
        signal.removeEventListener("abort", giveUp);
      }
    },
    take(message) {
      const answer = decodeAnswer(message);
      const asked = waiting.get(answer.request);
      if (answer.kind !== "refused") return asked?.resolve(answer);
      // A gateway that failed inside says nothing about the blob: it is tried again.
      asked?.reject(new NgpuError(answer.code === "INTERNAL" ? "GATEWAY_UNREACHABLE" : answer.code));
    },
    lose() {
      isLost = true;
      for (const { reject } of waiting.values()) reject(new NgpuError("GATEWAY_UNREACHABLE"));
    },
  };
}
