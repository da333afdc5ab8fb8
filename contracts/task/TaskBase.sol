// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAccessManager} from "@openzeppelin/contracts/access/manager/IAccessManager.sol";
import {IKeeperBonds} from "../interfaces/IKeeperBonds.sol";
import {INodeRegistry} from "../interfaces/INodeRegistry.sol";
import {IPaymentVault} from "../interfaces/IPaymentVault.sol";
import {IPriceOracle} from "../interfaces/IPriceOracle.sol";
import {IStakeRail} from "../interfaces/IStakeRail.sol";
import {ITaskEscrow} from "../interfaces/ITaskEscrow.sol";
import {Limits} from "../libraries/Limits.sol";
import {TaskDigest} from "../libraries/TaskDigest.sol";
import {TaskMachine} from "../libraries/TaskMachine.sol";
import {Assigned, Settlement, TaskState, TaskStatus, TaskTerms} from "../types/TaskTypes.sol";

/// @notice What a deployment fixes for ever.
/// @param treasury Credited with the bond of a demand that keepers answered.
/// @param answerWindow Seconds that keepers have to attest an output that was demanded.
/// @param quorum Keepers that must attest.
/// @param minimumDemandBondUsd6 Smallest bond of a demand, in payment-token base units.
struct TaskParts {
    IAccessManager authority;
    INodeRegistry registry;
    IPaymentVault paymentVault;
    IPriceOracle priceOracle;
    IStakeRail stakeVault;
    IKeeperBonds keeperBonds;
    address treasury;
    uint40 answerWindow;
    uint8 quorum;
    uint64 minimumDemandBondUsd6;
}

/// @title What every part of the TaskEscrow stands on: its neighbours, its one slot a task, and whose words are true.
abstract contract TaskBase is ITaskEscrow {
    using TaskMachine for TaskState;

    /// @notice An address that must not be zero is zero.
    error TaskZeroAddress();

    /// @notice Says who is a keeper.
    IAccessManager public immutable authority;
    /// @notice Says who serves, with which power and keys.
    INodeRegistry public immutable registry;
    /// @notice Holds the escrowed money.
    IPaymentVault public immutable paymentVault;
    /// @notice Says what a task posted now costs.
    IPriceOracle public immutable priceOracle;
    /// @notice Holds the stake that a bill locks.
    IStakeRail public immutable stakeVault;
    /// @notice Says who may attest an output.
    IKeeperBonds public immutable keeperBonds;
    /// @notice Credited with the bond of a demand that keepers answered.
    address public immutable treasury;
    /// @inheritdoc ITaskEscrow
    uint40 public immutable payerWindow;
    /// @inheritdoc ITaskEscrow
    uint40 public immutable answerWindow;
    /// @inheritdoc ITaskEscrow
    uint8 public immutable quorum;
    /// @notice Smallest bond of a demand, in payment-token base units.
    uint64 public immutable minimumDemandBondUsd6;

    mapping(bytes32 taskId => TaskState) internal _tasks;

    constructor(TaskParts memory parts) {
        if (
            address(parts.authority) == address(0) || address(parts.registry) == address(0)
                || address(parts.paymentVault) == address(0) || address(parts.priceOracle) == address(0)
                || address(parts.stakeVault) == address(0) || address(parts.keeperBonds) == address(0)
                || parts.treasury == address(0)
        ) revert TaskZeroAddress();
        if (
            parts.answerWindow < Limits.MIN_ANSWER_WINDOW_S || parts.answerWindow > Limits.MAX_ANSWER_WINDOW_S
                || parts.quorum == 0 || parts.quorum > Limits.MAX_QUORUM || parts.minimumDemandBondUsd6 == 0
        ) revert TaskWindowsInvalid();
        authority = parts.authority;
        registry = parts.registry;
        paymentVault = parts.paymentVault;
        priceOracle = parts.priceOracle;
        stakeVault = parts.stakeVault;
        keeperBonds = parts.keeperBonds;
        treasury = parts.treasury;
        // A credit that is immature for so long is there for every demand in time.
        payerWindow = parts.paymentVault.maturitySeconds();
        answerWindow = parts.answerWindow;
        quorum = parts.quorum;
        minimumDemandBondUsd6 = parts.minimumDemandBondUsd6;
    }

    /// @inheritdoc ITaskEscrow
    function stateOf(bytes32 taskId) external view returns (TaskState memory) {
        return _tasks[taskId];
    }

    /// @inheritdoc ITaskEscrow
    function isAssignmentOf(bytes32 taskId, TaskTerms calldata terms, Assigned calldata standing)
        external
        view
        returns (bool)
    {
        TaskState memory state = _tasks[taskId];
        if (state.status == TaskStatus.None || TaskMachine.isSettled(state.status)) return false;
        return _isAssignment(state, TaskDigest.ofTerms(terms), standing);
    }

    /// @inheritdoc ITaskEscrow
    function isSettlementOf(bytes32 taskId, TaskTerms calldata terms, Settlement calldata settlement)
        external
        view
        returns (bool)
    {
        TaskState memory state = _tasks[taskId];
        return TaskMachine.isSettled(state.status)
            && state.digest == TaskDigest.ofSettlement(TaskDigest.ofTerms(terms), settlement);
    }

    /// @inheritdoc ITaskEscrow
    function expirableAt(bytes32 taskId, TaskTerms calldata terms) external view returns (uint40) {
        TaskState memory state = _tasks[taskId];
        return TaskMachine.isOpen(state.status) ? state.expirableAt(terms.deadline) : 0;
    }

    /// @inheritdoc ITaskEscrow
    function taskIdOf(address payer, bytes32 clientNonce) public view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), payer, clientNonce));
    }

    /// @dev Reverts unless these are the words of a task that is not settled.
    /// @return termsHash What the next digest is made of.
    function _checkAssignment(
        bytes32 taskId,
        TaskState memory state,
        TaskTerms calldata terms,
        Assigned calldata standing
    ) internal pure returns (bytes32 termsHash) {
        termsHash = TaskDigest.ofTerms(terms);
        if (!_isAssignment(state, termsHash, standing)) revert TaskWordsMismatch(taskId);
    }

    function _now() internal view returns (uint40) {
        return uint40(block.timestamp);
    }

    /// @dev A task that was never assigned has no assignment, and so no words about one.
    function _isAssignment(TaskState memory state, bytes32 termsHash, Assigned calldata standing)
        private
        pure
        returns (bool)
    {
        if (state.assignment != 0) return state.digest == TaskDigest.ofAssigned(termsHash, standing);
        return state.digest == bytes23(termsHash) && standing.seats.length == 0 && standing.assigner == address(0);
    }
}
