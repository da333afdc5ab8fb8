// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Takes a node out of selection for a while.
interface INodeSuspender {
    /// @notice No new assignments for the node until `until` (chain time in seconds; a past one lifts a suspension).
    function suspend(uint32 nodeId, uint40 until) external;
}
