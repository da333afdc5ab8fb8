/**
 * Keeps one WebSocket's frames on a coded link for as long as both stand. Without a link they go over the WebSocket as
 * before, and a link is looked for again now and then.
 */
import type { Hex } from "viem";
import type { Frame } from "../wire.ts";
import { mayBeCarried } from "./carriedFrames.ts";
import { createPromptSend } from "./promptSend.ts";

/** One WebSocket's place on a coded link. */
export interface Carrier {
  /** Rejects when the peer did not take the frame. */
  send(frame: Frame): Promise<void>;
  isOpen(): boolean;
  leave(): void;
}

/** Undefined where no link gets through, for the moment. */
export type OpenCarrier = (
  gatewayUrl: string,
  options: { token: Hex; onFrame: (frame: Frame) => void },
) => Promise<Carrier | undefined>;

export interface FrameCarrier {
  /** The gateway has given a WebSocket this token. */
  begin(token: Hex): void;
  /** The WebSocket ended, and its token with it. */
  end(): void;
  /**
   * Over a coded link; `otherwise` sends it where there is none, or where that has not confirmed it in time.
   */
  send(frame: Frame, otherwise: (frame: Frame) => void): void;
}

const lookAgainMs = 5_000;

export function createFrameCarrier(options: {
  gatewayUrl: string;
  open: OpenCarrier;
  onFrame: (frame: Frame) => void;
  monotonicMs: () => number;
}): FrameCarrier {
  const { gatewayUrl, open: find, onFrame, monotonicMs } = options;
  let token: Hex | undefined;
  let carrier: Carrier | undefined;
  let lookedMs = -Infinity;
  let prompt = createPromptSend();

  async function look(): Promise<void> {
    const wanted = token;
    if (wanted === undefined) return;
    lookedMs = monotonicMs();
    const found = await find(gatewayUrl, { token: wanted, onFrame }).catch(() => undefined);
    if (token === wanted) carrier = found;
    else found?.leave();
  }

  function end(): void {
    carrier?.leave();
    [carrier, token] = [undefined, undefined];
  }

  return {
    begin(given) {
      end();
      token = given;
      prompt = createPromptSend();
      void look();
    },
    end,
    send(frame, otherwise) {
      if (token === undefined || !mayBeCarried(frame)) return otherwise(frame);
      const open = carrier?.isOpen() === true ? carrier : undefined;
      if (open !== undefined) return prompt(() => open.send(frame), () => otherwise(frame));
      if (monotonicMs() - lookedMs >= lookAgainMs) void look();
      otherwise(frame);
    },
  };
}
