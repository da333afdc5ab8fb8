// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Accept, PermitParams, PostParams, Receipt, RefundReason, Task, TaskStatus} from "../types/TaskTypes.sol";

/// @title The direct rail: one task, one escrow, one bill.
/// @notice post → assign → accept → settle, or expire. Nothing here trusts a keeper: whoever calls, money goes to the
///      assigned node that signed the receipt, within the work cap, or back to the payer (INV-7, INV-8, INV-13).
interface ITaskEscrow {
    /// @notice A task was posted and its maximum escrowed.
    event TaskPosted(
        bytes32 indexed taskId,
        address indexed payer,
        bytes32 indexed modelId,
        bytes32 inputCommitment,
        bytes32 inputCiphertext,
        address clientKey,
        uint64 workCums,
        uint64 priceUsd6PerGcums,
        uint64 stakeWeiPerUsd6,
        uint64 maxAmountUsd6,
        uint40 deadline,
        uint8 backups
    );
    /// @notice Primary and backup were fixed, and their power frozen.
    event TaskAssigned(
        bytes32 indexed taskId,
        uint32 indexed primary,
        uint32 indexed backup,
        uint16 assignment,
        uint32 primaryPowerCu,
        uint32 backupPowerCu
    );
    /// @notice A node proved that it holds the input.
    event TaskAccepted(bytes32 indexed taskId, uint32 indexed nodeId, uint16 assignment, uint64 timeMs);
    /// @notice The bill: amount = ⌊powerCu × durationMs × price ÷ 10⁹⌋, paid to `payout`, the rest back to `payer`.
    event TaskSettled(
        bytes32 indexed taskId,
        address indexed payer,
        uint32 indexed nodeId,
        address payout,
        uint16 assignment,
        uint8 attempt,
        uint32 powerCu,
        uint32 durationMs,
        uint64 startMs,
        uint64 priceUsd6PerGcums,
        uint64 amountUsd6,
        uint64 refundUsd6,
        bytes32 outputCommitment,
        bytes32 outputCiphertext
    );
    /// @notice An assigned node signed that it could not execute the task.
    event TaskAttemptFailed(bytes32 indexed taskId, uint32 indexed nodeId, uint16 assignment, uint8 attempt, uint8 status);
    /// @notice The task ended without a bill; everything went back to the payer.
    event TaskRefunded(bytes32 indexed taskId, address indexed payer, uint64 refundUsd6, RefundReason reason);
    /// @notice The payer withdrew the task before it was assigned.
    event TaskCancelled(bytes32 indexed taskId, address indexed payer, uint64 refundUsd6);

    /// @notice The task is not in a state in which this can be done.
    error TaskWrongStatus(bytes32 taskId, TaskStatus status);
    /// @notice A task with this payer and nonce exists.
    error TaskExists(bytes32 taskId);
    /// @notice Model, commitment, ciphertext, client key or work is missing, or more backups than supported.
    error TaskInvalidPost();
    /// @notice The deadline is too near or too far.
    error TaskDeadlineOutOfRange(uint40 deadline, uint40 earliest, uint40 latest);
    /// @notice The price rose above what the payer agreed to.
    error TaskPriceAboveMax(uint64 priceUsd6PerGcums, uint64 maxPriceUsd6PerGcums);
    /// @notice Only the payer may do this.
    error TaskNotPayer(bytes32 taskId, address caller);
    /// @notice Until `openToAll` only keepers may assign; from then on anyone.
    error TaskKeeperWindow(bytes32 taskId, uint40 openToAll);
    /// @notice The deadline has passed.
    error TaskPastDeadline(bytes32 taskId, uint40 deadline);
    /// @notice The deadline (plus the settlement grace of an accepted task) has not passed.
    error TaskNotExpired(bytes32 taskId, uint40 expirableAt);
    /// @notice The pair of nodes does not fit the task: zero, twice the same, or a backup missing or unwanted.
    error TaskInvalidPair(uint32 primary, uint32 backup);
    /// @notice The node is not staked, is exiting or draining.
    error TaskNodeNotEligible(uint32 nodeId);
    /// @notice The task is more than the node may take: its power cannot do the work before the deadline, or its stake
    ///         is worth less than Limits.STAKE_PER_TASK times the task's maximum. Works are CU·ms.
    error TaskTooLargeForNode(uint32 nodeId, uint64 workCums, uint256 mostCums);
    /// @notice The assigned nodes still have time to accept, or have accepted.
    error TaskAssignmentStanding(bytes32 taskId, uint40 until);
    /// @notice The task was reassigned too often.
    error TaskTooManyAssignments(bytes32 taskId);
    /// @notice The message names another assignment than the standing one.
    error TaskAssignmentStale(bytes32 taskId, uint16 assignment, uint16 standing);
    /// @notice The node is neither primary nor backup of the standing assignment.
    error TaskNodeNotAssigned(bytes32 taskId, uint32 nodeId);
    /// @notice The signer is not an operator key of the node.
    error TaskSignerInvalid(bytes32 taskId, uint32 nodeId, address signer);
    /// @notice Model or input commitment differ from what was posted.
    error TaskContentMismatch(bytes32 taskId);
    /// @notice The receipt's power differs from the power frozen at assignment.
    error TaskPowerMismatch(bytes32 taskId, uint32 powerCu, uint32 frozenPowerCu);
    /// @notice The billed duration exceeds work ÷ power × 1.25.
    error TaskDurationAboveCap(bytes32 taskId, uint32 durationMs, uint32 capMs);
    /// @notice The receipt's status is unknown, or this node has reported its failure before.
    error TaskReceiptStatusInvalid(bytes32 taskId, uint8 status);

    /// @notice Post a task and escrow ⌊work × 1.25 × price ÷ 10⁹⌋ in the same transaction.
    /// @dev Effects: freezes price and stakePerUsd; reserves the maximum in the PaymentVault. Requirements: fields
    ///      present, deadline within limits, price ≤ maxPrice, feed fresh, payer has balance, allowance or a valid
    ///      permit.
    /// @return taskId keccak256(abi.encode(chainId, escrow, payer, clientNonce)).
    function post(PostParams calldata params, PermitParams calldata permit) external returns (bytes32 taskId);

    /// @notice Fix primary and backup. Keepers alone for the first KEEPER_WINDOW seconds, then anyone; again when
    ///      nobody accepted within ACCEPT_WINDOW. Requirements: both eligible, and the task is not too large for
    ///      either; before the deadline.
    function assign(bytes32 taskId, uint32 primary, uint32 backup) external;

    /// @notice Record a node's signed accept. Anyone may relay it.
    function accept(Accept calldata message, bytes calldata signature) external;

    /// @notice Settle from a receipt, or record its failure; when every assigned node has failed the payer is refunded.
    ///         Anyone may relay it, as long as the task has not been expired.
    function settle(Receipt calldata receipt, bytes calldata signature) external;

    /// @notice Take back a task that nobody was assigned to. Requirement: caller is the payer.
    function cancel(bytes32 taskId) external;

    /// @notice Refund a task whose time has passed. Anyone may call.
    function expire(bytes32 taskId) external;

    /// @notice The task's record; status None if it does not exist.
    function task(bytes32 taskId) external view returns (Task memory);

    /// @notice The id a post by `payer` with `clientNonce` gets.
    function taskIdOf(address payer, bytes32 clientNonce) external view returns (bytes32);

    /// @notice Chain time in seconds from which `expire` succeeds; 0 for a task that is not open.
    function expirableAt(bytes32 taskId) external view returns (uint40);
}
