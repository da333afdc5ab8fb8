// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Lanes} from "./Lanes.sol";

/// @title Weighted members, of whom one is found by a point on the line of all their weights.
/// @notice A tree of words of eight 32-bit sums, as high as its members need: 8, 64, 512 … 8^7 = 2,097,152 of them. A
///         draw reads one word a level, an update writes one word a level; never more than seven.
/// @dev Mirrored by protocol/src/selection/weightTree.ts; a property test holds the two equal. A lane of level 0 is a
///      member's weight, a lane of level n the sum of the word below it. All sums fit a lane because `set` clips a
///      weight to what is left of 2^32 − 1. Positions are given out when a member gains weight and taken back when it
///      loses all of it, so only members with weight take up room.
library WeightTree {
    using Lanes for uint256;

    uint8 internal constant MAX_DEPTH = 7;
    uint32 internal constant MAX_POSITIONS = uint32(Lanes.COUNT ** MAX_DEPTH);
    uint32 internal constant MAX_TOTAL = type(uint32).max;

    /// @param depth Levels of words in use.
    /// @param positions Positions ever given out; those in `vacant` are free.
    /// @param total Sum of all weights.
    /// @param words Key: level × 2^32 + index of the word within its level.
    /// @param members Member at each position, eight to a word as the weights are.
    /// @param positionOf One more than the member's position; 0: the member has no weight.
    struct Tree {
        uint8 depth;
        uint32 positions;
        uint32 total;
        mapping(uint256 key => uint256 word) words;
        mapping(uint256 index => uint256 word) members;
        mapping(uint32 member => uint32) positionOf;
        uint32[] vacant;
    }

    /// @notice Where a point fell: `member` covers [start, start + weight).
    struct Hit {
        uint32 member;
        uint32 start;
        uint32 weight;
    }

    /// @notice Gives `member` a weight, or less where the total would not fit. A full tree gives a new member none.
    /// @return position Where the member stands, or stood until now.
    /// @return applied The weight it has now.
    function set(Tree storage self, uint32 member, uint32 weight) internal returns (uint32 position, uint32 applied) {
        uint32 stored = self.positionOf[member];
        uint32 former = stored == 0 ? 0 : self.words[(stored - 1) >> Lanes.INDEX_BITS].get((stored - 1) % Lanes.COUNT);
        uint32 others = self.total - former;
        applied = weight > MAX_TOTAL - others ? MAX_TOTAL - others : weight;
        if (stored == 0) {
            if (applied == 0) return (0, 0);
            if (self.vacant.length == 0 && self.positions == MAX_POSITIONS) return (0, 0);
            position = _place(self, member);
        } else {
            position = stored - 1;
            if (applied == former) return (position, applied);
            if (applied == 0) _vacate(self, member, position);
        }
        _update(self, position, former, applied);
        self.total = others + applied;
    }

    /// @notice The member that covers `point`. Requirement: `point` is below the total.
    function hitAt(Tree storage self, uint256 point) internal view returns (Hit memory hit) {
        (uint256 position, uint256 offset) = _descend(self, point);
        hit.start = uint32(point - offset);
        hit.weight = self.words[position >> Lanes.INDEX_BITS].get(position % Lanes.COUNT);
        hit.member = self.members[position >> Lanes.INDEX_BITS].get(position % Lanes.COUNT);
    }

    /// @notice The member's weight.
    function weightOf(Tree storage self, uint32 member) internal view returns (uint32) {
        uint32 stored = self.positionOf[member];
        if (stored == 0) return 0;
        return self.words[(stored - 1) >> Lanes.INDEX_BITS].get((stored - 1) % Lanes.COUNT);
    }

    /// @dev From the root to the position that covers `offset`, and how far into it.
    function _descend(Tree storage self, uint256 offset) private view returns (uint256 position, uint256) {
        uint256 lane;
        for (uint256 level = self.depth; level != 0;) {
            (lane, offset) = self.words[_key(--level, position)].find(offset);
            position = (position << Lanes.INDEX_BITS) | lane;
        }
        return (position, offset);
    }

    function _place(Tree storage self, uint32 member) private returns (uint32 position) {
        uint256 free = self.vacant.length;
        if (free != 0) {
            position = self.vacant[free - 1];
            self.vacant.pop();
        } else {
            position = self.positions++;
            _grow(self, position);
        }
        self.positionOf[member] = position + 1;
        uint256 index = position >> Lanes.INDEX_BITS;
        self.members[index] = self.members[index].set(position % Lanes.COUNT, member);
    }

    function _vacate(Tree storage self, uint32 member, uint32 position) private {
        self.vacant.push(position);
        delete self.positionOf[member];
        uint256 index = position >> Lanes.INDEX_BITS;
        self.members[index] = self.members[index].set(position % Lanes.COUNT, 0);
    }

    /// @dev The new root's first lane is all there was before.
    function _grow(Tree storage self, uint32 position) private {
        uint8 depth = self.depth;
        if (position < Lanes.COUNT ** depth && depth != 0) return;
        if (depth != 0) self.words[_key(depth, 0)] = self.total;
        self.depth = depth + 1;
    }

    function _update(Tree storage self, uint32 position, uint32 former, uint32 applied) private {
        uint256 depth = self.depth;
        uint256 index = position;
        for (uint256 level; level < depth; ++level) {
            uint256 lane = index % Lanes.COUNT;
            index >>= Lanes.INDEX_BITS;
            uint256 key = _key(level, index);
            uint256 word = self.words[key];
            // The lane holds at least `former`, and with the rest of the total at most MAX_TOTAL.
            self.words[key] = word.set(lane, word.get(lane) - former + applied);
        }
    }

    function _key(uint256 level, uint256 index) private pure returns (uint256) {
        return (level << 32) | index;
    }
}
