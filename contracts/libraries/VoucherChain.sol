// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignedMessages} from "./SignedMessages.sol";

/// @title How a session's vouchers hang together: ids, heads and the voucher's struct hash.
/// @notice A lane's head commits to every record and every receipts' root settled so far, so no bill can be split
///      otherwise afterwards. Mirror of protocol/src/session/voucherChain.ts.
library VoucherChain {
    /// @notice Known before the session is opened.
    function sessionIdOf(address settlement, address payer, bytes32 clientNonce, bytes32 modelId)
        internal
        view
        returns (bytes32)
    {
        return keccak256(abi.encode(block.chainid, settlement, payer, clientNonce, modelId));
    }

    /// @notice Head of a lane without any voucher.
    function firstHead(bytes32 sessionId, uint32 nodeId) internal pure returns (bytes32) {
        return keccak256(abi.encode(sessionId, nodeId));
    }

    /// @notice Head after a voucher.
    function nextHead(bytes32 prevHead, bytes32 billsHash, bytes32 receiptsRoot) internal pure returns (bytes32) {
        return keccak256(abi.encode(prevHead, billsHash, receiptsRoot));
    }

    /// @notice Id of the task behind record number `seq` of a lane, from 1.
    function taskIdOf(bytes32 sessionId, uint32 nodeId, uint64 seq) internal pure returns (bytes32) {
        return keccak256(abi.encode(sessionId, nodeId, seq));
    }

    /// @notice EIP-712 struct hash of a Voucher whose fields are not in one place.
    function voucherHash(
        bytes32 sessionId,
        uint32 nodeId,
        uint64 seq,
        uint128 cumulativeUsd6,
        bytes32 prevHead,
        bytes32 billsHash,
        bytes32 receiptsRoot
    ) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(
                SignedMessages.VOUCHER_TYPEHASH,
                sessionId,
                nodeId,
                seq,
                cumulativeUsd6,
                prevHead,
                billsHash,
                receiptsRoot
            )
        );
    }
}
