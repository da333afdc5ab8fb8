/** EIP-2612 permit that funds a post or a stake in the same transaction. */
import { parseSignature, type Address, type Hex } from "viem";

const permitTypes = {
  Permit: [
    { name: "owner", type: "address" },
    { name: "spender", type: "address" },
    { name: "value", type: "uint256" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
} as const;

/** Typed data for the owner's wallet to sign. `deadline` is chain time in seconds. */
export function permitTypedData(permit: {
  token: Address;
  tokenName: string;
  tokenVersion: string;
  chainId: number;
  owner: Address;
  spender: Address;
  value: bigint;
  nonce: bigint;
  deadline: bigint;
}) {
  const { token, tokenName, tokenVersion, chainId, owner, spender, value, nonce, deadline } = permit;
  return {
    domain: { name: tokenName, version: tokenVersion, chainId, verifyingContract: token },
    types: permitTypes,
    primaryType: "Permit",
    message: { owner, spender, value, nonce, deadline },
  } as const;
}

/** The contract's PermitParams from a 65-byte signature. */
export function permitParams(permit: { value: bigint; deadline: bigint; signature: Hex }): {
  value: bigint;
  deadline: bigint;
  v: number;
  r: Hex;
  s: Hex;
} {
  const { r, s, yParity } = parseSignature(permit.signature);
  return { value: permit.value, deadline: permit.deadline, v: 27 + yParity, r, s };
}

/** PermitParams that say: use balance and allowance only. */
export const noPermit = {
  value: 0n,
  deadline: 0n,
  v: 0,
  r: `0x${"00".repeat(32)}`,
  s: `0x${"00".repeat(32)}`,
} as const;
