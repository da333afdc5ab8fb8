/** What the processes of one network have to know of the task that they meet for. */
import type { SigningContext } from "@ngpu/protocol/signed";
import type { Hex } from "viem";

export interface NatTask {
  gatewayUrl: string;
  context: SigningContext;
  nodeId: number;
  operatorKey: Hex;
  clientKey: Hex;
  taskId: Hex;
  inputCiphertext: Hex;
}

/** A megabyte whose hash is the task's `inputCiphertext`. */
export function natInput(): Uint8Array {
  return new Uint8Array(1_000_000).map((_, at) => (at * 31) & 0xff);
}
