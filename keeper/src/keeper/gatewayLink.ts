/**
 * The keeper's connection to one gateway: proves the gateway, logs in, hands frames on in order, and comes back when it
 * breaks.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { signMessage, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import { loginRole } from "@ngpu/protocol/typedData";
import { explainCode } from "@ngpu/protocol/service/explainFailure";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import { decodeFrame, encodeFrame, subprotocol, type Frame, type FrameOf } from "@ngpu/protocol/wire";
import { isAddressEqual, keccak256, stringToBytes, zeroHash } from "viem";
import { WebSocket, type RawData } from "ws";

export interface GatewayLink {
  url: string;
  /** False when it is not connected. */
  send(frame: Frame): boolean;
  stop(): Promise<void>;
}

export interface GatewayLinkTiming {
  /** A gateway that says nothing for so long is gone; it sends the roster several times a second. */
  deadMs: number;
  firstRetryMs: number;
  mostRetryMs: number;
}

const linkTiming: GatewayLinkTiming = { deadMs: 5_000, firstRetryMs: 100, mostRetryMs: 5_000 };

export function createGatewayLink(options: {
  /** Public URL of the gateway, without a trailing slash. */
  url: string;
  context: SigningContext;
  signer: TypedDataSigner;
  clock: Clock;
  log: Log;
  /** From 0 to 1; spreads the returns of many keepers. */
  random01: () => number;
  onFrame: (frame: Frame) => Promise<void>;
  onConnected: () => void;
  onDisconnected: () => void;
  timing?: Partial<GatewayLinkTiming>;
}): GatewayLink {
  const { url, context, signer, clock, log, random01, onFrame, onConnected, onDisconnected } = options;
  const timing = { ...linkTiming, ...options.timing };
  const audience = keccak256(stringToBytes(url));
  const stopping = new AbortController();
  let socket: WebSocket | undefined;
  let isWelcome = false;

  const running = stayConnected();

  async function stayConnected(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      const wasWelcome = await connectOnce();
      if (wasWelcome) failures = 0;
      const most = Math.min(timing.mostRetryMs, timing.firstRetryMs * 2 ** Math.min(failures, 10));
      await clock.sleep(most * (0.5 + random01() / 2), stopping.signal);
    }
  }

  /** Resolves when the connection has ended; true if it had been logged in. */
  function connectOnce(): Promise<boolean> {
    return new Promise((resolve) => {
      const connection = new WebSocket(linkUrl(url), subprotocol, {
        maxPayload: 64 * gatewayLimits.maxFrameBytes,
        perMessageDeflate: false,
        handshakeTimeout: timing.deadMs,
      });
      socket = connection;
      let handling = Promise.resolve();
      let heardMs = clock.monotonicMs();
      const watchdog = setInterval(() => {
        if (clock.monotonicMs() - heardMs > timing.deadMs) connection.terminate();
      }, timing.deadMs / 4);

      connection.on("message", (data, isBinary) => {
        heardMs = clock.monotonicMs();
        connection.pause();
        handling = handling
          .then(() => handle(connection, data, isBinary))
          .catch((error: unknown) => {
            log.warn({ err: error, gateway: url }, "gateway misbehaves; connecting again");
            connection.terminate();
          })
          .finally(() => connection.resume());
      });
      connection.on("ping", () => (heardMs = clock.monotonicMs()));
      connection.on("error", (error) => log.debug({ err: error, gateway: url }, "gateway link error"));
      connection.on("close", (code) => {
        clearInterval(watchdog);
        const wasWelcome = isWelcome;
        isWelcome = false;
        if (wasWelcome) log.warn({ gateway: url, code }, "gateway link ended");
        void handling.finally(() => {
          if (wasWelcome) onDisconnected();
          resolve(wasWelcome);
        });
      });
    });
  }

  async function handle(connection: WebSocket, data: RawData, isBinary: boolean): Promise<void> {
    if (isBinary || !Buffer.isBuffer(data)) throw new NgpuError("WIRE_MALFORMED", { path: "binary" });
    const frame = decodeFrame(data.toString("utf8"));
    if (frame.t === "challenge") return login(connection, frame);
    if (frame.t === "error") {
      log.warn({ gateway: url, ...explainCode(frame.code) }, "gateway refused something");
      return;
    }
    if (frame.t === "welcome") {
      isWelcome = true;
      log.info({ gateway: url }, "connected to gateway");
      onConnected();
      return;
    }
    if (isWelcome) await onFrame(frame);
  }

  async function login(connection: WebSocket, challenge: FrameOf<"challenge">): Promise<void> {
    const isExpected =
      challenge.audience === audience &&
      challenge.chainId === context.chainId &&
      isAddressEqual(challenge.escrow, context.verifyingContract);
    if (!isExpected) throw new NgpuError("GATEWAY_UNTRUSTED", { gateway: url });
    const expiry = BigInt(Math.floor(clock.nowMs() / 1_000) + gatewayLimits.loginExpiryS);
    const { nonce } = challenge;
    const signed = await signMessage({
      kind: "login",
      message: { role: loginRole.keeper, subject: zeroHash, nonce, audience, expiry },
      context,
      signer,
    });
    connection.send(encodeFrame({ t: "login", login: signed }));
  }

  return {
    url,
    send(frame) {
      if (!isWelcome || socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(encodeFrame(frame));
      return true;
    },
    async stop() {
      stopping.abort();
      socket?.close(1000);
      const forced = setTimeout(() => socket?.terminate(), 500);
      await running;
      clearTimeout(forced);
    },
  };
}

function linkUrl(url: string): string {
  return `${url.replace(/^http/, "ws")}/v1/link`;
}
