// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {
    Accept,
    Assigned,
    PermitParams,
    PostParams,
    Receipt,
    RefundReason,
    Seat,
    Settlement,
    TaskState,
    TaskStatus,
    TaskTerms
} from "../types/TaskTypes.sol";

/// @title The direct rail: one task, one escrow, one bill.
/// @notice post → assign → accept → settle, or expire. Nothing here trusts a keeper: whoever calls, money goes to the
///      assigned node that signed the receipt, within the work cap, and to its accepted backups, or back to the payer
///      (INV-7, INV-8, INV-13). The chain keeps one slot a task: each call brings the terms (and the assignment or
///      settlement) that events told, and a call with others reverts TaskWordsMismatch.
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
        uint40 postedAt,
        uint40 deadline,
        uint8 backups
    );
    /// @notice Primary and backups were fixed, and their powers frozen. `assignment` counts from 1.
    event TaskAssigned(bytes32 indexed taskId, address indexed assigner, uint8 assignment, Seat[] seats);
    /// @notice A node proved that it holds the input.
    event TaskAccepted(bytes32 indexed taskId, uint32 indexed nodeId, uint16 assignment, uint64 timeMs);
    /// @notice The bill: amount = ⌊powerCu × durationMs × price ÷ 10⁹⌋, credited to `payout` once the payer's window
    ///         is over; `standbyUsd6` went to backups, see TaskStandbyPaid; the rest is the payer's again.
    event TaskSettled(
        bytes32 indexed taskId,
        address indexed payer,
        uint32 indexed nodeId,
        address payout,
        uint16 assignment,
        uint8 attempt,
        uint8 slot,
        uint32 powerCu,
        uint32 durationMs,
        uint64 startMs,
        uint64 priceUsd6PerGcums,
        uint64 amountUsd6,
        uint64 standbyUsd6,
        uint64 refundUsd6,
        bytes32 outputCommitment,
        bytes32 outputCiphertext
    );
    /// @notice A backup that had accepted and was not needed earned Limits.STANDBY_BPS of the bill.
    event TaskStandbyPaid(bytes32 indexed taskId, uint32 indexed nodeId, address payout, uint64 amountUsd6);
    /// @notice The payer says that it cannot get the output; the bill waits in the escrow's pot with the payer's bond.
    event OutputDemanded(
        bytes32 indexed taskId,
        address indexed payer,
        uint32 indexed nodeId,
        bytes32 outputCiphertext,
        uint64 amountUsd6,
        uint64 bondUsd6,
        uint40 answerableUntil
    );
    /// @notice A bonded keeper says that it holds the output and serves it to the payer.
    event OutputAttested(bytes32 indexed taskId, address indexed keeper, uint8 attestations);
    /// @notice Enough keepers hold the output: the bill was credited to the node, the bond to the treasury.
    event OutputDelivered(bytes32 indexed taskId, uint32 indexed nodeId, uint64 amountUsd6, uint64 bondUsd6);
    /// @notice Too few keepers had the output in time: bill and bond are the payer's again.
    event OutputForfeited(bytes32 indexed taskId, uint32 indexed nodeId, uint64 amountUsd6, uint64 bondUsd6);
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
    /// @notice The nodes do not fit the task: one is zero, twice the same, or there are not as many as it asked for.
    error TaskInvalidSeats(bytes32 taskId, uint256 nodes);
    /// @notice Terms, assignment or settlement are not those of the task.
    error TaskWordsMismatch(bytes32 taskId);
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
    /// @notice The payer's window for a demand has ended.
    error TaskPayerWindowOver(bytes32 taskId, uint40 until);
    /// @notice Keepers may attest until then; from then on the demand can be closed.
    error TaskDemandWindow(bytes32 taskId, uint40 until);
    /// @notice The caller is no bonded keeper, or has attested for this task before.
    error TaskAttesterInvalid(bytes32 taskId, address caller);
    /// @notice The windows given at deployment are out of bounds.
    error TaskWindowsInvalid();

    /// @notice Post a task and escrow its maximum in the same transaction: ⌊work × 1.25 × price ÷ 10⁹⌋ for the bill, and
    ///         Limits.STANDBY_BPS of that for each backup asked for.
    /// @dev Effects: freezes price and stakePerUsd; reserves the maximum in the PaymentVault. Requirements: fields
    ///      present, deadline within limits, price ≤ maxPrice, feed fresh, payer has balance, allowance or a valid
    ///      permit.
    /// @return taskId keccak256(abi.encode(chainId, escrow, payer, clientNonce)).
    function post(PostParams calldata params, PermitParams calldata permit) external returns (bytes32 taskId);

    /// @notice Fix primary and backups, in their order. Keepers alone for the first KEEPER_WINDOW seconds, then anyone;
    ///         again when nobody accepted within ACCEPT_WINDOW. Requirements: all eligible, and the task is not too
    ///         large for any; before the deadline.
    /// @param standing The assignment that is replaced; empty for the first one.
    function assign(bytes32 taskId, TaskTerms calldata terms, Assigned calldata standing, uint32[] calldata nodeIds)
        external;

    /// @notice Record a node's signed accept. Anyone may relay it.
    function accept(
        TaskTerms calldata terms,
        Assigned calldata standing,
        Accept calldata message,
        bytes calldata signature
    ) external;

    /// @notice Settle from a receipt, or record its failure; when every assigned node has failed the payer is refunded.
    ///         Anyone may relay it, as long as the task has not been expired.
    /// @dev Effects of a success: the bill becomes the payout's credit, which matures after the payer's window; a tenth
    ///      of it each accepted backup's behind the one that executed, if it signed no failure; stake worth the bill is
    ///      locked; the rest is the payer's again.
    function settle(
        TaskTerms calldata terms,
        Assigned calldata standing,
        Receipt calldata receipt,
        bytes calldata signature
    ) external;

    /// @notice Take back a task that nobody was assigned to. Requirement: caller is the payer.
    function cancel(bytes32 taskId, TaskTerms calldata terms) external;

    /// @notice Refund a task whose time has passed. Anyone may call.
    /// @param standing Empty for a task that was not assigned.
    function expire(bytes32 taskId, TaskTerms calldata terms, Assigned calldata standing) external;

    /// @notice Say that the output of a settled task cannot be had anywhere. Once a task, within the payer's window.
    /// @dev Effects: the bill goes from the payout's immature credit to the escrow's pot; a bond of demandBondOf(bill)
    ///      is taken of the payer's available money. Requirement: caller is the payer.
    function demandOutput(bytes32 taskId, TaskTerms calldata terms, Settlement calldata settlement) external;

    /// @notice Say that the caller holds the demanded output and serves it. The last one needed pays the node, and
    ///         the treasury the bond. Requirement: caller is a bonded keeper, once; within the answer window.
    function attestOutput(bytes32 taskId, TaskTerms calldata terms, Settlement calldata settlement) external;

    /// @notice Give bill and bond back to the payer of a demand that too few attested in time. Anyone may call.
    function closeDemand(bytes32 taskId, TaskTerms calldata terms, Settlement calldata settlement) external;

    /// @notice What the chain keeps of the task; status None if it does not exist.
    function stateOf(bytes32 taskId) external view returns (TaskState memory);

    /// @notice True if these are the task's terms and, from Assigned on, its standing (or last) assignment. Not after a
    ///         settlement, which replaces the assignment: see `isSettlementOf`.
    function isAssignmentOf(bytes32 taskId, TaskTerms calldata terms, Assigned calldata standing)
        external
        view
        returns (bool);

    /// @notice True if the task was settled under these terms by this settlement, whatever came of a demand.
    function isSettlementOf(bytes32 taskId, TaskTerms calldata terms, Settlement calldata settlement)
        external
        view
        returns (bool);

    /// @notice What a task of these terms escrows, standby included, in payment-token base units.
    function maxAmountOf(TaskTerms calldata terms) external pure returns (uint64);

    /// @notice Bond of a demand about a bill.
    function demandBondOf(uint64 amountUsd6) external view returns (uint64);

    /// @notice The id a post by `payer` with `clientNonce` gets.
    function taskIdOf(address payer, bytes32 clientNonce) external view returns (bytes32);

    /// @notice Chain time in seconds from which `expire` succeeds; 0 for a task that is not open.
    function expirableAt(bytes32 taskId, TaskTerms calldata terms) external view returns (uint40);

    /// @notice For so long after a settlement, in seconds, the payer may demand the output.
    function payerWindow() external view returns (uint40);

    /// @notice For so long after a demand, in seconds, keepers may attest.
    function answerWindow() external view returns (uint40);

    /// @notice Keepers that must attest.
    function quorum() external view returns (uint8);
}
