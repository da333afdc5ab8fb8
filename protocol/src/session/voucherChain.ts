/** How a session's vouchers hang together, equal to contracts/libraries/VoucherChain.sol: ids and heads. */
import { encodeAbiParameters, keccak256, type Address, type Hex } from "viem";

const uint256 = { type: "uint256" } as const;
const address = { type: "address" } as const;
const bytes32 = { type: "bytes32" } as const;
const uint32 = { type: "uint32" } as const;
const uint64 = { type: "uint64" } as const;

/** Known before the session is opened. */
export function sessionIdOf(session: {
  chainId: number;
  settlement: Address;
  payer: Address;
  clientNonce: Hex;
  modelId: Hex;
}): Hex {
  const { chainId, settlement, payer, clientNonce, modelId } = session;
  return keccak256(
    encodeAbiParameters(
      [uint256, address, address, bytes32, bytes32],
      [BigInt(chainId), settlement, payer, clientNonce, modelId],
    ),
  );
}

/** Head of a lane without any voucher. */
export function firstHeadOf(lane: { sessionId: Hex; nodeId: number }): Hex {
  return keccak256(encodeAbiParameters([bytes32, uint32], [lane.sessionId, lane.nodeId]));
}

/** Hash of a voucher's packed bills, as the voucher names it. */
export function billsHashOf(bills: Hex): Hex {
  return keccak256(bills);
}

/** Head of a lane after a voucher. */
export function nextHeadOf(voucher: { prevHead: Hex; billsHash: Hex; receiptsRoot: Hex }): Hex {
  const { prevHead, billsHash, receiptsRoot } = voucher;
  return keccak256(encodeAbiParameters([bytes32, bytes32, bytes32], [prevHead, billsHash, receiptsRoot]));
}

/** Id of the task behind record number `seq` of a lane, from 1. */
export function sessionTaskIdOf(record: { sessionId: Hex; nodeId: number; seq: bigint }): Hex {
  const { sessionId, nodeId, seq } = record;
  return keccak256(encodeAbiParameters([bytes32, uint32, uint64], [sessionId, nodeId, seq]));
}
