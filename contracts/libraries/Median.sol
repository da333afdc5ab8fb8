// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The middle of a few numbers; of an even count the lower one of the two.
/// @dev Mirrored by protocol/src/selection/median.ts. Sorts its argument in place.
library Median {
    /// @notice Requirement: `values` is not empty.
    function middleOf(uint32[] memory values) internal pure returns (uint32) {
        for (uint256 i = 1; i < values.length; ++i) {
            uint32 value = values[i];
            uint256 j = i;
            for (; j != 0 && values[j - 1] > value; --j) {
                values[j] = values[j - 1];
            }
            values[j] = value;
        }
        return values[(values.length - 1) / 2];
    }
}
