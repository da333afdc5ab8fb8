// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Node} from "../../../contracts/types/NodeTypes.sol";
import {Task} from "../../../contracts/types/TaskTypes.sol";
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

/// @title The part of an escrow that faults ask, with tasks that the test writes.
contract ScriptedEscrow {
    mapping(bytes32 taskId => Task) private _tasks;

    function set(bytes32 taskId, Task calldata task_) external {
        _tasks[taskId] = task_;
    }

    function task(bytes32 taskId) external view returns (Task memory) {
        return _tasks[taskId];
    }
}
