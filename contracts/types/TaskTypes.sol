// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Where a task stands. A task only moves down this list; the last three are terminal.
/// @dev None → Posted → Assigned → Accepted → Settled, or from any open state → Refunded (expire, failure),
///      or from Posted → Cancelled.
enum TaskStatus {
    None,
    Posted,
    Assigned,
    Accepted,
    Settled,
    Refunded,
    Cancelled
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

/// @notice One task of the direct rail, in four storage slots.
/// @param payer Who escrowed and who is refunded.
/// @param postedAt Chain time of the post, in seconds.
/// @param deadline Chain time in seconds after which the task may be expired (an accepted one after a grace).
/// @param status See TaskStatus.
/// @param backups Number of backups the payer asked for (0 or 1).
/// @param priceUsd6PerGcums Payment-token base units per 10⁹ CU·ms, frozen when posted.
/// @param workCums Declared work in CU·ms, from the manifest's formula; bounds the billable duration.
/// @param maxAmountUsd6 Escrowed maximum in payment-token base units.
/// @param stakeWeiPerUsd6 Stake-token wei per payment-token base unit, frozen when posted.
/// @param contentHash keccak256(abi.encode(modelId, inputCommitment)).
/// @param primary Node that executes first; 0 before assignment.
/// @param backup Node that takes over; 0 when none.
/// @param primaryPowerCu Power of the primary, frozen when assigned.
/// @param backupPowerCu Power of the backup, frozen when assigned.
/// @param assignment Counts assignments of this task, from 1; 0 before the first.
/// @param acceptedMask Bit 0: primary accepted; bit 1: backup accepted.
/// @param failedMask Bit 0: primary signed a failure; bit 1: backup did.
/// @param assignedAt Chain time of the newest assignment, in seconds.
struct Task {
    address payer;
    uint40 postedAt;
    uint40 deadline;
    TaskStatus status;
    uint8 backups;
    uint64 priceUsd6PerGcums;
    uint64 workCums;
    uint64 maxAmountUsd6;
    uint64 stakeWeiPerUsd6;
    bytes32 contentHash;
    uint32 primary;
    uint32 backup;
    uint32 primaryPowerCu;
    uint32 backupPowerCu;
    uint16 assignment;
    uint8 acceptedMask;
    uint8 failedMask;
    uint40 assignedAt;
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
/// @param backups 0 or 1.
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
