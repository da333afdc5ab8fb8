// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Cheat codes that read the events of what was just called.
interface LogsVm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory logs);
}

LogsVm constant LOGS_VM = LogsVm(address(uint160(uint256(keccak256("hevm cheat code")))));
