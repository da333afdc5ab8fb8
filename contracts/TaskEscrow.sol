// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {ITaskEscrow} from "./interfaces/ITaskEscrow.sol";
import {Billing} from "./libraries/Billing.sol";
import {Limits} from "./libraries/Limits.sol";
import {Roles} from "./libraries/Roles.sol";
import {SignedMessages} from "./libraries/SignedMessages.sol";
import {TaskDigest} from "./libraries/TaskDigest.sol";
import {TaskFit} from "./libraries/TaskFit.sol";
import {TaskMachine} from "./libraries/TaskMachine.sol";
import {OutputDemands} from "./task/OutputDemands.sol";
import {TaskBase, TaskParts} from "./task/TaskBase.sol";
import {
    Accept,
    Assigned,
    PermitParams,
    PostParams,
    Receipt,
    ReceiptStatus,
    RefundReason,
    Seat,
    Settlement,
    TaskState,
    TaskStatus,
    TaskTerms
} from "./types/TaskTypes.sol";

/// @title TaskEscrow
/// @notice Immutable; holds no money itself (the PaymentVault does) and gives no role any say over it.
/// @dev Every function changes its own state before it calls out. Only `post` and `demandOutput` reach foreign code:
///      the payment token, through functions of the vault that its guard lets nobody enter twice.
contract TaskEscrow is ITaskEscrow, EIP712, OutputDemands {
    using SafeCast for uint256;
    using TaskFit for TaskTerms;
    using TaskMachine for TaskState;

    /// @notice Role of the AccessManager whose members may assign during the keeper window.
    uint64 public constant KEEPER_ROLE = Roles.KEEPER;

    constructor(TaskParts memory parts) EIP712("NGPU", "1") TaskBase(parts) {}

    /// @inheritdoc ITaskEscrow
    function post(PostParams calldata params, PermitParams calldata permit) external returns (bytes32 taskId) {
        _checkPost(params);
        TaskTerms memory terms = _terms(params);
        uint64 maxAmountUsd6 =
            Billing.maxAmount(terms.workCums, terms.priceUsd6PerGcums, terms.backups).toUint64();
        taskId = taskIdOf(msg.sender, params.clientNonce);
        TaskMachine.post(_tasks[taskId], taskId, bytes23(TaskDigest.ofNewTerms(terms)), _now());
        emit TaskPosted(
            taskId,
            msg.sender,
            params.modelId,
            params.inputCommitment,
            params.inputCiphertext,
            params.clientKey,
            params.workCums,
            terms.priceUsd6PerGcums,
            terms.stakeWeiPerUsd6,
            maxAmountUsd6,
            terms.postedAt,
            params.deadline,
            params.backups
        );
        paymentVault.reserve(msg.sender, maxAmountUsd6, permit);
    }

    /// @inheritdoc ITaskEscrow
    function assign(bytes32 taskId, TaskTerms calldata terms, Assigned calldata standing, uint32[] calldata nodeIds)
        external
    {
        TaskState memory state = _tasks[taskId];
        state.checkOpen(taskId);
        bytes32 termsHash = _checkAssignment(taskId, state, terms, standing);
        state.checkAssignable(taskId, terms.deadline, _now());
        _checkAssigner(taskId, terms.postedAt + Limits.KEEPER_WINDOW_S);
        Seat[] memory seats = _seat(taskId, terms, nodeIds);
        state.assign(TaskDigest.ofNewAssigned(termsHash, msg.sender, seats), _now());
        state.save(_tasks[taskId]);
        emit TaskAssigned(taskId, msg.sender, state.assignment, seats);
    }

    /// @inheritdoc ITaskEscrow
    function accept(
        TaskTerms calldata terms,
        Assigned calldata standing,
        Accept calldata message,
        bytes calldata signature
    ) external {
        bytes32 taskId = message.taskId;
        TaskState memory state = _tasks[taskId];
        state.checkServed(taskId);
        _checkAssignment(taskId, state, terms, standing);
        uint256 seat = state.seatOf(taskId, standing.seats, message.assignment, message.nodeId);
        _checkSigner(taskId, message.nodeId, SignedMessages.hash(message), signature);
        state.accept(taskId, seat, terms.deadline, _now());
        state.save(_tasks[taskId]);
        emit TaskAccepted(taskId, message.nodeId, message.assignment, message.timeMs);
    }

    /// @inheritdoc ITaskEscrow
    function settle(
        TaskTerms calldata terms,
        Assigned calldata standing,
        Receipt calldata receipt,
        bytes calldata signature
    ) external {
        bytes32 taskId = receipt.taskId;
        TaskState memory state = _tasks[taskId];
        state.checkServed(taskId);
        bytes32 termsHash = _checkAssignment(taskId, state, terms, standing);
        uint256 seat = state.seatOf(taskId, standing.seats, receipt.assignment, receipt.nodeId);
        _checkReceipt(state, terms, receipt, seat, standing.seats[seat].powerCu);
        bytes32 receiptHash = SignedMessages.hash(receipt);
        address payout = _checkSigner(taskId, receipt.nodeId, receiptHash, signature);
        if (receipt.status != uint8(ReceiptStatus.Succeeded)) {
            _recordFailure(state, terms, standing.seats.length, receipt, seat);
            return;
        }
        uint64 amountUsd6 =
            Billing.amount(receipt.powerCu, receipt.durationMs, terms.priceUsd6PerGcums).toUint64();
        Settlement memory settlement =
            Settlement(receipt.nodeId, payout, amountUsd6, receiptHash, receipt.outputCiphertext);
        state.settle(TaskDigest.ofNewSettlement(termsHash, settlement), _now());
        state.save(_tasks[taskId]);
        _pay(state, terms, standing.seats, receipt, seat, settlement);
    }

    /// @inheritdoc ITaskEscrow
    function cancel(bytes32 taskId, TaskTerms calldata terms) external {
        TaskState memory state = _tasks[taskId];
        state.checkIs(taskId, TaskStatus.Posted);
        if (state.digest != bytes23(TaskDigest.ofTerms(terms))) revert TaskWordsMismatch(taskId);
        if (msg.sender != terms.payer) revert TaskNotPayer(taskId, msg.sender);
        state.status = TaskStatus.Cancelled;
        state.save(_tasks[taskId]);
        uint64 refundUsd6 = maxAmountOf(terms);
        emit TaskCancelled(taskId, terms.payer, refundUsd6);
        paymentVault.release(terms.payer, refundUsd6);
    }

    /// @inheritdoc ITaskEscrow
    function expire(bytes32 taskId, TaskTerms calldata terms, Assigned calldata standing) external {
        TaskState memory state = _tasks[taskId];
        state.checkOpen(taskId);
        _checkAssignment(taskId, state, terms, standing);
        state.expire(taskId, terms.deadline, _now());
        state.save(_tasks[taskId]);
        _refund(taskId, terms, RefundReason.Expired);
    }

    /// @inheritdoc ITaskEscrow
    function maxAmountOf(TaskTerms calldata terms) public pure returns (uint64) {
        return Billing.maxAmount(terms.workCums, terms.priceUsd6PerGcums, terms.backups).toUint64();
    }

    function _checkPost(PostParams calldata params) private view {
        bool complete = params.modelId != 0 && params.inputCommitment != 0 && params.inputCiphertext != 0
            && params.clientKey != address(0) && params.workCums != 0 && params.backups <= Limits.MAX_BACKUPS;
        if (!complete) revert TaskInvalidPost();

        uint40 earliest = _now() + Limits.MIN_DEADLINE_S;
        uint40 latest = _now() + Limits.MAX_DEADLINE_S;
        if (params.deadline < earliest || params.deadline > latest) {
            revert TaskDeadlineOutOfRange(params.deadline, earliest, latest);
        }
    }

    /// @dev What a post by the caller freezes, at the price of now.
    function _terms(PostParams calldata params) private view returns (TaskTerms memory) {
        (uint64 priceUsd6PerGcums, uint64 stakeWeiPerUsd6) = priceOracle.quote();
        if (priceUsd6PerGcums > params.maxPriceUsd6PerGcums) {
            revert TaskPriceAboveMax(priceUsd6PerGcums, params.maxPriceUsd6PerGcums);
        }
        return TaskTerms({
            payer: msg.sender,
            postedAt: _now(),
            deadline: params.deadline,
            backups: params.backups,
            workCums: params.workCums,
            priceUsd6PerGcums: priceUsd6PerGcums,
            stakeWeiPerUsd6: stakeWeiPerUsd6,
            contentHash: TaskMachine.contentHashOf(params.modelId, params.inputCommitment)
        });
    }

    function _checkAssigner(bytes32 taskId, uint40 openToAll) private view {
        if (block.timestamp >= openToAll) return;
        (bool isKeeper,) = authority.hasRole(KEEPER_ROLE, msg.sender);
        if (!isKeeper) revert TaskKeeperWindow(taskId, openToAll);
    }

    /// @dev A primary and as many backups as the payer asked for, all different, each with its power of now.
    function _seat(bytes32 taskId, TaskTerms calldata terms, uint32[] calldata nodeIds)
        private
        view
        returns (Seat[] memory seats)
    {
        if (nodeIds.length != 1 + uint256(terms.backups)) revert TaskInvalidSeats(taskId, nodeIds.length);
        seats = new Seat[](nodeIds.length);
        for (uint256 i; i < seats.length; ++i) {
            uint32 nodeId = nodeIds[i];
            bool taken = nodeId == 0;
            for (uint256 k; k < i; ++k) taken = taken || seats[k].nodeId == nodeId;
            if (taken) revert TaskInvalidSeats(taskId, nodeIds.length);
            (seats[i].nodeId, seats[i].powerCu) = (nodeId, _fittingPower(terms, nodeId));
        }
    }

    function _fittingPower(TaskTerms calldata terms, uint32 nodeId) private view returns (uint32 powerCu) {
        uint128 stakeWei;
        (powerCu, stakeWei) = registry.eligibilityOf(nodeId);
        if (powerCu == 0) revert TaskNodeNotEligible(nodeId);
        uint256 mostCums = terms.mostCums(powerCu, stakeWei, _now());
        if (terms.workCums > mostCums) revert TaskTooLargeForNode(nodeId, terms.workCums, mostCums);
    }

    /// @dev A node's failure is its last word under an assignment: nothing it signed can settle afterwards.
    function _checkReceipt(
        TaskState memory state,
        TaskTerms calldata terms,
        Receipt calldata receipt,
        uint256 seat,
        uint32 powerCu
    ) private pure {
        if (receipt.status > uint8(type(ReceiptStatus).max) || state.hasFailed(seat)) {
            revert TaskReceiptStatusInvalid(receipt.taskId, receipt.status);
        }
        if (TaskMachine.contentHashOf(receipt.modelId, receipt.inputCommitment) != terms.contentHash) {
            revert TaskContentMismatch(receipt.taskId);
        }
        if (receipt.powerCu != powerCu) revert TaskPowerMismatch(receipt.taskId, receipt.powerCu, powerCu);
        if (receipt.status != uint8(ReceiptStatus.Succeeded)) return;

        uint32 capMs = Billing.capMs(terms.workCums, powerCu);
        if (receipt.durationMs > capMs) revert TaskDurationAboveCap(receipt.taskId, receipt.durationMs, capMs);
    }

    /// @dev Any key that ever was the node's operator counts; high-s and malformed signatures do not.
    /// @return payout Where the node's earnings go now.
    function _checkSigner(bytes32 taskId, uint32 nodeId, bytes32 structHash, bytes calldata signature)
        private
        view
        returns (address payout)
    {
        (address signer,,) = ECDSA.tryRecoverCalldata(_hashTypedDataV4(structHash), signature);
        uint32 signerNodeId;
        (signerNodeId, payout) = registry.signerOf(signer);
        if (signerNodeId != nodeId) revert TaskSignerInvalid(taskId, nodeId, signer);
    }

    /// @dev Bill and standby out of what was reserved, the rest back to the payer; the state is written.
    function _pay(
        TaskState memory state,
        TaskTerms calldata terms,
        Seat[] calldata seats,
        Receipt calldata receipt,
        uint256 seat,
        Settlement memory settlement
    ) private {
        uint64 amountUsd6 = settlement.amountUsd6;
        uint64 eachUsd6 = uint64(Billing.standby(amountUsd6));
        uint64 standbyUsd6;
        if (eachUsd6 != 0) {
            for (uint256 i = seat + 1; i < seats.length; ++i) if (state.standsBy(i)) standbyUsd6 += eachUsd6;
        }
        uint64 leftUsd6 = maxAmountOf(terms) - standbyUsd6;
        address payer = terms.payer;
        emit TaskSettled(
            receipt.taskId,
            payer,
            receipt.nodeId,
            settlement.payout,
            receipt.assignment,
            receipt.attempt,
            receipt.slot,
            receipt.powerCu,
            receipt.durationMs,
            receipt.startMs,
            terms.priceUsd6PerGcums,
            amountUsd6,
            standbyUsd6,
            leftUsd6 - amountUsd6,
            receipt.outputCommitment,
            receipt.outputCiphertext
        );
        paymentVault.settle(payer, settlement.payout, leftUsd6, amountUsd6);
        if (standbyUsd6 != 0) _payStandby(state, payer, seats, receipt.taskId, seat, eachUsd6);
        stakeVault.lock(receipt.nodeId, uint256(amountUsd6) * terms.stakeWeiPerUsd6);
    }

    /// @dev A backup before the seat that executed was asked to take over and did not: it gets nothing.
    function _payStandby(
        TaskState memory state,
        address payer,
        Seat[] calldata seats,
        bytes32 taskId,
        uint256 seat,
        uint64 eachUsd6
    ) private {
        for (uint256 i = seat + 1; i < seats.length; ++i) {
            if (!state.standsBy(i)) continue;
            uint32 nodeId = seats[i].nodeId;
            address payout = registry.payoutOf(nodeId);
            emit TaskStandbyPaid(taskId, nodeId, payout, eachUsd6);
            paymentVault.settle(payer, payout, eachUsd6, eachUsd6);
        }
    }

    function _recordFailure(
        TaskState memory state,
        TaskTerms calldata terms,
        uint256 seats,
        Receipt calldata receipt,
        uint256 seat
    ) private {
        bool exhausted = state.fail(seat, seats);
        state.save(_tasks[receipt.taskId]);
        emit TaskAttemptFailed(receipt.taskId, receipt.nodeId, receipt.assignment, receipt.attempt, receipt.status);
        if (exhausted) _refund(receipt.taskId, terms, RefundReason.Failed);
    }

    function _refund(bytes32 taskId, TaskTerms calldata terms, RefundReason reason) private {
        uint64 refundUsd6 = maxAmountOf(terms);
        emit TaskRefunded(taskId, terms.payer, refundUsd6, reason);
        paymentVault.release(terms.payer, refundUsd6);
    }
}
