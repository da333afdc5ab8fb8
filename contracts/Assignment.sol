// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAssignment} from "./interfaces/IAssignment.sol";
import {IKeeperBonds} from "./interfaces/IKeeperBonds.sol";
import {INodeRegistry} from "./interfaces/INodeRegistry.sol";
import {ISelection} from "./interfaces/ISelection.sol";
import {ITaskEscrow} from "./interfaces/ITaskEscrow.sol";
import {Draw} from "./libraries/Draw.sol";
import {SkipProof} from "./libraries/SkipProof.sol";
import {TaskMachine} from "./libraries/TaskMachine.sol";
import {DrawClaim, Posted, PostState, Skip, TaskWords} from "./types/AssignmentTypes.sol";
import {TaskStatus} from "./types/TaskTypes.sol";

/// @title Assignment
/// @notice Holds no money and knows no role: a post locks a bond, a challenge is decided by the draw itself.
/// @dev Nothing is called in a try: a challenge that runs out of gas has not happened. It only reads the escrow.
contract Assignment is IAssignment {
    /// @notice Says who serves.
    INodeRegistry public immutable registry;
    /// @notice Draws.
    ISelection public immutable selection;
    /// @notice Holds what keepers have at stake.
    IKeeperBonds public immutable bonds;
    /// @notice Knows the tasks; certificates are signed under its domain.
    ITaskEscrow public immutable escrow;
    /// @inheritdoc IAssignment
    uint96 public immutable bondWei;

    uint40 private immutable _challengeS;
    mapping(bytes32 postId => Posted) private _posts;

    constructor(
        INodeRegistry registry_,
        ISelection selection_,
        IKeeperBonds bonds_,
        ITaskEscrow escrow_,
        uint96 bondWei_
    ) {
        bool complete = address(registry_) != address(0) && address(selection_) != address(0)
            && address(bonds_) != address(0) && address(escrow_) != address(0);
        // A lock outlives the time to challenge, and a bond that suffices for a keeper suffices for a post.
        bool sound = complete && bondWei_ >= 2 && bondWei_ <= bonds_.minimumBondWei()
            && selection_.challengeS() <= bonds_.lockPeriodS();
        if (!sound) revert AssignmentParameterInvalid();
        registry = registry_;
        selection = selection_;
        bonds = bonds_;
        escrow = escrow_;
        bondWei = bondWei_;
        _challengeS = selection_.challengeS();
    }

    /// @inheritdoc IAssignment
    function post(DrawClaim calldata claim, Skip[] calldata skips) external returns (bytes32 postId) {
        uint40 until = selection.postableUntil();
        if (block.timestamp >= until) revert AssignmentNotPostable(until);
        uint256 skippedMask = _checkSkips(claim, skips);
        uint40 epoch = selection.epoch();
        postId = postIdOf(claim, skippedMask, msg.sender, epoch);
        if (_posts[postId].state != PostState.None) revert AssignmentPostExists(postId);

        _posts[postId] = Posted(msg.sender, uint40(block.timestamp), epoch, PostState.Standing);
        emit AssignmentPosted(
            postId, claim.taskId, msg.sender, epoch, claim.modelId, claim.inputCommitment, claim.nodes, skippedMask
        );
        bonds.lock(msg.sender, bondWei);
    }

    /// @inheritdoc IAssignment
    function challenge(DrawClaim calldata claim, uint256 skippedMask, address keeper, TaskWords calldata words)
        external
        returns (bool wrong)
    {
        bytes32 postId = postIdOf(claim, skippedMask, keeper, selection.epoch());
        Posted storage stored = _posts[postId];
        if (stored.state != PostState.Standing) revert AssignmentPostUnknown(postId);
        uint40 until = stored.postedAt + _challengeS;
        if (block.timestamp >= until) revert AssignmentChallengeOver(postId, until);

        wrong = !_isTrue(claim, words);
        if (wrong) {
            stored.state = PostState.Overturned;
            uint96 slashedWei = bonds.slash(keeper, bondWei, msg.sender);
            emit AssignmentOverturned(postId, claim.taskId, keeper, msg.sender, slashedWei);
        } else {
            emit AssignmentUpheld(postId, claim.taskId, keeper, msg.sender, bondWei);
            bonds.takeFrom(msg.sender, bondWei, keeper);
        }
    }

    /// @inheritdoc IAssignment
    function posted(bytes32 postId) external view returns (Posted memory) {
        return _posts[postId];
    }

    /// @inheritdoc IAssignment
    function drawFor(bytes32 taskId, bytes32 modelId, uint256 count) public view returns (uint32[] memory) {
        return selection.draw(modelId, taskId, count);
    }

    /// @inheritdoc IAssignment
    function postIdOf(DrawClaim calldata claim, uint256 skippedMask, address keeper, uint40 epoch)
        public
        view
        returns (bytes32)
    {
        return keccak256(abi.encode(block.chainid, address(this), keeper, epoch, skippedMask, claim));
    }

    /// @dev The model is that of the task, and the nodes are those that the seed draws from its pool.
    function _isTrue(DrawClaim calldata claim, TaskWords calldata words) private view returns (bool) {
        if (escrow.stateOf(claim.taskId).status == TaskStatus.None) return false;
        _checkWords(claim.taskId, words);
        bytes32 contentHash = TaskMachine.contentHashOf(claim.modelId, claim.inputCommitment);
        if (words.terms.contentHash != contentHash) return false;
        uint32[] memory drawn = drawFor(claim.taskId, claim.modelId, claim.nodes.length);
        if (drawn.length != claim.nodes.length) return false;
        for (uint256 i; i < drawn.length; ++i) {
            if (drawn[i] != claim.nodes[i]) return false;
        }
        return true;
    }

    /// @dev Words that are false would make a true post look wrong.
    function _checkWords(bytes32 taskId, TaskWords calldata words) private view {
        if (escrow.isAssignmentOf(taskId, words.terms, words.standing)) return;
        if (!escrow.isSettlementOf(taskId, words.terms, words.settlement)) {
            revert ITaskEscrow.TaskWordsMismatch(taskId);
        }
    }

    function _checkSkips(DrawClaim calldata claim, Skip[] calldata skips) private view returns (uint256 mask) {
        uint256 length = claim.nodes.length;
        if (length == 0 || length > Draw.MAX_COUNT) revert AssignmentNodesInvalid(length);
        SkipProof.Parties memory parties = SkipProof.Parties(registry, bonds, address(escrow));
        for (uint256 i; i < skips.length; ++i) {
            uint256 bit = 1 << skips[i].index;
            if (skips[i].index >= length || bit <= mask) revert AssignmentSkipOrder(i);
            mask |= bit;
            uint32 nodeId = claim.nodes[skips[i].index];
            if (!SkipProof.holds(parties, claim.taskId, nodeId, skips[i])) {
                revert AssignmentSkipInvalid(claim.taskId, nodeId);
            }
        }
        if (mask >> (length - 1) != 0) revert AssignmentNodesInvalid(length);
    }
}
