// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title How much a node counts in a draw: stake × power × quality, rounded down.
/// @dev Mirrored by protocol/src/selection/nodeWeight.ts. Linear in stake and rounded down, so that a machine split
///      into several registrations weighs at most what it weighed before.
library NodeWeight {
    /// @dev One unit is 1 NGPU staked on 1,000 CU of full quality.
    uint256 internal constant UNIT = 1e18 * 1_000 * 10_000;

    function weightOf(uint256 stakeWei, uint32 powerCu, uint16 qualityBps) internal pure returns (uint32) {
        // Stake is below 2^128, so the product stays below 2^176.
        uint256 weight = stakeWei * powerCu * qualityBps / UNIT;
        return weight > type(uint32).max ? type(uint32).max : uint32(weight);
    }
}
