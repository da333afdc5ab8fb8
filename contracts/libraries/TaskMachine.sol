// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Hashes} from "@openzeppelin/contracts/utils/cryptography/Hashes.sol";
import {ITaskEscrow} from "../interfaces/ITaskEscrow.sol";
import {Seat, TaskState, TaskStatus} from "../types/TaskTypes.sol";
import {Limits} from "./Limits.sol";

/// @title The states of a task and every way from one to the next.
/// @notice None → Posted → Assigned → Accepted → Settled; open → Refunded; Posted → Cancelled; Settled → Demanded →
///         Delivered or Forfeited. Nothing else changes a TaskState.
/// @dev Works on a copy in memory, so that a call reads the slot once and writes it once. Knows neither money nor
///      signatures nor words. `now_` is chain time, so each transition is a function of its arguments alone.
library TaskMachine {
    /// @notice Writes the slot, whole and once.
    /// @dev As the compiler would, without reading first what is there.
    function save(TaskState memory self, TaskState storage slot) internal {
        uint256 word = uint256(bytes32(self.digest)) | uint256(self.changedAt) << 32 | uint256(self.failedMask) << 24
            | uint256(self.acceptedMask) << 16 | uint256(self.assignment) << 8 | uint8(self.status);
        assembly ("memory-safe") {
            sstore(slot.slot, word)
        }
    }

    /// @notice None → Posted.
    function post(TaskState storage slot, bytes32 taskId, bytes23 digest, uint40 now_) internal {
        if (slot.status != TaskStatus.None) revert ITaskEscrow.TaskExists(taskId);
        save(TaskState(TaskStatus.Posted, 0, 0, 0, now_, digest), slot);
    }

    /// @notice Reverts unless the task is Posted, Assigned or Accepted.
    function checkOpen(TaskState memory self, bytes32 taskId) internal pure {
        if (!isOpen(self.status)) revert ITaskEscrow.TaskWrongStatus(taskId, self.status);
    }

    /// @notice Reverts unless the task is in `status`.
    function checkIs(TaskState memory self, bytes32 taskId, TaskStatus status) internal pure {
        if (self.status != status) revert ITaskEscrow.TaskWrongStatus(taskId, self.status);
    }

    /// @notice Reverts unless nodes serve the task: Assigned or Accepted.
    function checkServed(TaskState memory self, bytes32 taskId) internal pure {
        TaskStatus status = self.status;
        if (status != TaskStatus.Assigned && status != TaskStatus.Accepted) {
            revert ITaskEscrow.TaskWrongStatus(taskId, status);
        }
    }

    /// @notice Reverts unless the open task can be assigned now: posted, or assigned and not accepted in time.
    function checkAssignable(TaskState memory self, bytes32 taskId, uint40 deadline, uint40 now_) internal pure {
        if (now_ >= deadline) revert ITaskEscrow.TaskPastDeadline(taskId, deadline);
        TaskStatus status = self.status;
        if (status == TaskStatus.Posted) return;

        uint40 standsUntil = status == TaskStatus.Accepted
            ? expirableAt(self, deadline)
            : self.changedAt + Limits.ACCEPT_WINDOW_S;
        if (now_ < standsUntil) revert ITaskEscrow.TaskAssignmentStanding(taskId, standsUntil);
        if (self.assignment == Limits.MAX_ASSIGNMENTS) revert ITaskEscrow.TaskTooManyAssignments(taskId);
    }

    /// @notice Posted or Assigned → Assigned, under a new assignment number and with clean masks.
    function assign(TaskState memory self, bytes23 digest, uint40 now_) internal pure {
        self.status = TaskStatus.Assigned;
        ++self.assignment;
        self.acceptedMask = 0;
        self.failedMask = 0;
        self.changedAt = now_;
        self.digest = digest;
    }

    /// @notice Reverts unless `nodeId` sits in the standing `assignment`, whose seats are `seats`.
    /// @return seat Its index, which is also its bit in the masks.
    function seatOf(
        TaskState memory self,
        bytes32 taskId,
        Seat[] calldata seats,
        uint16 assignment,
        uint32 nodeId
    ) internal pure returns (uint256 seat) {
        if (assignment != self.assignment) {
            revert ITaskEscrow.TaskAssignmentStale(taskId, assignment, self.assignment);
        }
        while (seat < seats.length && seats[seat].nodeId != nodeId) ++seat;
        if (seat == seats.length) revert ITaskEscrow.TaskNodeNotAssigned(taskId, nodeId);
    }

    /// @notice Assigned or Accepted → Accepted. A node accepts once, and not after it has failed.
    function accept(TaskState memory self, bytes32 taskId, uint256 seat, uint40 deadline, uint40 now_) internal pure {
        if (now_ >= deadline) revert ITaskEscrow.TaskPastDeadline(taskId, deadline);
        uint8 bit = bitOf(seat);
        if ((self.acceptedMask | self.failedMask) & bit != 0) {
            revert ITaskEscrow.TaskWrongStatus(taskId, self.status);
        }
        self.acceptedMask |= bit;
        self.status = TaskStatus.Accepted;
    }

    /// @notice Records a failure. → Refunded when it was the last of `seats` nodes.
    /// @return exhausted True if no assigned node is left that could still execute.
    function fail(TaskState memory self, uint256 seat, uint256 seats) internal pure returns (bool exhausted) {
        self.failedMask |= bitOf(seat);
        exhausted = uint256(self.failedMask) + 1 == 1 << seats;
        if (exhausted) self.status = TaskStatus.Refunded;
    }

    /// @notice True if the node in that seat signed a failure.
    function hasFailed(TaskState memory self, uint256 seat) internal pure returns (bool) {
        return self.failedMask & bitOf(seat) != 0;
    }

    /// @notice True if the node in that seat accepted and signed no failure.
    function standsBy(TaskState memory self, uint256 seat) internal pure returns (bool) {
        return self.acceptedMask & ~self.failedMask & bitOf(seat) != 0;
    }

    /// @notice Assigned or Accepted → Settled. The caller has been through `checkServed`.
    function settle(TaskState memory self, bytes23 digest, uint40 now_) internal pure {
        self.status = TaskStatus.Settled;
        self.changedAt = now_;
        self.digest = digest;
    }

    /// @notice Open → Refunded, by time alone (INV-8).
    function expire(TaskState memory self, bytes32 taskId, uint40 deadline, uint40 now_) internal pure {
        uint40 from = expirableAt(self, deadline);
        if (now_ < from) revert ITaskEscrow.TaskNotExpired(taskId, from);
        self.status = TaskStatus.Refunded;
    }

    /// @notice Settled → Demanded, within `window` of the settlement.
    function demand(TaskState memory self, bytes32 taskId, uint40 window, uint40 now_) internal pure {
        uint40 until = self.changedAt + window;
        if (now_ >= until) revert ITaskEscrow.TaskPayerWindowOver(taskId, until);
        self.status = TaskStatus.Demanded;
        self.acceptedMask = 0;
        self.changedAt = now_;
    }

    /// @notice Counts an attestation within `window` of the demand. → Delivered when it makes the quorum.
    function attest(TaskState memory self, bytes32 taskId, uint8 quorum, uint40 window, uint40 now_)
        internal
        pure
        returns (bool delivered)
    {
        uint40 until = self.changedAt + window;
        if (now_ >= until) revert ITaskEscrow.TaskDemandWindow(taskId, until);
        delivered = ++self.acceptedMask == quorum;
        if (delivered) self.status = TaskStatus.Delivered;
    }

    /// @notice Demanded → Forfeited, once `window` has passed since the demand (INV-8).
    function forfeit(TaskState memory self, bytes32 taskId, uint40 window, uint40 now_) internal pure {
        uint40 until = self.changedAt + window;
        if (now_ < until) revert ITaskEscrow.TaskDemandWindow(taskId, until);
        self.status = TaskStatus.Forfeited;
    }

    /// @notice Chain time in seconds from which an open task can be expired: its deadline, plus a grace if somebody
    ///      accepted.
    function expirableAt(TaskState memory self, uint40 deadline) internal pure returns (uint40) {
        return self.status == TaskStatus.Accepted ? deadline + Limits.SETTLE_GRACE_S : deadline;
    }

    /// @notice True for Posted, Assigned and Accepted.
    function isOpen(TaskStatus status) internal pure returns (bool) {
        return status != TaskStatus.None && status < TaskStatus.Settled;
    }

    /// @notice True once a receipt has settled the task, whatever came of a demand.
    function isSettled(TaskStatus status) internal pure returns (bool) {
        return status == TaskStatus.Settled || status >= TaskStatus.Demanded;
    }

    /// @notice A seat's bit in the masks. There are at most 1 + Limits.MAX_BACKUPS seats.
    function bitOf(uint256 seat) internal pure returns (uint8) {
        return uint8(1 << seat);
    }

    /// @notice What TaskTerms.contentHash binds a receipt to: keccak256(abi.encode(modelId, inputCommitment)).
    function contentHashOf(bytes32 modelId, bytes32 inputCommitment) internal pure returns (bytes32) {
        return Hashes.efficientKeccak256(modelId, inputCommitment);
    }
}
