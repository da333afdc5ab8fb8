// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ITaskEscrow} from "../interfaces/ITaskEscrow.sol";
import {TaskDigest} from "../libraries/TaskDigest.sol";
import {TaskMachine} from "../libraries/TaskMachine.sol";
import {PermitParams, Settlement, TaskState, TaskStatus, TaskTerms} from "../types/TaskTypes.sol";
import {TaskBase} from "./TaskBase.sol";

/// @title A payer that cannot get its output, and the keepers that say whether it can.
/// @notice A demand is a bet: the bill and a bond of the payer's wait in the escrow's pot. Either a quorum of bonded
///         keepers attests and the node has its bill, the treasury the bond; or time gives the payer both (INV-8).
/// @dev Nobody is paid for attesting: what a keeper holds cannot be shown, so a reward would pay for saying so.
abstract contract OutputDemands is TaskBase {
    using TaskMachine for TaskState;

    /// @dev A demand's bond is at least one part in so many of the bill.
    uint64 private constant BILL_PER_BOND = 4;

    mapping(bytes32 taskId => mapping(address keeper => bool)) private _hasAttested;

    /// @inheritdoc ITaskEscrow
    /// @dev The bond may come out of the payer's wallet.
    function demandOutput(bytes32 taskId, TaskTerms calldata terms, Settlement calldata settlement) external {
        TaskState memory state = _settled(taskId, terms, settlement, TaskStatus.Settled);
        if (msg.sender != terms.payer) revert TaskNotPayer(taskId, msg.sender);
        state.demand(taskId, payerWindow, _now());
        state.save(_tasks[taskId]);
        uint64 amountUsd6 = settlement.amountUsd6;
        uint64 bondUsd6 = demandBondOf(amountUsd6);
        emit OutputDemanded(
            taskId,
            msg.sender,
            settlement.nodeId,
            settlement.outputCiphertext,
            amountUsd6,
            bondUsd6,
            _now() + answerWindow
        );
        if (amountUsd6 != 0) paymentVault.contest(settlement.payout, amountUsd6);
        PermitParams memory noPermit;
        paymentVault.hold(msg.sender, bondUsd6, noPermit);
    }

    /// @inheritdoc ITaskEscrow
    function attestOutput(bytes32 taskId, TaskTerms calldata terms, Settlement calldata settlement) external {
        TaskState memory state = _settled(taskId, terms, settlement, TaskStatus.Demanded);
        bool delivered = state.attest(taskId, quorum, answerWindow, _now());
        if (keeperBonds.bondedIdOf(msg.sender) == 0 || _hasAttested[taskId][msg.sender]) {
            revert TaskAttesterInvalid(taskId, msg.sender);
        }
        _hasAttested[taskId][msg.sender] = true;
        state.save(_tasks[taskId]);
        emit OutputAttested(taskId, msg.sender, state.acceptedMask);
        if (delivered) _deliver(taskId, settlement);
    }

    /// @inheritdoc ITaskEscrow
    function closeDemand(bytes32 taskId, TaskTerms calldata terms, Settlement calldata settlement) external {
        TaskState memory state = _settled(taskId, terms, settlement, TaskStatus.Demanded);
        state.forfeit(taskId, answerWindow, _now());
        state.save(_tasks[taskId]);
        uint64 amountUsd6 = settlement.amountUsd6;
        uint64 bondUsd6 = demandBondOf(amountUsd6);
        emit OutputForfeited(taskId, settlement.nodeId, amountUsd6, bondUsd6);
        paymentVault.returnFromHeld(terms.payer, uint256(amountUsd6) + bondUsd6);
    }

    /// @inheritdoc ITaskEscrow
    function demandBondOf(uint64 amountUsd6) public view returns (uint64) {
        uint64 shareUsd6 = amountUsd6 / BILL_PER_BOND;
        return shareUsd6 > minimumDemandBondUsd6 ? shareUsd6 : minimumDemandBondUsd6;
    }

    function _deliver(bytes32 taskId, Settlement calldata settlement) private {
        uint64 amountUsd6 = settlement.amountUsd6;
        uint64 bondUsd6 = demandBondOf(amountUsd6);
        emit OutputDelivered(taskId, settlement.nodeId, amountUsd6, bondUsd6);
        if (amountUsd6 != 0) paymentVault.payFromHeld(settlement.payout, amountUsd6);
        paymentVault.payFromHeld(treasury, bondUsd6);
    }

    /// @dev The task, if it is in `status` and was settled under these words.
    function _settled(bytes32 taskId, TaskTerms calldata terms, Settlement calldata settlement, TaskStatus status)
        private
        view
        returns (TaskState memory state)
    {
        state = _tasks[taskId];
        state.checkIs(taskId, status);
        if (state.digest != TaskDigest.ofSettlement(TaskDigest.ofTerms(terms), settlement)) {
            revert TaskWordsMismatch(taskId);
        }
    }
}
