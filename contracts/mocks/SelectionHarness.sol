// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Draw} from "../libraries/Draw.sol";
import {Median} from "../libraries/Median.sol";
import {NodeWeight} from "../libraries/NodeWeight.sol";
import {ScoreStep} from "../libraries/ScoreStep.sol";
import {WeightTree} from "../libraries/WeightTree.sol";

/// @title The libraries of selection, callable.
contract SelectionHarness {
    using WeightTree for WeightTree.Tree;

    struct Change {
        uint32 member;
        uint32 weight;
    }

    event Changed(uint32 member, uint32 position, uint32 weight);

    WeightTree.Tree private _tree;

    function set(Change[] calldata changes) external {
        for (uint256 i; i < changes.length; ++i) {
            (uint32 position, uint32 weight) = _tree.set(changes[i].member, changes[i].weight);
            emit Changed(changes[i].member, position, weight);
        }
    }

    /// @dev As a tree that has seen `positions` members come and go would look, so that its full height can be tested.
    function age(uint32 positions, uint8 depth) external {
        for (uint256 level = _tree.depth; level < depth; ++level) {
            if (level != 0) _tree.words[level << 32] = _tree.total;
        }
        _tree.positions = positions;
        _tree.depth = depth;
    }

    function draw(bytes32 seed, bytes32 subject, uint256 count) external view returns (uint32[] memory) {
        return Draw.distinct(_tree, seed, subject, count);
    }

    /// @dev Gas of one draw alone, without what a transaction costs.
    function gasOfDraw(bytes32 seed, bytes32 subject, uint256 count) external view returns (uint256 gas) {
        gas = gasleft();
        Draw.distinct(_tree, seed, subject, count);
        gas -= gasleft();
    }

    function hitAt(uint256 point) external view returns (WeightTree.Hit memory) {
        return _tree.hitAt(point);
    }

    function weightOf(uint32 member) external view returns (uint32) {
        return _tree.weightOf(member);
    }

    function shape() external view returns (uint8 depth, uint32 positions, uint32 total, uint256 vacant) {
        return (_tree.depth, _tree.positions, _tree.total, _tree.vacant.length);
    }

    function median(uint32[] memory values) external pure returns (uint32) {
        return Median.middleOf(values);
    }

    function nodeWeight(uint128 stakeWei, uint32 powerCu, uint16 qualityBps) external pure returns (uint32) {
        return NodeWeight.weightOf(stakeWei, powerCu, qualityBps);
    }

    function scoreStep(uint32 formerCu, uint32 measuredCu) external pure returns (uint32) {
        return ScoreStep.bounded(formerCu, measuredCu);
    }
}
