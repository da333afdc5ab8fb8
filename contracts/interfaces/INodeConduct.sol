// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What a node's faults leave of its quality.
interface INodeConduct {
    /// @notice Factor on the node's quality in basis points: 10,000 with a clean record, 0 while it is banned. Never
    ///         reverts.
    function qualityBpsOf(uint32 nodeId) external view returns (uint16);
}
