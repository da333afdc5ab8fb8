/**
 * What this device keeps of the tasks it posted: the keys that open their results, the sealed input until it is stored
 * elsewhere, the pictures to draw results on. In IndexedDB, so that a reload, a crash or a lost connection loses
 * nothing. Nothing of it is ever sent but what the client library sends sealed. Facts change often and are small, so
 * they lie in a store of their own.
 */
import type { TaskSecrets } from "@ngpu/client/taskSecrets";
import type { Part } from "@ngpu/protocol/sealed/payload";
import type { Dimensions } from "@ngpu/protocol/work";
import type { Address, Hex } from "viem";
import type { TaskFacts } from "./taskFacts.ts";

export interface LocalTask {
  taskId: Hex;
  chainId: number;
  payer: Address;
  modelId: Hex;
  secrets: TaskSecrets;
  /** Empty once the result is here. */
  sealedInput: Uint8Array;
  parts: Part[];
  dimensions: Dimensions;
  maxAmountUsd6: bigint;
  createdAtMs: number;
}

const database = { name: "ngpu", version: 1 };
type StoreName = "tasks" | "facts";

export async function readLocalTask(taskId: Hex): Promise<LocalTask | undefined> {
  return inStore<LocalTask | undefined>("tasks", "readonly", (tasks) => tasks.get(taskId));
}

export async function saveLocalTask(task: LocalTask): Promise<void> {
  await inStore("tasks", "readwrite", (tasks) => tasks.put(task, task.taskId));
}

export async function deleteLocalTask(taskId: Hex): Promise<void> {
  await inStore("tasks", "readwrite", (tasks) => tasks.delete(taskId));
}

export async function readTaskFacts(taskId: Hex): Promise<TaskFacts | undefined> {
  return inStore<TaskFacts | undefined>("facts", "readonly", (facts) => facts.get(taskId));
}

export async function saveTaskFacts(taskId: Hex, facts: TaskFacts): Promise<void> {
  await inStore("facts", "readwrite", (store) => store.put(facts, taskId));
}

async function inStore<T>(
  name: StoreName,
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest,
): Promise<T> {
  const db = await openDatabase();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction(name, mode);
      const request = act(transaction.objectStore(name));
      transaction.oncomplete = () => resolve(request.result as T);
      transaction.onerror = () => reject(transaction.error ?? new Error("IndexedDB failed"));
      transaction.onabort = () => reject(transaction.error ?? new Error("IndexedDB gave up"));
    });
  } finally {
    db.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(database.name, database.version);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("tasks" satisfies StoreName);
      request.result.createObjectStore("facts" satisfies StoreName);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("IndexedDB failed"));
  });
}
