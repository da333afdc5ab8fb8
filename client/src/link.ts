/**
 * One authenticated WebSocket to a gateway, as the client of one task or of one session. Works in a browser and in Node, both of which have WebSocket.
 * The challenge is checked before anything is signed: a gateway that names another audience, chain or escrow gets no login.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import { signMessage, type SigningContext } from "@ngpu/protocol/signed";
import { loginRole } from "@ngpu/protocol/typedData";
import { decodeFrame, encodeFrame, subprotocol, type Frame, type FrameOf } from "@ngpu/protocol/wire";
import { isAddressEqual, keccak256, stringToBytes, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { TaskSecrets } from "./taskSecrets.ts";

export interface Link {
  /** Ends when the connection does. */
  frames: AsyncIterable<Frame>;
  send(frame: Frame): void;
  close(): void;
  /** True once the link was given up because nothing had been heard on it for too long. */
  isSilent(): boolean;
}

const loginTimeoutMs = 15_000;
/**
 * The gateway says every few seconds that the line stands. A connection that is dead at one end only says nothing and
 * does not close either, so silence ends it.
 */
const mostSilentMs = 12_000;
const loginExpiryS = 50;

interface LinkOptions {
  gatewayUrl: string;
  context: SigningContext;
  signal: AbortSignal;
  nowMs?: () => number;
  mostSilentMs?: number;
}

/** Who logs in: the client of a task by its client key, or that of a session by its signer. */
export interface LinkIdentity {
  role: number;
  subject: Hex;
  privateKey: Hex;
}

export function openLink(options: LinkOptions & { secrets: TaskSecrets }): Promise<Link> {
  const { taskId, clientPrivateKey } = options.secrets;
  return openLinkAs({ ...options, identity: { role: loginRole.client, subject: taskId, privateKey: clientPrivateKey } });
}

export async function openLinkAs(options: LinkOptions & { identity: LinkIdentity }): Promise<Link> {
  const { gatewayUrl, signal } = options;
  const socket = new WebSocket(`${gatewayUrl.replace(/^http/, "ws")}/v1/link`, subprotocol);
  const close = (): void => socket.close();
  signal.addEventListener("abort", close, { once: true });
  let silent = false;
  const frames = framesOf(socket, {
    mostSilentMs: options.mostSilentMs ?? mostSilentMs,
    onSilent: () => (silent = true),
    onEnd: () => signal.removeEventListener("abort", close),
  });
  const link: Link = {
    frames: { [Symbol.asyncIterator]: () => frames },
    send: (frame) => socket.send(encodeFrame(frame)),
    close,
    isSilent: () => silent,
  };
  const timer = setTimeout(close, loginTimeoutMs);
  try {
    const challenge = await expectFrame(frames, "challenge", gatewayUrl);
    link.send({ t: "login", login: await signLogin(options, challenge) });
    await expectFrame(frames, "welcome", gatewayUrl);
    return link;
  } catch (error) {
    close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function signLogin(options: Parameters<typeof openLinkAs>[0], challenge: FrameOf<"challenge">) {
  const { context, gatewayUrl, identity } = options;
  const audience = keccak256(stringToBytes(gatewayUrl));
  const expected =
    challenge.audience === audience &&
    challenge.chainId === context.chainId &&
    isAddressEqual(challenge.escrow, context.verifyingContract);
  if (!expected) throw new NgpuError("GATEWAY_UNTRUSTED", { gatewayUrl });
  const expiry = BigInt(Math.floor((options.nowMs?.() ?? Date.now()) / 1_000) + loginExpiryS);
  const { role, subject, privateKey } = identity;
  const message = { role, subject, nonce: challenge.nonce, audience, expiry };
  return signMessage({ kind: "login", message, context, signer: privateKeyToAccount(privateKey) });
}

async function expectFrame<T extends Frame["t"]>(
  frames: AsyncIterator<Frame>,
  type: T,
  gatewayUrl: string,
): Promise<FrameOf<T>> {
  const { value, done } = await frames.next();
  if (done === true) throw new NgpuError("GATEWAY_UNREACHABLE", { gatewayUrl, waitingFor: type });
  const frame = value as Frame;
  if (frame.t === "error") throw new NgpuError("AUTH_FORBIDDEN", { code: frame.code });
  if (frame.t !== type) throw new NgpuError("WIRE_MALFORMED", { path: frame.t });
  return frame as FrameOf<T>;
}

/** Incoming frames in order, as an iterator that ends with the socket or with its silence. A malformed frame closes it. */
function framesOf(
  socket: WebSocket,
  options: { mostSilentMs: number; onSilent: () => void; onEnd: () => void },
): AsyncIterator<Frame> {
  const queue: Frame[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  const end = (): void => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    options.onEnd();
    wake?.();
  };
  // The closing handshake of a dead connection takes its time; nobody waits for it.
  const giveUp = (): void => {
    options.onSilent();
    end();
    socket.close();
  };
  let timer = setTimeout(giveUp, options.mostSilentMs);
  socket.addEventListener("message", (event: MessageEvent) => {
    if (ended) return;
    clearTimeout(timer);
    timer = setTimeout(giveUp, options.mostSilentMs);
    try {
      queue.push(decodeFrame(String(event.data)));
      wake?.();
    } catch {
      socket.close();
    }
  });
  socket.addEventListener("close", end);
  socket.addEventListener("error", () => socket.close());
  return {
    async next() {
      while (queue.length === 0 && !ended) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      const frame = queue.shift();
      return frame === undefined ? { done: true, value: undefined } : { done: false, value: frame };
    },
  };
}
