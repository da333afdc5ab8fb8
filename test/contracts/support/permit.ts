/** EIP-2612 permits of both tokens, signed by a key of ours. */
import { parseAbi, parseSignature, type Address, type Hex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { CHAIN_ID, type World } from "./world.ts";

export interface Permit {
  value: bigint;
  deadline: bigint;
  v: number;
  r: Hex;
  s: Hex;
}

const ZERO: Hex = `0x${"00".repeat(32)}`;

/** "Use balance and allowance only." */
export const noPermit: Permit = { value: 0n, deadline: 0n, v: 0, r: ZERO, s: ZERO };

const abi = parseAbi([
  "function name() view returns (string)",
  "function nonces(address owner) view returns (uint256)",
]);

const types = {
  Permit: [
    { name: "owner", type: "address" },
    { name: "spender", type: "address" },
    { name: "value", type: "uint256" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
} as const;

export async function signPermit(
  world: World,
  request: { owner: PrivateKeyAccount; token: { address: Address }; spender: Address; value: bigint },
): Promise<Permit> {
  const { owner, token, spender, value } = request;
  const read = { abi, address: token.address };
  const name = await world.publicClient.readContract({ ...read, functionName: "name" });
  const nonce = await world.publicClient.readContract({ ...read, functionName: "nonces", args: [owner.address] });
  const deadline = BigInt((await world.now()) + 3_600);
  const signature = await owner.signTypedData({
    domain: { name, version: "1", chainId: CHAIN_ID, verifyingContract: token.address },
    types,
    primaryType: "Permit",
    message: { owner: owner.address, spender, value, nonce, deadline },
  });
  const { r, s, yParity } = parseSignature(signature);
  return { value, deadline, v: 27 + yParity, r, s };
}
