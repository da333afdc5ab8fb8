/**
 * Plays a node's part at a gateway with a real operator key: everything it sends is signed as an agent would sign it.
 */
import { signMessage, type Signed } from "@ngpu/protocol/signed";
import type { MessageKind, MessageOf } from "@ngpu/protocol/typedData";
import { keccak256, stringToBytes, zeroHash, type Hex } from "viem";
import { putBlob } from "./blobs.ts";
import type { TestChain } from "./chain.ts";
import type { TestNode } from "./nodes.ts";
import { connectPeer, type Peer } from "./peer.ts";
import type { TestTask } from "./tasks.ts";

export interface NodePeer {
  node: TestNode;
  nodeId: number;
  peer: Peer;
  announce(models: Hex[], slots?: number): Promise<void>;
  heartbeat(freeSlots: number): Promise<void>;
  /** Sends a heartbeat every `everyMs` until the link ends. */
  keepAlive(everyMs: number): void;
  accept(task: TestTask, assignment: number): Promise<Signed<"accept">>;
  progress(task: TestTask, at: { assignment: number; attempt: number; seq: number }): Promise<void>;
  receipt(
    task: TestTask,
    at: { assignment: number; attempt: number; status?: number; durationMs?: number },
  ): Promise<Signed<"receipt">>;
}

export async function connectNode(options: {
  chain: TestChain;
  node: TestNode;
  gatewayUrl: string;
}): Promise<NodePeer> {
  const { chain, node, gatewayUrl } = options;
  const { nodeId, operator } = node;
  const context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
  const peer = await connectPeer({ gatewayUrl, who: { role: "node", nodeId }, signer: operator, context });
  const sign = <K extends MessageKind>(kind: K, message: MessageOf[K]): Promise<Signed<K>> =>
    signMessage({ kind, message, context, signer: operator });
  let heartbeats = 0n;

  const heartbeat = async (freeSlots: number): Promise<void> => {
    heartbeats += 1n;
    const message = { nodeId, seq: heartbeats, timeMs: BigInt(Date.now()), freeSlots, queued: 0 };
    peer.send({ t: "heartbeat", heartbeat: await sign("heartbeat", message) });
  };

  /** A gateway passes on no success without its output. */
  const storeOutput = async (taskId: Hex): Promise<Hex> => {
    const bytes = stringToBytes(`output of ${nodeId} for ${taskId}`);
    const blobHash = keccak256(bytes);
    await putBlob({ gatewayUrl, context, signer: operator, taskId, hash: blobHash, body: bytes });
    return blobHash;
  };

  return {
    node,
    nodeId,
    peer,
    heartbeat,
    async announce(models, slots = 1) {
      const nowS = BigInt(Math.floor(Date.now() / 1_000));
      const publicKey = `0x${nodeId.toString(16).padStart(64, "0")}` as const;
      const binding = await sign("transportBinding", { nodeId, publicKey, notBefore: nowS, expiry: nowS + 3_600n });
      const about = { executionProvider: "cpu", agentVersion: "test", benchmarkCu: 1_000 };
      peer.send({ t: "announce", models, slots, ...about, binding });
    },
    keepAlive(everyMs) {
      const timer = setInterval(() => {
        if (peer.socket.readyState === WebSocket.OPEN) void heartbeat(1);
        else clearInterval(timer);
      }, everyMs);
      timer.unref();
    },
    async accept(task, assignment) {
      const { taskId, inputCommitment } = task;
      const message = { taskId, assignment, nodeId, inputCommitment, timeMs: BigInt(Date.now()) };
      const accept = await sign("accept", message);
      peer.send({ t: "accept", accept });
      return accept;
    },
    async progress(task, { assignment, attempt, seq }) {
      const message = {
        taskId: task.taskId,
        assignment,
        attempt,
        nodeId,
        seq,
        permille: 0,
        timeMs: BigInt(Date.now()),
      };
      peer.send({ t: "progress", progress: await sign("progress", message) });
    },
    async receipt(task, { assignment, attempt, status = 0, durationMs = 100 }) {
      const outputCiphertext = status === 0 ? await storeOutput(task.taskId) : zeroHash;
      const receipt = await sign("receipt", {
        taskId: task.taskId,
        assignment,
        attempt,
        nodeId,
        modelId: task.modelId,
        inputCommitment: task.inputCommitment,
        outputCommitment: zeroHash,
        outputCiphertext,
        slot: 0,
        powerCu: 1_000,
        startMs: BigInt(Date.now()),
        durationMs,
        status,
      });
      peer.send({ t: "receipt", receipt, detail: "" });
      return receipt;
    },
  };
}
