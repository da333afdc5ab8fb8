/**
 * What the payer's client must keep until a task is over, to open its result: JSON-serialisable, so a reload or a crash loses nothing.
 * Whoever holds it can read the task's data; it holds no money.
 */
import type { Hex } from "viem";

export interface TaskSecrets {
  taskId: Hex;
  modelId: Hex;
  /** 32 bytes; seals input and output. */
  taskKey: Hex;
  /** Signs towards gateways and nodes for this task alone. */
  clientPrivateKey: Hex;
  inputCiphertext: Hex;
}
