// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {WeightTree} from "./WeightTree.sol";

/// @title Distinct members of a tree in the order in which a seed draws them, each with a chance of its weight.
/// @notice A function of tree, seed, subject and count alone (INV-11); a longer draw begins with the shorter one.
/// @dev Mirrored by protocol/src/selection/draw.ts. Attempt i takes the point keccak256(seed, subject, i) modulo what
///      has not been drawn yet, so every attempt finds somebody and none is repeated: what was drawn is cut out of
///      the line. The modulo favours no point by more than 2^32 in 2^256.
library Draw {
    using WeightTree for WeightTree.Tree;

    /// @dev Most members of one draw: a bound for everybody who must recompute it on chain.
    uint256 internal constant MAX_COUNT = 16;

    /// @return members At most `count`, fewer when the tree has fewer; never more than MAX_COUNT.
    function distinct(WeightTree.Tree storage tree, bytes32 seed, bytes32 subject, uint256 count)
        internal
        view
        returns (uint32[] memory members)
    {
        if (count > MAX_COUNT) count = MAX_COUNT;
        members = new uint32[](count);
        WeightTree.Hit[] memory cuts = new WeightTree.Hit[](count);
        uint256 left = tree.total;
        uint256 drawn;
        for (; drawn < count && left != 0; ++drawn) {
            uint256 point = uint256(keccak256(abi.encode(seed, subject, drawn))) % left;
            WeightTree.Hit memory hit = tree.hitAt(_skipCuts(cuts, drawn, point));
            members[drawn] = hit.member;
            left -= hit.weight;
            _cut(cuts, drawn, hit);
        }
        _shorten(members, drawn);
    }

    /// @dev From a point on the line without the cuts to the same point on the whole line; `cuts` ascend.
    function _skipCuts(WeightTree.Hit[] memory cuts, uint256 length, uint256 point) private pure returns (uint256) {
        for (uint256 i; i < length && point >= cuts[i].start; ++i) {
            point += cuts[i].weight;
        }
        return point;
    }

    function _cut(WeightTree.Hit[] memory cuts, uint256 length, WeightTree.Hit memory hit) private pure {
        uint256 i = length;
        for (; i != 0 && cuts[i - 1].start > hit.start; --i) {
            cuts[i] = cuts[i - 1];
        }
        cuts[i] = hit;
    }

    function _shorten(uint32[] memory members, uint256 length) private pure {
        // Only ever shortens: `length` counts the elements that were filled.
        assembly ("memory-safe") {
            mstore(members, length)
        }
    }
}
