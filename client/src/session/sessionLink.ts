/**
 * Keeps one session connected to its gateway: logs in, hands frames on, comes back after a growing pause. Requests and
 * answers go over a coded link where there is one.
 */
import { createFrameCarrier, type OpenCarrier } from "@ngpu/protocol/blobExchange/frameCarrier";
import { NgpuError } from "@ngpu/protocol/errors";
import type { Frame } from "@ngpu/protocol/wire";
import type { Link } from "../link.ts";
import { sleep } from "../sleep.ts";

export interface SessionLink {
  /** False while there is no connection: what matters is sent again. */
  send(frame: Frame): boolean;
  /** Resolves when nothing runs any more; it ends with the signal. */
  ended: Promise<void>;
}

const retryMs = { first: 100, most: 5_000 };

export function keepSessionLink(options: {
  open: () => Promise<Link>;
  gatewayUrl: string;
  /** Undefined: all goes over the WebSocket. */
  carry: OpenCarrier | undefined;
  onUp: () => void;
  onFrame: (frame: Frame) => void;
  onError: (error: unknown) => void;
  signal: AbortSignal;
}): SessionLink {
  const { open, gatewayUrl, carry, onUp, onFrame, onError, signal } = options;
  let link: Link | undefined;
  const carrier = createFrameCarrier({
    gatewayUrl,
    open: carry ?? (async () => undefined),
    onFrame,
    monotonicMs: () => performance.now(),
  });

  const run = async (): Promise<void> => {
    for (let waitMs = retryMs.first; !signal.aborted; waitMs = Math.min(waitMs * 2, retryMs.most)) {
      try {
        link = await open();
        waitMs = retryMs.first;
        onUp();
        for await (const frame of link.frames) {
          if (frame.t === "carrier") carrier.begin(frame.token);
          else if (frame.t === "error") onError(new NgpuError("GATEWAY_UNREACHABLE", { code: frame.code }));
          else onFrame(frame);
        }
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
      link = undefined;
      carrier.end();
      await sleep(waitMs, signal);
    }
  };

  return {
    send(frame) {
      if (link === undefined) return false;
      carrier.send(frame, (unsent) => link?.send(unsent));
      return true;
    },
    ended: run(),
  };
}
