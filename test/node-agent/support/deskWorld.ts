/**
 * A task desk in a world of its own: real keys, seals, signatures and journal; a chain, a gateway's store and runners
 * in memory that keep to their ports. The payer's side acts as the client does.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import type { TaskBlobs } from "@ngpu/protocol/blobExchange/blobs";
import type { AgentChain, ChainTask } from "@ngpu/node-agent/agent/chain";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { assignedDigest } from "@ngpu/protocol/taskDigest";
import { requireWords, termsOf, type TaskState } from "@ngpu/protocol/taskWords";
import { openJournal, type Journal } from "@ngpu/node-agent/agent/journal";
import { createTaskDesk, type TaskDesk } from "@ngpu/node-agent/agent/taskDesk";
import type { RunnerPool, Slot } from "@ngpu/node-agent/pool/runnerPool";
import { catalogue } from "@ngpu/protocol/catalogue";
import { NgpuError } from "@ngpu/protocol/errors";
import { encodePayload } from "@ngpu/protocol/sealed/payload";
import { open, seal } from "@ngpu/protocol/sealed/seal";
import { transportPublicKey, wrapTaskKey } from "@ngpu/protocol/sealed/wrap";
import { systemClock, type Clock } from "@ngpu/protocol/service/clock";
import { createLog } from "@ngpu/protocol/service/log";
import { signMessage, type SigningContext } from "@ngpu/protocol/signed";
import type { Receipt } from "@ngpu/protocol/typedData";
import type { Frame, FrameOf, FrameType } from "@ngpu/protocol/wire";
import { workCumsOf } from "@ngpu/protocol/work";
import { toHex, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts";
import { until } from "../../harness/until.ts";
import { photo } from "./images.ts";

export const nodeId = 7;
export const otherNode = 8;
const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
const face = catalogue.find(({ manifest }) => manifest.adapter === "face.v1");
if (face === undefined) throw new Error("the catalogue holds no face model");
const { modelId, manifest } = face;

export interface PostedByPayer {
  taskId: Hex;
  clientKey: PrivateKeyAccount;
  taskKey: Uint8Array;
  dispatch(options?: { role?: "primary" | "backup"; attempt?: number; assignment?: number }): void;
  wrap(options?: { signer?: PrivateKeyAccount; assignment?: number; taskKey?: Uint8Array }): Promise<void>;
  /** What the chain keeps of it; tests move it. */
  state: TaskState;
  /** The result document of a success receipt, opened as the client does. */
  openOutput(receipt: Receipt): Uint8Array;
}

export interface DeskWorld {
  desk: TaskDesk;
  journal: Journal;
  operator: PrivateKeyAccount;
  context: SigningContext;
  /** What the runners do; the default takes 40 ms and answers "{}". */
  runner: { execute: Slot["execute"] };
  disk: { isFull: boolean };
  /** Number of the connection to the gateway, 0 for none, and whether the gateway answers on it. */
  line: { connection: number; answers: boolean };
  /** The newest block that cannot be taken back; the newest of all is 100. */
  finality: { block: bigint; asked: number };
  /** Lets the desk believe that time has passed. */
  pass(ms: number): void;
  sent<T extends FrameType>(type: T): FrameOf<T>[];
  received<T extends FrameType>(type: T, count?: number): Promise<FrameOf<T>[]>;
  post(options?: {
    role?: "primary" | "backup";
    images?: Uint8Array[];
    declaredImages?: number;
    workCums?: bigint;
    deadlineS?: number;
    powerCu?: number;
    /** Who serves; this node and another one by default. */
    seats?: number[];
  }): PostedByPayer;
  /** The same data folder under a new process's desk. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export function createDeskWorld(): DeskWorld {
  const dataDir = mkdtempSync(join(tmpdir(), "ngpu-test-desk-"));
  const operator = privateKeyToAccount(generatePrivateKey());
  const context: SigningContext = {
    chainId: 31_337,
    verifyingContract: privateKeyToAccount(generatePrivateKey()).address,
  };
  const secret = random(32);
  const log = createLog({ service: "test", level: "silent" });
  const tasks = new Map<Hex, ChainTask>();
  const stored = new Map<Hex, Uint8Array>();
  const frames: Frame[] = [];
  const disk = { isFull: false };
  const line = { connection: 1, answers: true };
  const finality = { block: 100n, asked: 0 };
  let aheadMs = 0;
  const clock: Clock = {
    ...systemClock,
    nowMs: () => systemClock.nowMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
  };
  const runner: DeskWorld["runner"] = {
    execute: async () => {
      await systemClock.sleep(40);
      return { result: new TextEncoder().encode("{}"), startMs: Date.now(), durationMs: 40 };
    },
  };

  const chain: AgentChain = {
    nodeOfOperator: async () => nodeId,
    timeS: async () => 1_000,
    blockNumber: async () => 100n,
    async finalBlock() {
      finality.asked += 1;
      return finality.block;
    },
    state: async (taskId) => tasks.get(taskId)?.state ?? noTask,
    task: async (taskId) => {
      const found = tasks.get(taskId);
      if (found === undefined) throw new NgpuError("TASK_UNKNOWN", { taskId });
      requireWords({ taskId, words: found, state: found.state });
      return found;
    },
  };
  const blobs: TaskBlobs = {
    async get({ hash }) {
      const bytes = stored.get(hash);
      if (bytes === undefined) throw new NgpuError("BLOB_UNKNOWN", { hash });
      return bytes;
    },
    async put({ hash, bytes }) {
      stored.set(hash, bytes);
    },
  };

  const openDesk = (): { desk: TaskDesk; journal: Journal } => {
    const kept = openJournal({ dataDir, log });
    const journal: Journal = {
      ...kept,
      hasRoom: () => !disk.isFull,
      write(entry) {
        if (disk.isFull) throw new NgpuError("DISK_FULL");
        kept.write(entry);
      },
    };
    const desk = createTaskDesk({
      nodeId,
      context,
      signer: operator,
      secret,
      manifests: new Map([[modelId, manifest]]),
      chain,
      blobs,
      pool: createPoolOfOne(runner),
      journal,
      link: {
        send: (frame) => void frames.push(frame),
        connection: () => line.connection,
        answers: async () => line.answers,
      },
      clock,
      log,
      random,
    });
    return { desk, journal };
  };
  let { desk, journal } = openDesk();

  return {
    get desk() {
      return desk;
    },
    get journal() {
      return journal;
    },
    operator,
    context,
    runner,
    disk,
    line,
    finality,
    pass: (ms) => void (aheadMs += ms),
    sent: (type) => frames.filter((frame) => frame.t === type) as never,
    async received(type, count = 1) {
      await until(`${count} ${type} frames`, () => frames.filter((frame) => frame.t === type).length >= count);
      return frames.filter((frame) => frame.t === type) as never;
    },
    post(options = {}) {
      const { role = "primary", images = [photo(1)], declaredImages, workCums, deadlineS = 1_060, powerCu = 1_000 } = options;
      const { seats: taken = role === "primary" ? [nodeId, otherNode] : [otherNode, nodeId] } = options;
      const taskId = toHex(random(32));
      const taskKey = random(32);
      const clientKey = privateKeyToAccount(generatePrivateKey());
      const parts = images.map((bytes, index) => ({ name: String(index), mediaType: "image/jpeg", bytes }));
      const dimensions = { images: declaredImages ?? images.length };
      const body = encodePayload({ parameters: dimensions, parts });
      const sealed = seal({ taskKey, context: { kind: "input", taskId }, body, random });
      stored.set(sealed.ciphertextHash, sealed.sealed);
      const declared = workCums ?? workCumsOf({ manifest, dimensions: { images: images.length } });
      const posted = {
        taskId,
        payer: context.verifyingContract,
        modelId,
        inputCommitment: sealed.commitment,
        inputCiphertext: sealed.ciphertextHash,
        clientKey: clientKey.address,
        workCums: declared,
        priceUsd6PerGcums: 100_000n,
        stakeWeiPerUsd6: 2_000_000_000_000n,
        maxAmountUsd6: 1_000n,
        postedAt: 990,
        deadline: deadlineS,
        backups: 1,
      };
      const seats = taken.map((seated) => ({ nodeId: seated, powerCu: seated === nodeId ? powerCu : 9_999 }));
      const words = { terms: termsOf(posted), assigned: { assigner: operator.address, seats } };
      const digest = assignedDigest(words.terms, words.assigned);
      const state: TaskState = { ...noTask, status: taskStatus.assigned, assignment: 1, changedAt: 995, digest };
      tasks.set(taskId, { state, posted, ...words });
      return {
        taskId,
        clientKey,
        taskKey,
        state,
        dispatch: (options = {}) =>
          desk.dispatch({
            t: "dispatch",
            nodeId,
            taskId,
            assignment: options.assignment ?? 1,
            attempt: options.attempt ?? 0,
            role: options.role ?? role,
          }),
        async wrap(options = {}) {
          const target = { taskId, assignment: options.assignment ?? 1, nodeId };
          const wrapped = wrapTaskKey({
            taskKey: options.taskKey ?? taskKey,
            nodePublicKey: transportPublicKey(secret),
            target,
            random,
          });
          const message = {
            ...target,
            ephemeralPublicKey: toHex(wrapped.ephemeralPublicKey),
            wrappedKey: toHex(wrapped.wrappedKey),
          };
          desk.wrap(await signMessage({ kind: "keyWrap", message, context, signer: options.signer ?? clientKey }));
        },
        openOutput: ({ assignment, attempt, outputCiphertext, outputCommitment }) =>
          open({
            taskKey,
            context: { kind: "output", taskId, nodeId, assignment, attempt },
            sealed: stored.get(outputCiphertext) ?? new Uint8Array(0),
            commitment: outputCommitment,
          }),
      };
    },
    async restart() {
      await desk.close();
      ({ desk, journal } = openDesk());
    },
    async close() {
      await desk.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const noTask: TaskState = {
  status: taskStatus.none,
  assignment: 0,
  acceptedMask: 0,
  failedMask: 0,
  changedAt: 0,
  digest: `0x${"00".repeat(23)}`,
};

/** One slot, first come first served, as the port says. */
function createPoolOfOne(runner: { execute: Slot["execute"] }): RunnerPool {
  const waiting: ((slot: Slot) => void)[] = [];
  let isTaken = false;
  const serve = (): void => {
    const next = isTaken ? undefined : waiting.shift();
    if (next === undefined) return;
    isTaken = true;
    next({
      index: 0,
      execute: (task) => runner.execute(task),
      release() {
        isTaken = false;
        serve();
      },
    });
  };
  return {
    loaded: [modelId],
    refused: [],
    slots: 1,
    freeSlots: () => (isTaken ? 0 : 1),
    take: (signal) =>
      new Promise((resolve, reject) => {
        const leave = (): void => {
          const at = waiting.indexOf(resolve);
          if (at >= 0) waiting.splice(at, 1);
          reject(new NgpuError("NODE_BUSY"));
        };
        signal.addEventListener("abort", leave, { once: true });
        waiting.push(resolve);
        serve();
      }),
    callOff: () => undefined,
    close: () => Promise.resolve(),
  };
}
