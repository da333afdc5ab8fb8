/**
 * A peer of a gateway over a real WebSocket: logs in as node, keeper or client, and waits for frames with a deadline.
 */
import { signMessage, type Signed, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import { loginRole, type Login } from "@ngpu/protocol/typedData";
import { decodeFrame, encodeFrame, subprotocol, type Frame, type FrameOf, type FrameType } from "@ngpu/protocol/wire";
import { keccak256, numberToHex, stringToBytes, zeroHash, type Hex } from "viem";

export interface Peer {
  socket: WebSocket;
  /** Every frame so far. */
  frames: Frame[];
  send(frame: Frame): void;
  /** The next frame of this type that was not taken before. */
  next<T extends FrameType>(type: T, matches?: (frame: FrameOf<T>) => boolean): Promise<FrameOf<T>>;
  /** Code with which the link ended. */
  closed: Promise<number>;
  close(): void;
}

export type Who = { role: "node"; nodeId: number } | { role: "keeper" } | { role: "client"; taskId: Hex };

const patienceMs = 8_000;

/** Connects without logging in. */
export function openPeer(gatewayUrl: string): Peer {
  const socket = new WebSocket(`${gatewayUrl.replace(/^http/, "ws")}/v1/link`, subprotocol);
  const frames: Frame[] = [];
  const taken = new Set<Frame>();
  const wakes = new Set<() => void>();
  const closed = new Promise<number>((resolve) => {
    socket.addEventListener("close", ({ code }) => {
      resolve(code);
      for (const wake of wakes) wake();
    });
  });
  socket.addEventListener("error", () => undefined);
  socket.addEventListener("message", ({ data }) => {
    frames.push(decodeFrame(String(data)));
    for (const wake of wakes) wake();
  });

  return {
    socket,
    frames,
    send: (frame) => socket.send(encodeFrame(frame)),
    closed,
    close: () => socket.close(),
    next(type, matches = () => true) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const found = frames.find(
            (frame) => frame.t === type && !taken.has(frame) && matches(frame as FrameOf<typeof type>),
          );
          if (found === undefined && socket.readyState !== WebSocket.CLOSED) return;
          clearTimeout(timer);
          wakes.delete(look);
          if (found === undefined) return reject(new Error(`link ended before ${type} came`));
          taken.add(found);
          resolve(found as FrameOf<typeof type>);
        };
        const timer = setTimeout(() => {
          wakes.delete(look);
          reject(new Error(`no ${type} within ${patienceMs} ms; got ${frames.map(({ t }) => t).join(" ")}`));
        }, patienceMs);
        wakes.add(look);
        look();
      });
    },
  };
}

/** Connects and sends a login; `change` alters what is signed. Resolves before the gateway has answered. */
export async function sendLogin(request: {
  gatewayUrl: string;
  who: Who;
  signer: TypedDataSigner;
  context: SigningContext;
  change?: (message: Login) => Login;
}): Promise<{ peer: Peer; login: Signed<"login"> }> {
  const { gatewayUrl, who, signer, context, change = (message) => message } = request;
  const peer = openPeer(gatewayUrl);
  const { nonce } = await peer.next("challenge");
  const subject =
    who.role === "node" ? numberToHex(who.nodeId, { size: 32 }) : who.role === "client" ? who.taskId : zeroHash;
  const message: Login = {
    role: loginRole[who.role],
    subject,
    nonce,
    audience: keccak256(stringToBytes(gatewayUrl)),
    expiry: BigInt(Math.floor(Date.now() / 1_000) + 60),
  };
  const login = await signMessage({ kind: "login", message: change(message), context, signer });
  peer.send({ t: "login", login });
  return { peer, login };
}

/** Connects and logs in. */
export async function connectPeer(request: Omit<Parameters<typeof sendLogin>[0], "change">): Promise<Peer> {
  const { peer } = await sendLogin(request);
  await peer.next("welcome");
  return peer;
}
