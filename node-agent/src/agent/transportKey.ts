/**
 * The node's X25519 key: its secret stays in one file of the data folder, its public part goes out in a binding that
 * the operator signed.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { transportPublicKey } from "@ngpu/protocol/sealed/wrap";
import { signMessage, type Signed, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import { bytesToHex, hexToBytes, isHex, toHex } from "viem";
import { writeDurably } from "./durableFile.ts";

export const bindingValidS = 24 * 3_600;

/**
 * Reads the secret, or makes one. Throws SETTING_INVALID when the file holds something else: a lost key must not go
 * unnoticed.
 */
export function loadTransportSecret(options: { dataDir: string; random: (length: number) => Uint8Array }): Uint8Array {
  const { dataDir, random } = options;
  const path = join(dataDir, "transport.key");
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    text = bytesToHex(random(32));
    writeDurably(path, `${text}\n`);
  }
  if (!isHex(text) || text.length !== 66)
    throw new NgpuError("SETTING_INVALID", { setting: path, reason: "is not a 32-byte key in hex" });
  return hexToBytes(text);
}

export function signBinding(request: {
  nodeId: number;
  secret: Uint8Array;
  nowMs: number;
  context: SigningContext;
  signer: TypedDataSigner;
}): Promise<Signed<"transportBinding">> {
  const { nodeId, secret, nowMs, context, signer } = request;
  // Dated back by the skew that logins are allowed, or a node whose clock is ahead would be connected and never listed.
  const notBefore = BigInt(Math.floor(nowMs / 1_000) - gatewayLimits.clockSkewS);
  const message = {
    nodeId,
    publicKey: toHex(transportPublicKey(secret)),
    notBefore,
    expiry: notBefore + BigInt(bindingValidS),
  };
  return signMessage({ kind: "transportBinding", message, context, signer });
}
