// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Where a task stands.
/// @dev None → Posted → Assigned → Accepted → Settled, or from any open state → Refunded (expire, failure), or from
///      Posted → Cancelled. Within the payer's window Settled → Demanded → Delivered or Forfeited. Nothing moves back.
enum TaskStatus {
    None,
    Posted,
    Assigned,
    Accepted,
    Settled,
    Refunded,
    Cancelled,
    Demanded,
    Delivered,
    Forfeited
}

/// @notice Why a task ended without a bill.
enum RefundReason {
    Expired,
    Failed
}

/// @notice Outcome that a node signs in its receipt. Anything but Succeeded bills nothing.
enum ReceiptStatus {
    Succeeded,
    InputRefused,
    ModelFailed,
    RunnerCrashed,
    TimedOut
}

/// @notice All that the chain keeps of a task, in one storage slot. The words behind it are in events, and whoever
///         acts on a task brings them along; `digest` says whether they are the true ones.
/// @param status See TaskStatus.
/// @param assignment Counts assignments of this task, from 1; 0 before the first.
/// @param acceptedMask Bit i: the node in seat i accepted. While Demanded: how many keepers attested.
/// @param failedMask Bit i: the node in seat i signed a failure.
/// @param changedAt Chain time in seconds of the post, newest assignment, settlement or demand, whichever came last.
/// @param digest What binds the words, see TaskDigest: the terms while Posted or Cancelled; terms and standing
///        assignment while Assigned or Accepted and ever after if Refunded from there; terms and settlement from
///        Settled on.
struct TaskState {
    TaskStatus status;
    uint8 assignment;
    uint8 acceptedMask;
    uint8 failedMask;
    uint40 changedAt;
    bytes23 digest;
}

/// @notice What a post froze. All of it is in TaskPosted.
/// @param payer Who escrowed and who is refunded.
/// @param postedAt Chain time of the post, in seconds.
/// @param deadline Chain time in seconds after which the task may be expired (an accepted one after a grace).
/// @param backups Number of backups the payer asked for, 0 to Limits.MAX_BACKUPS.
/// @param workCums Declared work in CU·ms, from the manifest's formula; bounds the billable duration.
/// @param priceUsd6PerGcums Payment-token base units per 10⁹ CU·ms.
/// @param stakeWeiPerUsd6 Stake-token wei per payment-token base unit.
/// @param contentHash keccak256(abi.encode(modelId, inputCommitment)).
struct TaskTerms {
    address payer;
    uint40 postedAt;
    uint40 deadline;
    uint8 backups;
    uint64 workCums;
    uint64 priceUsd6PerGcums;
    uint64 stakeWeiPerUsd6;
    bytes32 contentHash;
}

/// @notice A node's place in an assignment, with its power frozen.
struct Seat {
    uint32 nodeId;
    uint32 powerCu;
}

/// @notice An assignment: who made it, and who serves: seat 0 executes first, the others take over in their order.
struct Assigned {
    address assigner;
    Seat[] seats;
}

/// @notice What a settlement fixed. All of it is in TaskSettled.
/// @param nodeId Whose receipt it was.
/// @param payout Who was credited; the amount matures after the payer's window.
/// @param amountUsd6 Of the bill, standby not included.
/// @param receiptHash EIP-712 struct hash of the receipt.
/// @param outputCiphertext keccak256 of the sealed output, which a payer may demand.
struct Settlement {
    uint32 nodeId;
    address payout;
    uint64 amountUsd6;
    bytes32 receiptHash;
    bytes32 outputCiphertext;
}

/// @notice What a payer posts.
/// @param clientNonce Random; makes the task id, which is known before posting.
/// @param modelId keccak256 of the model's canonical manifest.
/// @param inputCommitment keccak256(salt ‖ keccak256(input)), salted so that equal inputs do not look equal.
/// @param inputCiphertext keccak256 of the sealed input, its name in a gateway's store.
/// @param clientKey Key that signs for the payer towards gateways and nodes; holds no money.
/// @param workCums Declared work in CU·ms.
/// @param maxPriceUsd6PerGcums Highest price the payer agrees to; the frozen price is the oracle's.
/// @param deadline Chain time in seconds until which the result is useful.
/// @param backups 0 to Limits.MAX_BACKUPS; each adds its standby to what is escrowed.
struct PostParams {
    bytes32 clientNonce;
    bytes32 modelId;
    bytes32 inputCommitment;
    bytes32 inputCiphertext;
    address clientKey;
    uint64 workCums;
    uint64 maxPriceUsd6PerGcums;
    uint40 deadline;
    uint8 backups;
}

/// @notice EIP-2612 permit for the PaymentVault. `deadline == 0` means: use balance and allowance only.
struct PermitParams {
    uint256 value;
    uint256 deadline;
    uint8 v;
    bytes32 r;
    bytes32 s;
}

/// @notice A node's signed statement of what it executed. Field by field in docs/PROTOCOL.md.
/// @dev Conflict key: (taskId, assignment, attempt).
struct Receipt {
    bytes32 taskId;
    uint16 assignment;
    uint8 attempt;
    uint32 nodeId;
    bytes32 modelId;
    bytes32 inputCommitment;
    bytes32 outputCommitment;
    bytes32 outputCiphertext;
    uint8 slot;
    uint32 powerCu;
    uint64 startMs;
    uint32 durationMs;
    uint8 status;
}

/// @notice A node's signed statement that it holds, decrypted and hash-checked the input.
struct Accept {
    bytes32 taskId;
    uint16 assignment;
    uint32 nodeId;
    bytes32 inputCommitment;
    uint64 timeMs;
}
