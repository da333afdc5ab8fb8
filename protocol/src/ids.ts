/** Identifiers of docs/PROTOCOL.md §2 that both sides can compute before anything is on chain. */
import { concat, encodeAbiParameters, keccak256, stringToBytes, toHex, type Address, type Hex } from "viem";
import { canonicalJson } from "./canonicalJson.ts";

/** Id of the task that `payer` posts with `clientNonce`. */
export function taskIdOf(post: { chainId: number; escrow: Address; payer: Address; clientNonce: Hex }): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: "uint256" }, { type: "address" }, { type: "address" }, { type: "bytes32" }],
      [BigInt(post.chainId), post.escrow, post.payer, post.clientNonce],
    ),
  );
}

/** Id of a model: the hash of its manifest's canonical JSON. */
export function modelIdOf(manifest: object): Hex {
  return keccak256(stringToBytes(canonicalJson(manifest)));
}

/** Salted commitment to a body: keccak256(salt ‖ keccak256(body)). */
export function commitmentOf({ salt, body }: { salt: Uint8Array; body: Uint8Array }): Hex {
  return keccak256(concat([toHex(salt), keccak256(body)]));
}

/** The hash that a task stores in place of model and commitment: keccak256(abi.encode(modelId, inputCommitment)). */
export function contentHashOf({ modelId, inputCommitment }: { modelId: Hex; inputCommitment: Hex }): Hex {
  return keccak256(encodeAbiParameters([{ type: "bytes32" }, { type: "bytes32" }], [modelId, inputCommitment]));
}
