// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAccessManager} from "@openzeppelin/contracts/access/manager/IAccessManager.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {INodeRegistry} from "./interfaces/INodeRegistry.sol";
import {IPaymentVault} from "./interfaces/IPaymentVault.sol";
import {IPriceOracle} from "./interfaces/IPriceOracle.sol";
import {ITaskEscrow} from "./interfaces/ITaskEscrow.sol";
import {Billing} from "./libraries/Billing.sol";
import {Limits} from "./libraries/Limits.sol";
import {Roles} from "./libraries/Roles.sol";
import {SignedMessages} from "./libraries/SignedMessages.sol";
import {TaskFit} from "./libraries/TaskFit.sol";
import {TaskMachine} from "./libraries/TaskMachine.sol";
import {Accept, PermitParams, PostParams, Receipt, ReceiptStatus, RefundReason, Task} from "./types/TaskTypes.sol";

/// @title TaskEscrow
/// @notice Immutable; holds no money itself (the PaymentVault does) and gives no role any say over it.
/// @dev Every function changes its own state before it calls out, and only `post` reaches foreign code (the payment
///      token, through the vault), so only `post` carries the guard.
contract TaskEscrow is ITaskEscrow, EIP712, ReentrancyGuardTransient {
    using SafeCast for uint256;
    using TaskFit for Task;
    using TaskMachine for Task;

    /// @notice An address that must not be zero is zero.
    error TaskZeroAddress();

    /// @notice Role of the AccessManager whose members may assign during the keeper window.
    uint64 public constant KEEPER_ROLE = Roles.KEEPER;

    /// @notice Says who is a keeper.
    IAccessManager public immutable authority;
    /// @notice Says who serves, with which power and keys.
    INodeRegistry public immutable registry;
    /// @notice Holds the escrowed money.
    IPaymentVault public immutable paymentVault;
    /// @notice Says what a task posted now costs.
    IPriceOracle public immutable priceOracle;

    mapping(bytes32 taskId => Task) private _tasks;

    constructor(
        IAccessManager authority_,
        INodeRegistry registry_,
        IPaymentVault paymentVault_,
        IPriceOracle priceOracle_
    ) EIP712("NGPU", "1") {
        if (
            address(authority_) == address(0) || address(registry_) == address(0)
                || address(paymentVault_) == address(0) || address(priceOracle_) == address(0)
        ) revert TaskZeroAddress();
        authority = authority_;
        registry = registry_;
        paymentVault = paymentVault_;
        priceOracle = priceOracle_;
    }

    /// @inheritdoc ITaskEscrow
    function post(PostParams calldata params, PermitParams calldata permit)
        external
        nonReentrant
        returns (bytes32 taskId)
    {
        _checkPost(params);
        TaskMachine.Quote memory quote = _quote(params);
        taskId = taskIdOf(msg.sender, params.clientNonce);
        _tasks[taskId].post(taskId, msg.sender, params, quote, uint40(block.timestamp));
        _emitPosted(taskId, params, quote);
        paymentVault.reserve(msg.sender, quote.maxAmountUsd6, permit);
    }

    /// @inheritdoc ITaskEscrow
    function assign(bytes32 taskId, uint32 primary, uint32 backup) external {
        Task storage stored = _tasks[taskId];
        stored.checkAssignable(taskId, uint40(block.timestamp));
        _checkAssigner(taskId, stored.postedAt + Limits.KEEPER_WINDOW_S);
        bool pairFits = primary != 0 && primary != backup && (backup != 0) == (stored.backups != 0);
        if (!pairFits) revert TaskInvalidPair(primary, backup);

        uint32 primaryPowerCu = _fittingPower(stored, primary);
        uint32 backupPowerCu = backup == 0 ? 0 : _fittingPower(stored, backup);
        uint16 assignment = stored.assign(
            TaskMachine.Pair(primary, backup, primaryPowerCu, backupPowerCu), uint40(block.timestamp)
        );
        emit TaskAssigned(taskId, primary, backup, assignment, primaryPowerCu, backupPowerCu);
    }

    /// @inheritdoc ITaskEscrow
    function accept(Accept calldata message, bytes calldata signature) external {
        Task storage stored = _tasks[message.taskId];
        uint8 seat = stored.seatOf(message.taskId, message.assignment, message.nodeId);
        _checkSigner(message.taskId, message.nodeId, SignedMessages.hash(message), signature);
        stored.accept(message.taskId, seat, uint40(block.timestamp));
        emit TaskAccepted(message.taskId, message.nodeId, message.assignment, message.timeMs);
    }

    /// @inheritdoc ITaskEscrow
    function settle(Receipt calldata receipt, bytes calldata signature) external {
        Task storage stored = _tasks[receipt.taskId];
        uint8 seat = stored.seatOf(receipt.taskId, receipt.assignment, receipt.nodeId);
        _checkReceipt(stored, receipt, seat);
        _checkSigner(receipt.taskId, receipt.nodeId, SignedMessages.hash(receipt), signature);
        if (receipt.status == uint8(ReceiptStatus.Succeeded)) _bill(stored, receipt);
        else _recordFailure(stored, receipt, seat);
    }

    /// @inheritdoc ITaskEscrow
    function cancel(bytes32 taskId) external {
        Task storage stored = _tasks[taskId];
        address payer = stored.payer;
        if (payer != msg.sender && payer != address(0)) revert TaskNotPayer(taskId, msg.sender);
        stored.cancel(taskId);
        uint64 refundUsd6 = stored.maxAmountUsd6;
        emit TaskCancelled(taskId, payer, refundUsd6);
        paymentVault.release(payer, refundUsd6);
    }

    /// @inheritdoc ITaskEscrow
    function expire(bytes32 taskId) external {
        Task storage stored = _tasks[taskId];
        stored.expire(taskId, uint40(block.timestamp));
        _refund(stored, taskId, RefundReason.Expired);
    }

    /// @inheritdoc ITaskEscrow
    function task(bytes32 taskId) external view returns (Task memory) {
        return _tasks[taskId];
    }

    /// @inheritdoc ITaskEscrow
    function expirableAt(bytes32 taskId) external view returns (uint40) {
        Task storage stored = _tasks[taskId];
        return TaskMachine.isOpen(stored.status) ? stored.expirableAt() : 0;
    }

    /// @inheritdoc ITaskEscrow
    function taskIdOf(address payer, bytes32 clientNonce) public view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), payer, clientNonce));
    }

    function _checkPost(PostParams calldata params) private view {
        bool complete = params.modelId != 0 && params.inputCommitment != 0 && params.inputCiphertext != 0
            && params.clientKey != address(0) && params.workCums != 0 && params.backups <= Limits.MAX_BACKUPS;
        if (!complete) revert TaskInvalidPost();

        uint40 earliest = uint40(block.timestamp) + Limits.MIN_DEADLINE_S;
        uint40 latest = uint40(block.timestamp) + Limits.MAX_DEADLINE_S;
        if (params.deadline < earliest || params.deadline > latest) {
            revert TaskDeadlineOutOfRange(params.deadline, earliest, latest);
        }
    }

    function _quote(PostParams calldata params) private view returns (TaskMachine.Quote memory) {
        (uint64 priceUsd6PerGcums, uint64 stakeWeiPerUsd6) = priceOracle.quote();
        if (priceUsd6PerGcums > params.maxPriceUsd6PerGcums) {
            revert TaskPriceAboveMax(priceUsd6PerGcums, params.maxPriceUsd6PerGcums);
        }
        uint64 maxAmountUsd6 = Billing.maxAmount(params.workCums, priceUsd6PerGcums).toUint64();
        return TaskMachine.Quote(priceUsd6PerGcums, stakeWeiPerUsd6, maxAmountUsd6);
    }

    function _emitPosted(bytes32 taskId, PostParams calldata params, TaskMachine.Quote memory quote) private {
        emit TaskPosted(
            taskId,
            msg.sender,
            params.modelId,
            params.inputCommitment,
            params.inputCiphertext,
            params.clientKey,
            params.workCums,
            quote.priceUsd6PerGcums,
            quote.stakeWeiPerUsd6,
            quote.maxAmountUsd6,
            params.deadline,
            params.backups
        );
    }

    function _checkAssigner(bytes32 taskId, uint40 openToAll) private view {
        if (block.timestamp >= openToAll) return;
        (bool isKeeper,) = authority.hasRole(KEEPER_ROLE, msg.sender);
        if (!isKeeper) revert TaskKeeperWindow(taskId, openToAll);
    }

    function _fittingPower(Task storage stored, uint32 nodeId) private view returns (uint32 powerCu) {
        uint128 stakeWei;
        (powerCu, stakeWei) = registry.eligibilityOf(nodeId);
        if (powerCu == 0) revert TaskNodeNotEligible(nodeId);
        uint256 mostCums = stored.mostCums(powerCu, stakeWei, uint40(block.timestamp));
        if (stored.workCums > mostCums) revert TaskTooLargeForNode(nodeId, stored.workCums, mostCums);
    }

    /// @dev A node's failure is its last word under an assignment: nothing it signed can settle afterwards.
    function _checkReceipt(Task storage stored, Receipt calldata receipt, uint8 seat) private view {
        if (receipt.status > uint8(type(ReceiptStatus).max) || stored.failedMask & seat != 0) {
            revert TaskReceiptStatusInvalid(receipt.taskId, receipt.status);
        }
        if (TaskMachine.contentHashOf(receipt.modelId, receipt.inputCommitment) != stored.contentHash) {
            revert TaskContentMismatch(receipt.taskId);
        }
        uint32 powerCu = seat == TaskMachine.PRIMARY ? stored.primaryPowerCu : stored.backupPowerCu;
        if (receipt.powerCu != powerCu) revert TaskPowerMismatch(receipt.taskId, receipt.powerCu, powerCu);
        if (receipt.status != uint8(ReceiptStatus.Succeeded)) return;

        uint32 capMs = Billing.capMs(stored.workCums, powerCu);
        if (receipt.durationMs > capMs) revert TaskDurationAboveCap(receipt.taskId, receipt.durationMs, capMs);
    }

    /// @dev Any key that ever was the node's operator counts; high-s and malformed signatures do not.
    function _checkSigner(bytes32 taskId, uint32 nodeId, bytes32 structHash, bytes calldata signature) private view {
        (address signer,,) = ECDSA.tryRecoverCalldata(_hashTypedDataV4(structHash), signature);
        if (registry.nodeOfOperator(signer) != nodeId) revert TaskSignerInvalid(taskId, nodeId, signer);
    }

    function _bill(Task storage stored, Receipt calldata receipt) private {
        stored.settle();
        uint64 maxAmountUsd6 = stored.maxAmountUsd6;
        uint64 amountUsd6 = Billing.amount(receipt.powerCu, receipt.durationMs, stored.priceUsd6PerGcums).toUint64();
        address payer = stored.payer;
        address payout = registry.payoutOf(receipt.nodeId);
        emit TaskSettled(
            receipt.taskId,
            payer,
            receipt.nodeId,
            payout,
            receipt.assignment,
            receipt.attempt,
            receipt.powerCu,
            receipt.durationMs,
            receipt.startMs,
            stored.priceUsd6PerGcums,
            amountUsd6,
            maxAmountUsd6 - amountUsd6,
            receipt.outputCommitment,
            receipt.outputCiphertext
        );
        paymentVault.settle(payer, payout, maxAmountUsd6, amountUsd6);
    }

    function _recordFailure(Task storage stored, Receipt calldata receipt, uint8 seat) private {
        bool exhausted = stored.fail(seat);
        emit TaskAttemptFailed(receipt.taskId, receipt.nodeId, receipt.assignment, receipt.attempt, receipt.status);
        if (exhausted) _refund(stored, receipt.taskId, RefundReason.Failed);
    }

    function _refund(Task storage stored, bytes32 taskId, RefundReason reason) private {
        address payer = stored.payer;
        uint64 refundUsd6 = stored.maxAmountUsd6;
        emit TaskRefunded(taskId, payer, refundUsd6, reason);
        paymentVault.release(payer, refundUsd6);
    }
}
