/** Two ends of a handshake with operators' keys, for tests. */
import { bytesToHex, type Address } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { HandshakeOptions } from "@ngpu/protocol/harq/security/handshake";
import { createNoblePrimitives } from "@ngpu/protocol/harq/security/noblePrimitives";
import type { KeyPair, NoisePrimitives } from "@ngpu/protocol/harq/security/noisePrimitives";
import { signMessage, type Signed, type TypedDataSigner } from "@ngpu/protocol/signed";
import { nodePrimitives } from "@ngpu/protocol/service/harq/nodePrimitives";

export const nowS = 1_800_000_000;
export const context = { chainId: 31_337, verifyingContract: "0x00000000000000000000000000000000000000e5" as Address };

export function anOperator(): TypedDataSigner {
  return privateKeyToAccount(generatePrivateKey());
}

/** What an operator signs for a transport key; `spoken` is what it says instead. */
export async function vouch(
  signer: TypedDataSigner,
  { publicKey }: KeyPair,
  spoken: Partial<Signed<"transportKey">["message"]> = {},
  domain = context,
): Promise<Signed<"transportKey">> {
  const honest = { operator: signer.address, transportKey: bytesToHex(publicKey), validUntil: BigInt(nowS + 3_600) };
  return signMessage({ kind: "transportKey", message: { ...honest, ...spoken }, context: domain, signer });
}

export function anEnd(connectionId: bigint, primitives: NoisePrimitives = nodePrimitives): HandshakeOptions {
  return {
    primitives,
    staticKey: primitives.generate(),
    context,
    connectionId,
    capabilities: { codec: 0, largestSymbolBytes: 1_344, largestDatagramBytes: 1_392, creditBytes: 64 * 2 ** 20 },
    nowS,
  };
}

export const browserPrimitives = createNoblePrimitives();
