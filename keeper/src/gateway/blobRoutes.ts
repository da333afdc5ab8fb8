/**
 * Who may store and fetch which blob: the client key its input, nodes of the standing assignment their outputs
 * (BlobAccess). A keeper may ask whether a blob is here, so that it can answer for a demanded output. Under a session's
 * id, its parties leave each other what a frame does not carry (sessionBodies.ts).
 */
import { blobAccessSigner } from "@ngpu/protocol/blobAccess";
import { decodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { SigningContext } from "@ngpu/protocol/signed";
import type { Clock } from "@ngpu/protocol/service/clock";
import { Readable } from "node:stream";
import { isAddressEqual, type Address, type Hex } from "viem";
import type { Authority } from "../chain/authority.ts";
import { assignedNodes, type TaskFacts } from "../chain/taskFacts.ts";
import type { BlobLabel, BlobStore, HeldBlob } from "./blobStore.ts";
import type { SessionBodies } from "./sessionBodies.ts";
import type { TaskWatch } from "./taskWatch.ts";

export interface BlobRoutes {
  put(
    request: BlobRequest & { bytes: number | undefined; body: AsyncIterable<Uint8Array> },
  ): Promise<"stored" | "present">;
  get(request: BlobRequest): Promise<HeldBlob>;
  /** The size of a blob that is here; throws BLOB_UNKNOWN. */
  head(request: BlobRequest): Promise<{ bytes: number }>;
}

export interface BlobRequest {
  taskId: Hex;
  hash: Hex;
  authorization: string | undefined;
}

/** How long an upload may be ahead of the gateway's view of the chain. */
const postVisibleMs = 10_000;
const mostUploads = 256;
/** Of one task by its client: one that hangs and its repetition. More would let one post take every place. */
const mostInputsArriving = 2;

export function createBlobRoutes(options: {
  store: BlobStore;
  tasks: TaskWatch;
  authority: Authority;
  sessions: SessionBodies;
  context: SigningContext;
  clock: Clock;
}): BlobRoutes {
  const { store, tasks, authority, sessions, context, clock } = options;
  let uploads = 0;
  const inputsArriving = new Map<Hex, number>();

  return {
    async put({ taskId, hash, authorization, bytes, body }) {
      const signer = await signerOf({ taskId, hash, authorization }, "write");
      if (bytes !== undefined && bytes > gatewayLimits.maxBlobBytes) throw new NgpuError("BLOB_TOO_LARGE");
      if (sessions.serves(taskId)) return sessions.put({ sessionId: taskId, hash, signer, body });
      const facts = await tasks.find(taskId, postVisibleMs);
      const label = await labelOf(facts, hash, signer);
      const arriving = inputsArriving.get(taskId) ?? 0;
      const isTooMuch = uploads >= mostUploads || (label.kind === "input" && arriving >= mostInputsArriving);
      if (isTooMuch) throw new NgpuError("STORE_FULL", { uploads, arriving });
      uploads += 1;
      if (label.kind === "input") inputsArriving.set(taskId, arriving + 1);
      try {
        return await store.put({ taskId, hash, label, deadlineS: facts.terms.deadline, body });
      } finally {
        uploads -= 1;
        if (label.kind === "input") leave(taskId);
      }
    },
    async get(request) {
      if (sessions.serves(request.taskId)) return bodyOf(request);
      const { signer, facts } = await readerOf(request);
      await requireParty(facts, signer);
      return store.get(request.taskId, request.hash);
    },
    async head(request) {
      if (sessions.serves(request.taskId)) return bodyOf(request);
      const { signer, facts } = await readerOf(request);
      if (!(await authority.isKeeper(signer))) await requireParty(facts, signer);
      return store.get(request.taskId, request.hash);
    },
  };

  async function signerOf({ taskId, hash, authorization }: BlobRequest, action: "read" | "write"): Promise<Address> {
    const access = decodeBlobAuthorization(authorization);
    return blobAccessSigner({ access, action, taskId, hash, context, nowMs: clock.nowMs() });
  }

  async function bodyOf(request: BlobRequest): Promise<HeldBlob> {
    const { taskId: sessionId, hash } = request;
    const signer = await signerOf(request, "read");
    const bytes = await sessions.get({ sessionId, hash, signer });
    return { bytes: bytes.length, stream: async () => Readable.from([bytes], { objectMode: false }), read: async () => bytes };
  }

  async function readerOf(request: BlobRequest): Promise<{ signer: Address; facts: TaskFacts }> {
    const signer = await signerOf(request, "read");
    return { signer, facts: await tasks.find(request.taskId, postVisibleMs) };
  }

  async function requireParty(facts: TaskFacts, signer: Address): Promise<void> {
    const may = isAddressEqual(signer, facts.clientKey) || (await seatOf(facts, signer)).nodeId !== 0;
    if (!may) throw new NgpuError("AUTH_FORBIDDEN", { taskId: facts.taskId });
  }

  function leave(taskId: Hex): void {
    const left = (inputsArriving.get(taskId) ?? 1) - 1;
    if (left > 0) inputsArriving.set(taskId, left);
    else inputsArriving.delete(taskId);
  }

  async function labelOf(facts: TaskFacts, hash: Hex, signer: Address): Promise<BlobLabel> {
    if (hash === facts.inputCiphertext) {
      // Nobody executes a task that is over: old posts must not go on filling the store. What is here is present.
      const isOver = facts.ended !== undefined || (tasks.head()?.timestampS ?? 0) >= facts.terms.deadline;
      const isWanted = !isOver || store.has(facts.taskId, hash);
      if (isAddressEqual(signer, facts.clientKey) && isWanted) return { kind: "input" };
      throw new NgpuError("AUTH_FORBIDDEN", { part: "input" });
    }
    const { nodeId, fresh } = await seatOf(facts, signer);
    const { assigned, ended } = fresh;
    const wanted = ended === undefined || ended.settlement?.outputCiphertext === hash;
    if (nodeId === 0 || assigned === undefined || !wanted) throw new NgpuError("AUTH_FORBIDDEN", { part: "output" });
    return { kind: "output", nodeId, assignment: assigned.assignment };
  }

  /**
   * The node of the standing assignment whose operator this is now, 0 when none; it may know its assignment before we
   * do.
   */
  async function seatOf(facts: TaskFacts, signer: Address): Promise<{ nodeId: number; fresh: TaskFacts }> {
    const nodeId = await authority.nodeOfOperator(signer);
    if (nodeId === 0) return { nodeId, fresh: facts };
    const isKnown = assignedNodes(facts).includes(nodeId);
    const fresh = isKnown ? facts : ((await tasks.refresh(facts.taskId)) ?? facts);
    const isSeated =
      assignedNodes(fresh).includes(nodeId) && isAddressEqual(await authority.operatorOf(nodeId), signer);
    return { nodeId: isSeated ? nodeId : 0, fresh };
  }
}
