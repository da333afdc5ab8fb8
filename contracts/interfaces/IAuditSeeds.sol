// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Random words, one an epoch, that nobody knows before they are revealed.
interface IAuditSeeds {
    /// @notice An epoch's seed and the chain time in seconds of its reveal; zeros before.
    function seedOf(uint64 epoch) external view returns (bytes32 seed, uint40 revealedAt);
}
