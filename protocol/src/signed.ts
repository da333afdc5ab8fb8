/**
 * Sign and verify the messages of docs/PROTOCOL.md §3. A `Signed<K>` is what travels: the message and its 65-byte signature.
 * `recoverSigner` proves who signed; whether that key may say so is the caller's question to the chain.
 */
import { hashTypedData, recoverTypedDataAddress, type Address, type Hex, type TypedDataDefinition } from "viem";
import { typedData, type MessageKind, type MessageOf } from "./typedData.ts";

export interface SigningContext {
  chainId: number;
  /** TaskEscrow; NodeRegistry for an operatorBinding. */
  verifyingContract: Address;
}

export interface Signed<K extends MessageKind> {
  message: MessageOf[K];
  signature: Hex;
}

/** A key that can sign typed data: a viem local account, or a wallet behind the same shape. */
export interface TypedDataSigner {
  address: Address;
  signTypedData(definition: TypedDataDefinition): Promise<Hex>;
}

export function definitionOf<K extends MessageKind>(
  kind: K,
  message: MessageOf[K],
  context: SigningContext,
): TypedDataDefinition {
  const { primaryType, types } = typedData[kind];
  const domain = { name: "NGPU", version: "1", ...context };
  return { domain, primaryType, types, message } as unknown as TypedDataDefinition;
}

export async function signMessage<K extends MessageKind>(request: {
  kind: K;
  message: MessageOf[K];
  context: SigningContext;
  signer: TypedDataSigner;
}): Promise<Signed<K>> {
  const signature = await request.signer.signTypedData(definitionOf(request.kind, request.message, request.context));
  return { message: request.message, signature };
}

/**
 * Address that signed; undefined when the signature is malformed. As strict as the contracts: what they would refuse
 * (a high s, a last byte other than 27 or 28) must not be believed here, or it is believed and can never be settled.
 */
export async function recoverSigner<K extends MessageKind>(request: {
  kind: K;
  signed: Signed<K>;
  context: SigningContext;
}): Promise<Address | undefined> {
  const { signature, message } = request.signed;
  if (!isCanonical(signature)) return undefined;
  try {
    return await recoverTypedDataAddress({ ...definitionOf(request.kind, message, request.context), signature });
  } catch {
    return undefined;
  }
}

/** Half the order of secp256k1: of the two signatures that say the same, only the one with the lower s counts. */
const highestS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

function isCanonical(signature: Hex): boolean {
  if (!/^0x[0-9a-fA-F]{128}1[bBcC]$/.test(signature)) return false;
  return BigInt(`0x${signature.slice(66, 130)}`) <= highestS;
}

export function hashMessage<K extends MessageKind>(kind: K, message: MessageOf[K], context: SigningContext): Hex {
  return hashTypedData(definitionOf(kind, message, context));
}
