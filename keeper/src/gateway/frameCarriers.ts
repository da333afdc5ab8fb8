/**
 * Frames of sessions over coded links: each WebSocket that is logged in gets a token, and whoever shows it on a coded
 * link gets that WebSocket's requests and answers there. Where that link ends, they go over the WebSocket again.
 */
import { carrierTokenBytes, decodeCarried, encodeCarried, mayBeCarried } from "@ngpu/protocol/blobExchange/carriedFrames";
import type { SendMessage } from "@ngpu/protocol/blobExchange/asker";
import { createPromptSend, type PromptSend } from "@ngpu/protocol/blobExchange/promptSend";
import { priorityOf } from "@ngpu/protocol/blobExchange/priorityOf";
import { closeCode } from "@ngpu/protocol/wire";
import { toHex, type Hex } from "viem";
import { linkLimits, type Link, type TakingLink } from "./link.ts";

export interface FrameCarriers {
  /** `link` is to be used in the place of the given one; `end` when that has ended. */
  carry(link: TakingLink): { link: Link; token: Hex; end: () => void };
  /**
   * A message with a frame, or one that only shows a token. Resolves when the frame was handled; one whose token is
   * nobody's is dropped. Throws WIRE_MALFORMED.
   */
  take(message: Uint8Array, from: { send: SendMessage; signal: AbortSignal }): Promise<void>;
  /** WebSockets whose frames go over a coded link now. */
  count(): number;
}

interface Entry {
  link: TakingLink;
  via: { send: SendMessage; signal: AbortSignal } | undefined;
  unsentBytes: number;
  prompt: PromptSend;
}

export function createFrameCarriers(options: { random: (length: number) => Uint8Array }): FrameCarriers {
  const entries = new Map<Hex, Entry>();

  return {
    carry(link) {
      const token = toHex(options.random(carrierTokenBytes));
      const entry: Entry = { link, via: undefined, unsentBytes: 0, prompt: createPromptSend() };
      entries.set(token, entry);
      const carried: Link = {
        ...link,
        send(frame) {
          const { via } = entry;
          if (via === undefined || !mayBeCarried(frame)) return link.send(frame);
          if (entry.unsentBytes > linkLimits.mostUnsentBytes) return link.close(closeCode.tooSlow);
          const message = encodeCarried({ token, frame });
          const send = (): Promise<void> => {
            entry.unsentBytes += message.length;
            return via
              .send(message, { priority: priorityOf(message.length), signal: via.signal })
              .finally(() => (entry.unsentBytes -= message.length));
          };
          entry.prompt(send, () => link.send(frame));
        },
      };
      return { link: carried, token, end: () => void entries.delete(token) };
    },
    async take(message, from) {
      const { token, frame } = decodeCarried(message);
      const entry = entries.get(token);
      if (entry === undefined || from.signal.aborted) return;
      if (entry.via?.signal !== from.signal) {
        entry.via = from;
        entry.prompt = createPromptSend();
        from.signal.addEventListener("abort", () => {
          if (entry.via === from) entry.via = undefined;
        });
      }
      if (frame !== undefined) await entry.link.take(frame);
    },
    count: () => [...entries.values()].filter(({ via }) => via !== undefined).length,
  };
}
