// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {
    BlobAccess,
    BusyCertificate,
    Heartbeat,
    KeyWrap,
    LivenessReply,
    Login,
    OperatorBinding,
    Progress,
    ScoreTranscript,
    Suspicion,
    TransportBinding,
    TransportKey,
    Voucher
} from "../types/MessageTypes.sol";
import {Accept, Receipt} from "../types/TaskTypes.sol";

/// @title EIP-712 type hash and struct hash of every signed message of docs/PROTOCOL.md §3.
/// @notice Mirror of protocol/src/typedData.ts; a fuzz test holds the two equal.
/// @dev A struct of fixed-size fields is ABI-encoded in place, one word a field in order of declaration, which is
///      exactly EIP-712's encodeData. So the order of fields in types/*.sol is the order of signing.
library SignedMessages {
    bytes32 internal constant RECEIPT_TYPEHASH = keccak256(
        "Receipt(bytes32 taskId,uint16 assignment,uint8 attempt,uint32 nodeId,bytes32 modelId,"
        "bytes32 inputCommitment,bytes32 outputCommitment,bytes32 outputCiphertext,uint8 slot,uint32 powerCu,"
        "uint64 startMs,uint32 durationMs,uint8 status)"
    );
    bytes32 internal constant ACCEPT_TYPEHASH =
        keccak256("Accept(bytes32 taskId,uint16 assignment,uint32 nodeId,bytes32 inputCommitment,uint64 timeMs)");
    bytes32 internal constant VOUCHER_TYPEHASH = keccak256(
        "Voucher(bytes32 sessionId,uint32 nodeId,uint64 seq,uint128 cumulativeUsd6,bytes32 prevHead,"
        "bytes32 billsHash,bytes32 receiptsRoot)"
    );
    bytes32 internal constant HEARTBEAT_TYPEHASH =
        keccak256("Heartbeat(uint32 nodeId,uint64 seq,uint64 timeMs,uint16 freeSlots,uint16 queued)");
    bytes32 internal constant PROGRESS_TYPEHASH = keccak256(
        "Progress(bytes32 taskId,uint16 assignment,uint8 attempt,uint32 nodeId,uint32 seq,uint16 permille,"
        "uint64 timeMs)"
    );
    bytes32 internal constant LIVENESS_REPLY_TYPEHASH =
        keccak256("LivenessReply(bytes32 challengeId,uint32 nodeId,bytes32 blockHash)");
    bytes32 internal constant BUSY_CERTIFICATE_TYPEHASH =
        keccak256("BusyCertificate(bytes32 taskId,uint32 nodeId,uint16 slots,uint64 timeMs,uint64 expiry)");
    bytes32 internal constant LOGIN_TYPEHASH =
        keccak256("Login(uint8 role,bytes32 subject,bytes32 nonce,bytes32 audience,uint64 expiry)");
    bytes32 internal constant TRANSPORT_BINDING_TYPEHASH =
        keccak256("TransportBinding(uint32 nodeId,bytes32 publicKey,uint64 notBefore,uint64 expiry)");
    bytes32 internal constant SCORE_TRANSCRIPT_TYPEHASH =
        keccak256("ScoreTranscript(uint32 nodeId,uint64 epoch,bytes32 seed,uint32 scoreCu,bytes32 transcriptHash)");
    bytes32 internal constant BLOB_ACCESS_TYPEHASH =
        keccak256("BlobAccess(uint8 action,bytes32 taskId,bytes32 blobHash,uint64 expiry)");
    bytes32 internal constant KEY_WRAP_TYPEHASH = keccak256(
        "KeyWrap(bytes32 taskId,uint16 assignment,uint32 nodeId,bytes32 ephemeralPublicKey,bytes wrappedKey)"
    );
    bytes32 internal constant OPERATOR_BINDING_TYPEHASH =
        keccak256("OperatorBinding(address owner,address operator,uint64 expiry)");
    bytes32 internal constant SUSPICION_TYPEHASH =
        keccak256("Suspicion(bytes32 taskId,uint32 nodeId,uint64 timeMs,uint64 expiry)");
    bytes32 internal constant TRANSPORT_KEY_TYPEHASH =
        keccak256("TransportKey(address operator,bytes32 transportKey,uint64 validUntil)");

    /// @dev As `keccak256(abi.encode(RECEIPT_TYPEHASH, message))`, for the price of copying thirteen words: a word with
    ///      dirty high bits hashes to what nobody signs by EIP-712.
    function hash(Receipt calldata message) internal pure returns (bytes32 structHash) {
        bytes32 typeHash = RECEIPT_TYPEHASH;
        assembly ("memory-safe") {
            let start := mload(0x40)
            mstore(start, typeHash)
            calldatacopy(add(start, 0x20), message, 0x1a0)
            structHash := keccak256(start, 0x1c0)
        }
    }

    function hash(Accept calldata message) internal pure returns (bytes32) {
        return keccak256(abi.encode(ACCEPT_TYPEHASH, message));
    }

    function hash(Voucher calldata message) internal pure returns (bytes32) {
        return keccak256(abi.encode(VOUCHER_TYPEHASH, message));
    }

    function hash(Heartbeat calldata message) internal pure returns (bytes32) {
        return keccak256(abi.encode(HEARTBEAT_TYPEHASH, message));
    }

    function hash(Progress calldata message) internal pure returns (bytes32) {
        return keccak256(abi.encode(PROGRESS_TYPEHASH, message));
    }

    function hash(LivenessReply calldata message) internal pure returns (bytes32) {
        return keccak256(abi.encode(LIVENESS_REPLY_TYPEHASH, message));
    }

    function hash(BusyCertificate memory message) internal pure returns (bytes32) {
        return keccak256(abi.encode(BUSY_CERTIFICATE_TYPEHASH, message));
    }

    function hash(Login calldata message) internal pure returns (bytes32) {
        return keccak256(abi.encode(LOGIN_TYPEHASH, message));
    }

    function hash(TransportBinding calldata message) internal pure returns (bytes32) {
        return keccak256(abi.encode(TRANSPORT_BINDING_TYPEHASH, message));
    }

    function hash(ScoreTranscript calldata message) internal pure returns (bytes32) {
        return keccak256(abi.encode(SCORE_TRANSCRIPT_TYPEHASH, message));
    }

    function hash(BlobAccess calldata message) internal pure returns (bytes32) {
        return keccak256(abi.encode(BLOB_ACCESS_TYPEHASH, message));
    }

    /// @dev The wrapped key is of any length, so it is hashed first, as EIP-712 encodes `bytes`.
    function hash(KeyWrap calldata message) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(
                KEY_WRAP_TYPEHASH,
                message.taskId,
                message.assignment,
                message.nodeId,
                message.ephemeralPublicKey,
                keccak256(message.wrappedKey)
            )
        );
    }

    function hash(OperatorBinding memory message) internal pure returns (bytes32) {
        return keccak256(abi.encode(OPERATOR_BINDING_TYPEHASH, message));
    }

    function hash(Suspicion memory message) internal pure returns (bytes32) {
        return keccak256(abi.encode(SUSPICION_TYPEHASH, message));
    }

    function hash(TransportKey calldata message) internal pure returns (bytes32) {
        return keccak256(abi.encode(TRANSPORT_KEY_TYPEHASH, message));
    }
}
