/**
 * One WebSocket at the gateway: decodes frames and hands them on one at a time, bounds what waits in either direction,
 * and knows how long the peer has been silent. What frames mean is the hub's business.
 */
import { codeOf, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import { closeCode, decodeFrame, encodeFrame, type Frame } from "@ngpu/protocol/wire";
import type { RawData, WebSocket } from "ws";

export interface Link {
  send(frame: Frame): void;
  /** Says why, then closes. */
  refuse(error: unknown, code: number): void;
  close(code: number): void;
  /** Called about once a second: pings a quiet peer, ends a dead one. */
  checkAlive(): void;
}

/** A link whose peer may also be heard another way. */
export interface TakingLink extends Link {
  /** Handles a frame that came by that way, in its turn; resolves when it was handled. */
  take(frame: Frame): Promise<void>;
}

export interface LinkLimits {
  /** A peer that was not heard of for so long is gone. */
  deadMs: number;
  /** A peer that was not heard of for so long is pinged. */
  pingMs: number;
  /** Unsent bytes above which roster and progress frames are left out; newer ones follow. */
  droppableAboveBytes: number;
  /** Unsent bytes above which the peer is cut off. */
  mostUnsentBytes: number;
  /** Frames waiting to be handled above which reading stops. */
  mostWaitingFrames: number;
}

export const linkLimits: LinkLimits = {
  deadMs: 10_000,
  pingMs: 3_000,
  droppableAboveBytes: 1024 * 1024,
  mostUnsentBytes: 16 * 1024 * 1024,
  mostWaitingFrames: 64,
};

export function createLink(options: {
  socket: WebSocket;
  limits: LinkLimits;
  clock: Clock;
  log: Log;
  onFrame: (frame: Frame) => Promise<void>;
  onClose: () => void;
}): TakingLink {
  const { socket, limits, clock, log, onFrame, onClose } = options;
  const waiting: { frame: Frame; handled?: () => void }[] = [];
  let handling = false;
  let closed = false;
  let heardMs = clock.monotonicMs();

  const link: TakingLink = {
    send(frame) {
      if (socket.readyState !== socket.OPEN) return;
      const droppable = frame.t === "roster" || frame.t === "progress";
      if (droppable && socket.bufferedAmount > limits.droppableAboveBytes) return;
      if (socket.bufferedAmount > limits.mostUnsentBytes) {
        log.warn({ unsentBytes: socket.bufferedAmount }, "peer reads too slowly");
        link.close(closeCode.tooSlow);
        return;
      }
      socket.send(encodeFrame(frame));
    },
    refuse(error, code) {
      link.send(errorFrame(codeOf(error)));
      link.close(code);
    },
    close(code) {
      if (closed) return;
      closed = true;
      for (const { handled } of waiting.splice(0)) handled?.();
      socket.close(code);
      onClose();
    },
    checkAlive() {
      const silentMs = clock.monotonicMs() - heardMs;
      if (closed || silentMs > limits.deadMs) socket.terminate();
      else if (silentMs > limits.pingMs) socket.ping();
    },
    async take(frame) {
      // It says nothing of this socket, which is pinged as before.
      if (closed) return;
      const handled = Promise.withResolvers<void>();
      waiting.push({ frame, handled: handled.resolve });
      if (!handling) void handleAll();
      await handled.promise;
    },
  };

  socket.on("message", (data, isBinary) => {
    heardMs = clock.monotonicMs();
    if (closed) return;
    let frame: Frame;
    try {
      frame = decode(data, isBinary);
    } catch (error) {
      link.refuse(error, closeCode.malformed);
      return;
    }
    waiting.push({ frame });
    if (waiting.length >= limits.mostWaitingFrames) socket.pause();
    if (!handling) void handleAll();
  });
  socket.on("pong", () => (heardMs = clock.monotonicMs()));
  socket.on("ping", () => (heardMs = clock.monotonicMs()));
  socket.on("error", (error) => log.debug({ err: error }, "link error"));
  socket.on("close", () => {
    if (closed) return;
    closed = true;
    onClose();
  });

  async function handleAll(): Promise<void> {
    handling = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { frame, handled } = next;
      try {
        await onFrame(frame);
      } catch (error) {
        answer(error, frame);
      }
      handled?.();
      if (socket.isPaused && waiting.length < limits.mostWaitingFrames / 2) socket.resume();
    }
    handling = false;
  }

  /** A frame that cannot be used is answered; only one that breaks the grammar ends the link. */
  function answer(error: unknown, frame: Frame): void {
    const code = codeOf(error);
    if (code === "INTERNAL") log.error({ err: error, frame: frame.t }, "frame failed");
    else log.debug({ code, frame: frame.t }, "frame refused");
    if (code === "WIRE_MALFORMED") link.refuse(error, closeCode.malformed);
    else link.send(errorFrame(code));
  }

  return link;
}

function decode(data: RawData, isBinary: boolean): Frame {
  if (isBinary || !Buffer.isBuffer(data)) throw new NgpuError("WIRE_MALFORMED", { path: "binary" });
  return decodeFrame(data.toString("utf8"));
}

function errorFrame(code: ErrorCode): Frame {
  return { t: "error", code, message: new NgpuError(code).entry.meaning };
}
