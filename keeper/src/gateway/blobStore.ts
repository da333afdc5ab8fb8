/**
 * Content-addressed ciphertext on disk. A blob is streamed to a temporary file, hashed on the way, fsynced and renamed,
 * so a file under its hash is always whole. File names carry everything the index needs, so a restart only has to list
 * them:
 *   ROOT/incoming/RANDOM                                a transfer that has not ended; deleted at start
 *   ROOT/tasks/TASKID/expires-SECONDS                   chain time after which the task's blobs go
 *   ROOT/tasks/TASKID/HASH.input
 *   ROOT/tasks/TASKID/HASH.ASSIGNMENT.NODEID.output
 */
import { createKeccakStream } from "@ngpu/protocol/service/keccak";
import { NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Hex } from "viem";

export type BlobLabel = { kind: "input" } | { kind: "output"; nodeId: number; assignment: number };

export interface HeldBlob {
  bytes: number;
  /** Open already; rejects when it cannot be read. */
  stream: () => Promise<Readable>;
  /** All of it, in memory. */
  read: () => Promise<Uint8Array>;
}

export interface BlobStore {
  /** Throws BLOB_MISMATCH, BLOB_TOO_LARGE, BLOB_LIMIT or STORE_FULL; nothing of a refused blob is kept. */
  put(blob: {
    taskId: Hex;
    hash: Hex;
    label: BlobLabel;
    deadlineS: number;
    body: AsyncIterable<Uint8Array>;
  }): Promise<"stored" | "present">;
  has(taskId: Hex, hash: Hex): boolean;
  /** Throws BLOB_UNKNOWN. */
  get(taskId: Hex, hash: Hex): HeldBlob;
  /** Keeps the task's blobs until that chain time at least; for a task that has none here, nothing. */
  keepUntil(taskId: Hex, chainTimeS: number): Promise<void>;
  /** Deletes what expired before this chain time. */
  sweep(chainTimeS: number): Promise<void>;
  usedBytes(): number;
}

interface StoredBlob {
  path: string;
  bytes: number;
  label: BlobLabel;
}

interface TaskFolder {
  expiresS: number;
  blobs: Map<Hex, StoredBlob>;
  /** Transfers that have not ended, by node (0: the payer's client); they count against the limit. */
  arriving: number[];
}

const outputName = /^(0x[0-9a-f]{64})\.([0-9]{1,5})\.([0-9]{1,10})\.output$/;
const inputName = /^(0x[0-9a-f]{64})\.input$/;
const expiryName = /^expires-([0-9]{1,12})$/;

export async function createBlobStore(options: {
  root: string;
  storeBytes?: number;
  maxBlobBytes?: number;
  randomName: () => string;
}): Promise<BlobStore> {
  const {
    root,
    storeBytes = gatewayLimits.storeBytes,
    maxBlobBytes = gatewayLimits.maxBlobBytes,
    randomName,
  } = options;
  const incoming = join(root, "incoming");
  const tasksRoot = join(root, "tasks");
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true });
  await mkdir(tasksRoot, { recursive: true });
  const folders = await readFolders(tasksRoot);
  let usedBytes = 0;
  for (const folder of folders.values()) for (const blob of folder.blobs.values()) usedBytes += blob.bytes;

  const put: BlobStore["put"] = async (blob) => {
    const { taskId, hash, label, deadlineS, body } = blob;
    const folder = await folderOf(taskId, deadlineS);
    if (folder.blobs.has(hash)) return "present";
    if (label.kind === "output") await makeRoomForOutput(folder, label);
    const temporary = join(incoming, randomName());
    const sender = label.kind === "output" ? label.nodeId : 0;
    folder.arriving.push(sender);
    let received = 0;
    try {
      received = await receive({ temporary, body, hash });
      const path = join(tasksRoot, taskId, fileName(hash, label));
      await rename(temporary, path);
      await syncFolder(join(tasksRoot, taskId));
      if (folder.blobs.has(hash)) usedBytes -= received;
      else folder.blobs.set(hash, { path, bytes: received, label });
      return "stored";
    } catch (error) {
      usedBytes -= received;
      await rm(temporary, { force: true });
      throw asStoreError(error);
    } finally {
      folder.arriving.splice(folder.arriving.indexOf(sender), 1);
    }
  };

  async function folderOf(taskId: Hex, deadlineS: number): Promise<TaskFolder> {
    const known = folders.get(taskId);
    if (known !== undefined) return known;
    const folder: TaskFolder = {
      expiresS: deadlineS + gatewayLimits.keepAfterDeadlineS,
      blobs: new Map(),
      arriving: [],
    };
    folders.set(taskId, folder);
    try {
      await mkdir(join(tasksRoot, taskId), { recursive: true });
      await writeFile(join(tasksRoot, taskId, `expires-${folder.expiresS}`), "");
    } catch (error) {
      folders.delete(taskId);
      throw asStoreError(error);
    }
    return folder;
  }

  /**
   * Each node has places of its own for the task's outputs, so no node can use up the others'; older assignments give
   * way.
   */
  async function makeRoomForOutput(folder: TaskFolder, label: { nodeId: number; assignment: number }): Promise<void> {
    const outputs = [...folder.blobs].filter(([, stored]) => stored.label.kind === "output");
    for (const [hash, stored] of outputs) {
      if (stored.label.kind !== "output" || stored.label.assignment >= label.assignment) continue;
      folder.blobs.delete(hash);
      usedBytes -= stored.bytes;
      await rm(stored.path, { force: true });
    }
    const mine = outputs.filter(
      ([, { label: of }]) => of.kind === "output" && of.assignment === label.assignment && of.nodeId === label.nodeId,
    );
    const arriving = folder.arriving.filter((nodeId) => nodeId === label.nodeId);
    if (mine.length + arriving.length >= gatewayLimits.maxOutputsPerNode) throw new NgpuError("BLOB_LIMIT");
  }

  /** Streams into the temporary file; what was counted as used is given back when it fails. */
  async function receive(transfer: { temporary: string; body: AsyncIterable<Uint8Array>; hash: Hex }): Promise<number> {
    const keccak = createKeccakStream();
    let received = 0;
    try {
      const file = await open(transfer.temporary, "wx", 0o600);
      try {
        for await (const chunk of transfer.body) {
          if (received + chunk.length > maxBlobBytes) throw new NgpuError("BLOB_TOO_LARGE");
          if (usedBytes + chunk.length > storeBytes) throw new NgpuError("STORE_FULL");
          received += chunk.length;
          usedBytes += chunk.length;
          keccak.update(chunk);
          await file.writeFile(chunk);
        }
        const found = keccak.digest();
        if (found !== transfer.hash) throw new NgpuError("BLOB_MISMATCH", { expected: transfer.hash, found });
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      usedBytes -= received;
      throw error;
    }
    return received;
  }

  return {
    put,
    has: (taskId, hash) => folders.get(taskId)?.blobs.has(hash) === true,
    get(taskId, hash) {
      const blob = folders.get(taskId)?.blobs.get(hash);
      if (blob === undefined) throw new NgpuError("BLOB_UNKNOWN", { taskId, hash });
      return { bytes: blob.bytes, stream: () => openStream(blob.path), read: () => readFile(blob.path) };
    },
    async keepUntil(taskId, chainTimeS) {
      const folder = folders.get(taskId);
      if (folder === undefined || folder.expiresS >= chainTimeS) return;
      const former = join(tasksRoot, taskId, `expires-${folder.expiresS}`);
      folder.expiresS = chainTimeS;
      await rename(former, join(tasksRoot, taskId, `expires-${chainTimeS}`));
    },
    async sweep(chainTimeS) {
      for (const [taskId, folder] of folders) {
        if (chainTimeS < folder.expiresS || folder.arriving.length > 0) continue;
        folders.delete(taskId);
        for (const blob of folder.blobs.values()) usedBytes -= blob.bytes;
        await rm(join(tasksRoot, taskId), { recursive: true, force: true });
      }
    },
    usedBytes: () => usedBytes,
  };
}

async function openStream(path: string): Promise<Readable> {
  const stream = createReadStream(path);
  await new Promise((resolve, reject) => stream.once("open", resolve).once("error", reject));
  return stream;
}

async function readFolders(tasksRoot: string): Promise<Map<Hex, TaskFolder>> {
  const folders = new Map<Hex, TaskFolder>();
  for (const name of await readdir(tasksRoot)) {
    const path = join(tasksRoot, name);
    const files = await readdir(path);
    const expiry = files.map((file) => expiryName.exec(file)).find((match) => match !== null);
    if (expiry?.[1] === undefined) {
      // The process ended between making the folder and naming its expiry, so it holds no blob.
      await rm(path, { recursive: true, force: true });
      continue;
    }
    const folder: TaskFolder = { expiresS: Number(expiry[1]), blobs: new Map(), arriving: [] };
    for (const file of files) {
      const parsed = parseName(file);
      if (parsed === undefined) continue;
      const { size } = await stat(join(path, file));
      folder.blobs.set(parsed.hash, { path: join(path, file), bytes: size, label: parsed.label });
    }
    folders.set(name as Hex, folder);
  }
  return folders;
}

function fileName(hash: Hex, label: BlobLabel): string {
  return label.kind === "input" ? `${hash}.input` : `${hash}.${label.assignment}.${label.nodeId}.output`;
}

function parseName(file: string): { hash: Hex; label: BlobLabel } | undefined {
  const input = inputName.exec(file);
  if (input !== null) return { hash: input[1] as Hex, label: { kind: "input" } };
  const output = outputName.exec(file);
  if (output === null) return undefined;
  return {
    hash: output[1] as Hex,
    label: { kind: "output", assignment: Number(output[2]), nodeId: Number(output[3]) },
  };
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function asStoreError(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT" ? new NgpuError("STORE_FULL", {}, { cause: error }) : error;
}
