/**
 * The one connection of this node, which it opens itself: proves that the gateway is the configured one, logs in,
 * announces, beats every second, and comes back after a growing, scattered pause whenever the connection is lost.
 */
import { NgpuError, codeOf } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { Clock } from "@ngpu/protocol/service/clock";
import { explainCode } from "@ngpu/protocol/service/explainFailure";
import { createLoop } from "@ngpu/protocol/service/loop";
import type { Log } from "@ngpu/protocol/service/log";
import { signMessage, type Signed, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import { loginRole } from "@ngpu/protocol/typedData";
import { closeCode, decodeFrame, encodeFrame, subprotocol, type Frame, type FrameOf } from "@ngpu/protocol/wire";
import { isAddressEqual, keccak256, pad, stringToBytes, toHex } from "viem";
import { WebSocket, type RawData } from "ws";

export interface GatewayLink {
  /** Frames sent while there is no connection are dropped: what matters is told again. */
  send(frame: Frame): void;
  /** Announces again, for instance with a new binding. */
  announce(): void;
  /** True while the gateway has welcomed this node. */
  isUp(): boolean;
  /** Number of the connection that takes frames now; 0 while none does. */
  connection(): number;
  /** True when the gateway answered, over the same connection, after all frames that were sent so far. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

const firstPauseMs = 250;
const longestPauseMs = 10_000;
const replacedPauseMs = 30_000;
const loginValidS = 30n;
const handshakeTimeoutMs = 5_000;
const heartbeatEveryMs = 1_000;
const pingEveryBeats = 3;
/** Without any answer for so long the connection is dead, whatever the socket says. */
const deadMs = 10_000;
const maxUnsentBytes = 8 * 1024 * 1024;

export function connectGateway(options: {
  gatewayUrl: string;
  nodeId: number;
  context: SigningContext;
  signer: TypedDataSigner;
  announcement: () => Promise<FrameOf<"announce">>;
  load: () => { freeSlots: number; queued: number };
  onWelcome: () => void;
  onFrame: (frame: Frame) => void;
  /** A connection has ended, or none came about. */
  onLost: () => void;
  clock: Clock;
  log: Log;
  /** From 0 to 1. */
  random: () => number;
}): GatewayLink {
  const { gatewayUrl, nodeId, context, signer, announcement, load, clock, log, random } = options;
  const { onWelcome, onFrame, onLost } = options;
  const audience = keccak256(stringToBytes(gatewayUrl));
  const url = `${gatewayUrl.replace(/^http/, "ws")}/v1/link`;
  const stopping = new AbortController();
  let socket: WebSocket | undefined;
  let isWelcome = false;
  let heardMs = 0;
  let beats = 0;
  let connections = 0;
  let questions = 0;
  let lastSeq = 0;
  let pauseMs = firstPauseMs;

  const sendNow = (frame: Frame): void => {
    if (socket?.readyState !== WebSocket.OPEN) return;
    if (socket.bufferedAmount > maxUnsentBytes) return socket.terminate();
    socket.send(encodeFrame(frame));
  };
  const send = (frame: Frame): void => {
    if (isWelcome) sendNow(frame);
  };
  const announce = async (): Promise<void> => send(await announcement());

  const answer = async ({ nonce, audience: claimed, chainId, escrow }: FrameOf<"challenge">): Promise<void> => {
    const isRight =
      claimed === audience && chainId === context.chainId && isAddressEqual(escrow, context.verifyingContract);
    if (!isRight) throw new NgpuError("GATEWAY_UNTRUSTED", { gatewayUrl, chainId, escrow });
    const expiry = BigInt(Math.floor(clock.nowMs() / 1_000)) + loginValidS;
    const message = { role: loginRole.node, subject: pad(toHex(nodeId), { size: 32 }), nonce, audience, expiry };
    sendNow({ t: "login", login: await signMessage({ kind: "login", message, context, signer }) });
  };

  const take = async (frame: Frame): Promise<void> => {
    if (frame.t === "challenge") return answer(frame);
    if (frame.t === "error")
      return void log.warn({ reason: frame.message, ...explainCode(frame.code) }, "the gateway reports an error");
    if (frame.t !== "welcome") return onFrame(frame);
    isWelcome = true;
    connections += 1;
    pauseMs = firstPauseMs;
    log.info({ gatewayUrl, nodeId }, "connected");
    await announce();
    beat.trigger();
    onWelcome();
  };

  const beat = createLoop({
    name: "heartbeat",
    everyMs: heartbeatEveryMs,
    clock,
    log,
    async pass() {
      if (socket === undefined) return;
      if (clock.monotonicMs() - heardMs > deadMs) return socket.terminate();
      beats += 1;
      if (beats % pingEveryBeats === 0 && socket.readyState === WebSocket.OPEN) socket.ping();
      if (!isWelcome) return;
      // Rises across restarts too, because it is never below the clock.
      lastSeq = Math.max(lastSeq + 1, clock.nowMs());
      const message = { nodeId, seq: BigInt(lastSeq), timeMs: BigInt(clock.nowMs()), ...load() };
      send({ t: "heartbeat", heartbeat: await signMessage({ kind: "heartbeat", message, context, signer }) });
    },
  });

  /** One connection from beginning to end; resolves with its close code. */
  const connectOnce = (): Promise<number> =>
    new Promise((resolve) => {
      const current = new WebSocket(url, subprotocol, {
        handshakeTimeout: handshakeTimeoutMs,
        maxPayload: gatewayLimits.maxFrameBytes * 4,
        perMessageDeflate: false,
      });
      socket = current;
      heardMs = clock.monotonicMs();
      let handling: Promise<void> = Promise.resolve();
      const heard = (): void => void (heardMs = clock.monotonicMs());
      current.on("pong", heard);
      current.on("ping", heard);
      current.on("error", (error) => log.debug({ gatewayUrl, reason: error.message }, "connection error"));
      current.on("message", (data: RawData, isBinary: boolean) => {
        heard();
        handling = handling
          .then(() => take(decodeText(data, isBinary)))
          .catch((error: unknown) => {
            const code = codeOf(error);
            if (code === "GATEWAY_UNTRUSTED") log.error({ err: error }, "refusing to log in");
            else log.warn({ err: error }, "a frame of the gateway was refused");
            if (code === "GATEWAY_UNTRUSTED" || code.startsWith("WIRE_")) current.close(closeCode.malformed);
          });
      });
      current.on("close", (code) => {
        socket = undefined;
        isWelcome = false;
        resolve(code);
      });
    });

  const takesFrames = (): boolean => isWelcome && socket?.readyState === WebSocket.OPEN;

  const answers = (): Promise<boolean> =>
    new Promise((resolve) => {
      const current = socket;
      if (current === undefined || !takesFrames()) return resolve(false);
      const question = Buffer.from(`${(questions += 1)}`);
      const end = (hasAnswered: boolean): void => {
        current.off("pong", onPong);
        current.off("close", onClose);
        resolve(hasAnswered);
      };
      const onPong = (answer: Buffer): void => {
        if (answer.equals(question)) end(true);
      };
      const onClose = (): void => end(false);
      current.on("pong", onPong);
      current.on("close", onClose);
      current.ping(question);
    });

  const keepConnected = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const code = await connectOnce();
      if (stopping.signal.aborted) return;
      onLost();
      const isReplaced = code === closeCode.replaced;
      if (isReplaced) log.error({ nodeId }, "another agent has logged in with this operator key; only one can serve");
      const waitMs = isReplaced ? replacedPauseMs : Math.ceil(pauseMs * (0.5 + random() / 2));
      log.info({ gatewayUrl, closeCode: code, waitMs }, "not connected; trying again");
      pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      await clock.sleep(waitMs, stopping.signal);
    }
  };
  const running = keepConnected();

  return {
    send,
    isUp: () => isWelcome,
    connection: () => (takesFrames() ? connections : 0),
    answers,
    announce: () => void announce().catch((error: unknown) => log.error({ err: error }, "could not announce")),
    async close() {
      stopping.abort();
      await beat.stop();
      socket?.close();
      const patience = clock.sleep(500).then(() => socket?.terminate());
      await Promise.race([running, patience.then(() => running)]);
    },
  };
}

function decodeText(data: RawData, isBinary: boolean): Frame {
  if (isBinary) throw new NgpuError("WIRE_MALFORMED", { path: "binary" });
  return decodeFrame(
    Buffer.isBuffer(data)
      ? data.toString("utf8")
      : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]).toString("utf8"),
  );
}
