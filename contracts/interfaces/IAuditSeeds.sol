// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Random words, one an epoch, that nobody knows before they are asked for.
interface IAuditSeeds {
    /// @notice An epoch's seed, and the chain time in seconds at which it was asked for: what was fixed before then was
    ///         fixed before anybody could know it.
    /// @return seed Zero for an epoch that has not opened or has no seed.
    /// @return askedAt Zero before the epoch opens; that of the newest earlier seed where the epoch has none, so that
    ///         no gap lets an anchor wait for a later one.
    function seedOf(uint64 epoch) external view returns (bytes32 seed, uint40 askedAt);
}
