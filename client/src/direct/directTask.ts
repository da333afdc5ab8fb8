/**
 * The direct link of one task to the node that executes it (docs/PROTOCOL.md §13), beside everything that goes over the
 * gateway: whatever fails here costs nothing. Nothing the gateway says is believed: which node is meant, and who its
 * operator is, comes from the chain.
 */
import { fromBase64, toBase64 } from "@ngpu/protocol/base64";
import type { Blobs } from "@ngpu/protocol/blobExchange/blobs";
import { createCodedBlobs } from "@ngpu/protocol/blobExchange/codedBlobs";
import { codeOf, isErrorCode, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import type { DirectLink, MeetNode } from "@ngpu/protocol/harq/direct/directLink";
import { signMessage, type SigningContext } from "@ngpu/protocol/signed";
import { blobAction } from "@ngpu/protocol/typedData";
import type { Frame, FrameOf } from "@ngpu/protocol/wire";
import { keccak256, type Address, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { sleep } from "../sleep.ts";
import type { TaskSecrets } from "../taskSecrets.ts";

export interface DirectTask {
  /** A frame of the gateway; true when it was one of direct links. `send` is good while that connection is. */
  take(frame: Frame, send: (frame: Frame) => void): boolean;
  /** That node's blobs of this task; undefined while it is not linked straight. */
  blobsOf(nodeId: number): Blobs | undefined;
  close(): void;
}

export interface DirectTaskOptions {
  meetNode: MeetNode;
  gatewayUrl: string;
  context: SigningContext;
  secrets: TaskSecrets;
  /** The node that executes, by the chain's word; undefined while there is none. */
  primary: () => Promise<number | undefined>;
  operatorOf: (nodeId: number) => Promise<Address>;
  onOpen: (nodeId: number, blobs: Blobs) => void;
  onFailure: (nodeId: number, code: ErrorCode, error: unknown) => void;
  signal: AbortSignal;
  nowMs: () => number;
}

type Answer = FrameOf<"met"> | FrameOf<"notMet">;

const answerWithinMs = 15_000;
/** A node, or a chain, that does not know of the task yet is asked again, and so is a node that is busy. */
const retriedCodes: readonly ErrorCode[] = ["TASK_UNKNOWN", "TASK_WORDS_MISMATCH", "NODE_BUSY"];
const pausesMs = [500, 1_000, 2_000];
const accessValidS = 120;

export function createDirectTask(options: DirectTaskOptions): DirectTask {
  const { meetNode, gatewayUrl, context, secrets, primary, operatorOf, onOpen, onFailure, nowMs } = options;
  const { taskId } = secrets;
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const signer = privateKeyToAccount(secrets.clientPrivateKey);
  const asked = new Map<Hex, (answer: Answer) => void>();
  const links = new Map<number, { link: DirectLink; blobs: Blobs }>();
  /** By node: the key with which it was met, or is. */
  const tried = new Map<number, Hex>();

  async function exchange(
    nodeId: number,
    hello: Uint8Array,
    send: (frame: Frame) => void,
  ): Promise<{ reply: Uint8Array; ticket: Hex }> {
    const meeting = keccak256(hello);
    const expiry = BigInt(Math.floor(nowMs() / 1_000) + accessValidS);
    const message = { action: blobAction.meet, taskId, blobHash: meeting, expiry };
    const access = await signMessage({ kind: "blobAccess", message, context, signer });
    const answered = Promise.withResolvers<Answer>();
    asked.set(meeting, answered.resolve);
    const over = new AbortController();
    const late = sleep(answerWithinMs, AbortSignal.any([signal, over.signal])).then(() => undefined);
    try {
      send({ t: "meet", nodeId, access, hello: toBase64(hello) });
      const answer = await Promise.race([answered.promise, late]);
      if (answer === undefined) throw new NgpuError("GATEWAY_UNREACHABLE", { nodeId, waitingFor: "met" });
      if (answer.t === "notMet") throw new NgpuError(isErrorCode(answer.code) ? answer.code : "INTERNAL", { nodeId });
      return { reply: fromBase64(answer.reply), ticket: answer.ticket };
    } finally {
      over.abort();
      asked.delete(meeting);
    }
  }

  async function meet({ nodeId, key, observer }: FrameOf<"direct">, send: (frame: Frame) => void): Promise<void> {
    const executing = await primary();
    // The gateway's RPC may be a block ahead of ours.
    if (executing === undefined) throw new NgpuError("TASK_UNKNOWN", { taskId });
    if (executing !== nodeId || links.has(nodeId)) return;
    const operator = await operatorOf(nodeId);
    const heard = new Set<(bytes: Uint8Array) => void>();
    const link = await meetNode({
      ...{ gatewayUrl, context, operator, key, observer },
      exchange: (hello) => exchange(nodeId, hello, send),
      onMessage: (bytes) => heard.forEach((take) => take(bytes)),
    });
    if (signal.aborted) return link.close();
    signal.addEventListener("abort", link.close, { once: true });
    let isClosed = false;
    void link.closed.then(() => {
      isClosed = true;
      // The gateway introduces its nodes again to a new connection.
      tried.delete(nodeId);
      if (links.get(nodeId)?.link === link) links.delete(nodeId);
    });
    // Through the relay everything would pass the gateway twice.
    if (!(await link.opened)) return link.close();
    const coded = createCodedBlobs({
      async openLink(_name, events) {
        if (isClosed) throw new NgpuError("GATEWAY_UNREACHABLE", { nodeId });
        heard.add(events.onMessage);
        void link.closed.then(events.onClosed);
        return { send: link.send, close: link.close };
      },
      fallback: () => unreachable,
      monotonicMs: () => performance.now(),
    });
    const blobs = coded.open({ gatewayUrl: `node ${nodeId}`, context, signer, nowMs });
    links.set(nodeId, { link, blobs });
    onOpen(nodeId, blobs);
  }

  async function meetPatiently(frame: FrameOf<"direct">, send: (frame: Frame) => void): Promise<void> {
    const { nodeId, key, observer } = frame;
    // Without UDP at the gateway nobody learns where it is seen, and no hole can be made.
    if (observer === "") return;
    if (frame.taskId !== taskId || tried.get(nodeId) === key.signature) return;
    tried.set(nodeId, key.signature);
    for (const pauseMs of [...pausesMs, undefined]) {
      try {
        return await meet(frame, send);
      } catch (error) {
        const code = codeOf(error);
        if (signal.aborted) return;
        if (pauseMs === undefined || !retriedCodes.includes(code)) {
          tried.delete(nodeId);
          return onFailure(nodeId, code, error);
        }
        await sleep(pauseMs, signal);
      }
    }
  }

  return {
    take(frame, send) {
      if (frame.t === "direct") void meetPatiently(frame, send);
      else if (frame.t === "met" || frame.t === "notMet") asked.get(frame.meeting)?.(frame);
      else return false;
      return true;
    },
    blobsOf(nodeId) {
      const known = links.get(nodeId);
      return known?.link.isOpen() === true ? known.blobs : undefined;
    },
    close: () => ending.abort(),
  };
}

const refuse = (): Promise<never> => Promise.reject(new NgpuError("GATEWAY_UNREACHABLE"));
const unreachable: Blobs = { get: refuse, put: refuse, size: refuse, part: refuse };
