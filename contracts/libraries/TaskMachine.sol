// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ITaskEscrow} from "../interfaces/ITaskEscrow.sol";
import {PostParams, Task, TaskStatus} from "../types/TaskTypes.sol";
import {Limits} from "./Limits.sol";

/// @title The states of a task and every way from one to the next.
/// @notice None → Posted → Assigned → Accepted → Settled; open → Refunded; Posted → Cancelled. Nothing else changes a
///      Task.
/// @dev Knows neither money nor signatures. `now_` is chain time, so each transition is a function of its arguments
///      alone.
library TaskMachine {
    /// @dev Masks of Task.acceptedMask and Task.failedMask.
    uint8 internal constant PRIMARY = 1;
    uint8 internal constant BACKUP = 2;

    /// @notice What a post freezes besides the payer's own words.
    struct Quote {
        uint64 priceUsd6PerGcums;
        uint64 stakeWeiPerUsd6;
        uint64 maxAmountUsd6;
    }

    /// @notice Primary and backup with the power frozen for each.
    struct Pair {
        uint32 primary;
        uint32 backup;
        uint32 primaryPowerCu;
        uint32 backupPowerCu;
    }

    /// @notice None → Posted.
    function post(
        Task storage self,
        bytes32 taskId,
        address payer,
        PostParams calldata params,
        Quote memory quote,
        uint40 now_
    ) internal {
        if (self.status != TaskStatus.None) revert ITaskEscrow.TaskExists(taskId);
        self.payer = payer;
        self.postedAt = now_;
        self.deadline = params.deadline;
        self.status = TaskStatus.Posted;
        self.backups = params.backups;
        self.priceUsd6PerGcums = quote.priceUsd6PerGcums;
        self.workCums = params.workCums;
        self.maxAmountUsd6 = quote.maxAmountUsd6;
        self.stakeWeiPerUsd6 = quote.stakeWeiPerUsd6;
        self.contentHash = contentHashOf(params.modelId, params.inputCommitment);
    }

    /// @notice Reverts unless the task can be assigned now: posted, or assigned and not accepted in time.
    function checkAssignable(Task storage self, bytes32 taskId, uint40 now_) internal view {
        TaskStatus status = self.status;
        if (!isOpen(status)) revert ITaskEscrow.TaskWrongStatus(taskId, status);
        if (now_ >= self.deadline) revert ITaskEscrow.TaskPastDeadline(taskId, self.deadline);
        if (status == TaskStatus.Posted) return;

        uint40 standsUntil =
            status == TaskStatus.Accepted ? expirableAt(self) : self.assignedAt + Limits.ACCEPT_WINDOW_S;
        if (now_ < standsUntil) revert ITaskEscrow.TaskAssignmentStanding(taskId, standsUntil);
        if (self.assignment == Limits.MAX_ASSIGNMENTS) revert ITaskEscrow.TaskTooManyAssignments(taskId);
    }

    /// @notice Posted or Assigned → Assigned, under a new assignment number and with clean masks.
    function assign(Task storage self, Pair memory pair, uint40 now_) internal returns (uint16 assignment) {
        assignment = self.assignment + 1;
        self.status = TaskStatus.Assigned;
        self.primary = pair.primary;
        self.backup = pair.backup;
        self.primaryPowerCu = pair.primaryPowerCu;
        self.backupPowerCu = pair.backupPowerCu;
        self.assignment = assignment;
        self.acceptedMask = 0;
        self.failedMask = 0;
        self.assignedAt = now_;
    }

    /// @notice Reverts unless `nodeId` serves the standing `assignment` of an open task.
    /// @return seat PRIMARY or BACKUP.
    function seatOf(Task storage self, bytes32 taskId, uint16 assignment, uint32 nodeId)
        internal
        view
        returns (uint8 seat)
    {
        TaskStatus status = self.status;
        if (status != TaskStatus.Assigned && status != TaskStatus.Accepted) {
            revert ITaskEscrow.TaskWrongStatus(taskId, status);
        }
        if (assignment != self.assignment) {
            revert ITaskEscrow.TaskAssignmentStale(taskId, assignment, self.assignment);
        }
        if (nodeId != 0 && nodeId == self.primary) return PRIMARY;
        if (nodeId != 0 && nodeId == self.backup) return BACKUP;
        revert ITaskEscrow.TaskNodeNotAssigned(taskId, nodeId);
    }

    /// @notice Assigned or Accepted → Accepted. A node accepts once, and not after it has failed.
    function accept(Task storage self, bytes32 taskId, uint8 seat, uint40 now_) internal {
        if (now_ >= self.deadline) revert ITaskEscrow.TaskPastDeadline(taskId, self.deadline);
        if ((self.acceptedMask | self.failedMask) & seat != 0) {
            revert ITaskEscrow.TaskWrongStatus(taskId, self.status);
        }
        self.acceptedMask |= seat;
        self.status = TaskStatus.Accepted;
    }

    /// @notice Records a failure. → Refunded when it was the last node standing.
    /// @return exhausted True if no assigned node is left that could still execute.
    function fail(Task storage self, uint8 seat) internal returns (bool exhausted) {
        uint8 failedMask = self.failedMask | seat;
        self.failedMask = failedMask;
        exhausted = failedMask == (self.backup == 0 ? PRIMARY : PRIMARY | BACKUP);
        if (exhausted) self.status = TaskStatus.Refunded;
    }

    /// @notice Assigned or Accepted → Settled. The caller has been through `seatOf`.
    function settle(Task storage self) internal {
        self.status = TaskStatus.Settled;
    }

    /// @notice Posted → Cancelled.
    function cancel(Task storage self, bytes32 taskId) internal {
        if (self.status != TaskStatus.Posted) revert ITaskEscrow.TaskWrongStatus(taskId, self.status);
        self.status = TaskStatus.Cancelled;
    }

    /// @notice Open → Refunded, by time alone (INV-8).
    function expire(Task storage self, bytes32 taskId, uint40 now_) internal {
        if (!isOpen(self.status)) revert ITaskEscrow.TaskWrongStatus(taskId, self.status);
        uint40 from = expirableAt(self);
        if (now_ < from) revert ITaskEscrow.TaskNotExpired(taskId, from);
        self.status = TaskStatus.Refunded;
    }

    /// @notice Chain time in seconds from which an open task can be expired: its deadline, plus a grace if somebody
    ///      accepted.
    function expirableAt(Task storage self) internal view returns (uint40) {
        return self.status == TaskStatus.Accepted ? self.deadline + Limits.SETTLE_GRACE_S : self.deadline;
    }

    /// @notice True for Posted, Assigned and Accepted.
    function isOpen(TaskStatus status) internal pure returns (bool) {
        return status != TaskStatus.None && status < TaskStatus.Settled;
    }

    /// @notice What Task.contentHash binds a receipt to.
    function contentHashOf(bytes32 modelId, bytes32 inputCommitment) internal pure returns (bytes32) {
        return keccak256(abi.encode(modelId, inputCommitment));
    }
}
