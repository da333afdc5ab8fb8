// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// The signed messages; their fields are those of docs/PROTOCOL.md §3, in signing order.
// Receipt and Accept are in TaskTypes.sol.

/// @notice Cumulative amount that a payer owes to one lane of a session.
struct Voucher {
    bytes32 sessionId;
    uint32 nodeId;
    uint64 seq;
    uint128 cumulativeUsd6;
    bytes32 prevHead;
    bytes32 billsHash;
    bytes32 receiptsRoot;
}

/// @notice A node is alive and has so many free slots.
struct Heartbeat {
    uint32 nodeId;
    uint64 seq;
    uint64 timeMs;
    uint16 freeSlots;
    uint16 queued;
}

/// @notice How far an attempt has come.
struct Progress {
    bytes32 taskId;
    uint16 assignment;
    uint8 attempt;
    uint32 nodeId;
    uint32 seq;
    uint16 permille;
    uint64 timeMs;
}

/// @notice Answer to a liveness challenge.
struct LivenessReply {
    bytes32 challengeId;
    uint32 nodeId;
    bytes32 blockHash;
}

/// @notice A node had no free slot for a task.
struct BusyCertificate {
    bytes32 taskId;
    uint32 nodeId;
    uint16 slots;
    uint64 timeMs;
    uint64 expiry;
}

/// @notice Opens one connection to one gateway.
struct Login {
    uint8 role;
    bytes32 subject;
    bytes32 nonce;
    bytes32 audience;
    uint64 expiry;
}

/// @notice Binds an X25519 key to a node.
struct TransportBinding {
    uint32 nodeId;
    bytes32 publicKey;
    uint64 notBefore;
    uint64 expiry;
}

/// @notice What a keeper measured of a node.
struct ScoreTranscript {
    uint32 nodeId;
    uint64 epoch;
    bytes32 seed;
    uint32 scoreCu;
    bytes32 transcriptHash;
}

/// @notice Right to read or write one sealed blob.
struct BlobAccess {
    uint8 action;
    bytes32 taskId;
    bytes32 blobHash;
    uint64 expiry;
}

/// @notice A task key wrapped for one node.
struct KeyWrap {
    bytes32 taskId;
    uint16 assignment;
    uint32 nodeId;
    bytes32 ephemeralPublicKey;
    bytes wrappedKey;
}

/// @notice An operator key agrees to serve an owner.
struct OperatorBinding {
    address owner;
    address operator;
    uint64 expiry;
}

/// @notice A keeper got no sign of life from a node that was drawn for a task.
struct Suspicion {
    bytes32 taskId;
    uint32 nodeId;
    uint64 timeMs;
    uint64 expiry;
}

/// @notice An operator's ends of transport connections hold this X25519 key.
struct TransportKey {
    address operator;
    bytes32 transportKey;
    uint64 validUntil;
}
