// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Node} from "../../../contracts/types/NodeTypes.sol";
import {Assigned, Settlement, TaskState, TaskTerms} from "../../../contracts/types/TaskTypes.sol";
import {FAULT_VM} from "./FaultVm.sol";

/// @title The part of a registry that faults ask: node n is owned by itself and signs with private key n.
contract ScriptedRegistry {
    uint32 public immutable nodes;
    mapping(uint32 nodeId => uint40) public suspendedUntil;

    constructor(uint32 nodes_) {
        nodes = nodes_;
    }

    function isEligible(uint32 nodeId) external view returns (bool) {
        return nodeId != 0 && nodeId <= nodes && block.timestamp >= suspendedUntil[nodeId];
    }

    function node(uint32 nodeId) external pure returns (Node memory found) {
        found.operator = found.owner = found.payout = FAULT_VM.addr(nodeId);
    }

    function nodeOfOperator(address operator) external view returns (uint32) {
        for (uint32 nodeId = 1; nodeId <= nodes; ++nodeId) if (FAULT_VM.addr(nodeId) == operator) return nodeId;
        return 0;
    }

    function suspend(uint32 nodeId, uint40 until) external {
        suspendedUntil[nodeId] = until;
    }
}

/// @title The part of an escrow that faults ask, with tasks and words that the test writes.
contract ScriptedEscrow {
    mapping(bytes32 taskId => TaskState) private _states;
    mapping(bytes32 taskId => bytes32) private _wordsHash;

    function setMissed(bytes32 taskId, TaskState calldata state, TaskTerms calldata terms, Assigned calldata standing)
        external
    {
        _states[taskId] = state;
        _wordsHash[taskId] = keccak256(abi.encode(terms, standing));
    }

    function setSettled(bytes32 taskId, TaskState calldata state, TaskTerms calldata terms, Settlement calldata settlement)
        external
    {
        _states[taskId] = state;
        _wordsHash[taskId] = keccak256(abi.encode(terms, settlement));
    }

    function stateOf(bytes32 taskId) external view returns (TaskState memory) {
        return _states[taskId];
    }

    function isAssignmentOf(bytes32 taskId, TaskTerms calldata terms, Assigned calldata standing)
        external
        view
        returns (bool)
    {
        return _wordsHash[taskId] == keccak256(abi.encode(terms, standing));
    }

    function isSettlementOf(bytes32 taskId, TaskTerms calldata terms, Settlement calldata settlement)
        external
        view
        returns (bool)
    {
        return _wordsHash[taskId] == keccak256(abi.encode(terms, settlement));
    }
}

/// @title Terms of a task that costs `maxUsd6` at most: 800,000,000 usd6 per 10⁹ CU·ms are one for each CU·ms.
library ScriptedTerms {
    function terms(address payer, uint40 deadline, uint64 maxUsd6, bytes32 contentHash)
        internal
        pure
        returns (TaskTerms memory)
    {
        return TaskTerms({
            payer: payer,
            postedAt: 0,
            deadline: deadline,
            backups: 0,
            workCums: maxUsd6,
            priceUsd6PerGcums: 800_000_000,
            stakeWeiPerUsd6: 2e12,
            contentHash: contentHash
        });
    }

    function maxWei(TaskTerms memory its) internal pure returns (uint256) {
        return uint256(its.workCums) * its.stakeWeiPerUsd6;
    }
}
