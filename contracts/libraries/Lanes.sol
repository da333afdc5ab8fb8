// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Eight 32-bit numbers in one word; lane 0 is the lowest.
library Lanes {
    /// @dev Lanes of a word, and how many bits of a position number one of them.
    uint256 internal constant COUNT = 8;
    uint256 internal constant INDEX_BITS = 3;
    uint256 private constant LANE_BITS = 32;

    function get(uint256 word, uint256 lane) internal pure returns (uint32) {
        return uint32(word >> (lane * LANE_BITS));
    }

    function set(uint256 word, uint256 lane, uint32 value) internal pure returns (uint256) {
        uint256 shift = lane * LANE_BITS;
        return (word & ~(uint256(type(uint32).max) << shift)) | (uint256(value) << shift);
    }

    /// @notice The lane that `point` falls into when the lanes lie end to end, and how far into it.
    /// @dev Requirement: `point` is below the sum of the lanes.
    function find(uint256 word, uint256 point) internal pure returns (uint256 lane, uint256 offset) {
        offset = point;
        while (true) {
            uint256 weight = uint32(word);
            if (offset < weight) return (lane, offset);
            // `offset` is at least `weight` here, and there are eight lanes.
            unchecked {
                offset -= weight;
                ++lane;
            }
            word >>= LANE_BITS;
        }
    }
}
