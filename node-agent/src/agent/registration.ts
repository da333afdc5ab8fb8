/**
 * The registration code: the operator's consent to serve an owner, as one word that the owner pastes into the dApp.
 * base64url of JSON { chainId, registry, owner, operator, classId, expiry, signature }.
 */
import { signMessage, type TypedDataSigner } from "@ngpu/protocol/signed";
import type { Address } from "viem";

export const consentValidS = 30 * 24 * 3_600;

export async function registrationCode(request: {
  chainId: number;
  registry: Address;
  owner: Address;
  classId: number;
  /** Chain time, because a contract checks the expiry. */
  nowS: number;
  signer: TypedDataSigner;
}): Promise<string> {
  const { chainId, registry, owner, classId, nowS, signer } = request;
  const expiry = nowS + consentValidS;
  const { signature } = await signMessage({
    kind: "operatorBinding",
    message: { owner, operator: signer.address, expiry: BigInt(expiry) },
    context: { chainId, verifyingContract: registry },
    signer,
  });
  const code = { chainId, registry, owner, operator: signer.address, classId, expiry, signature };
  return Buffer.from(JSON.stringify(code)).toString("base64url");
}
