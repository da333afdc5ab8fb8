// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DrawClaim, Posted, Skip, TaskWords} from "../types/AssignmentTypes.sol";

/// @title What was drawn for a task, said by a bonded keeper and checked by whoever doubts it.
/// @notice A post is believed until somebody proves it wrong; then its keeper loses a bond. It moves no task and no
///         money of a task: a receipt that was executed under a wrong post is paid all the same.
interface IAssignment {
    /// @notice A keeper said what was drawn for a task.
    /// @param postId Hash of all that follows; names the post.
    /// @param nodes In the order of the draw, those passed over included.
    /// @param skippedMask Bit i: node i was passed over, with a proof that held when it was posted.
    event AssignmentPosted(
        bytes32 indexed postId,
        bytes32 indexed taskId,
        address indexed keeper,
        uint40 epoch,
        bytes32 modelId,
        bytes32 inputCommitment,
        uint32[] nodes,
        uint256 skippedMask
    );
    /// @notice The draw was another one: the keeper lost `slashedWei`, half of it to the challenger.
    event AssignmentOverturned(
        bytes32 indexed postId, bytes32 indexed taskId, address indexed keeper, address challenger, uint96 slashedWei
    );
    /// @notice The draw was that one: the challenger lost `takenWei`, half of it to the keeper.
    event AssignmentUpheld(
        bytes32 indexed postId, bytes32 indexed taskId, address indexed keeper, address challenger, uint96 takenWei
    );

    /// @notice Draws can be posted until `until` of an epoch with a seed, so that each can be challenged within it.
    error AssignmentNotPostable(uint40 until);
    /// @notice A draw names 1 to 16 nodes and ends with one that was not passed over.
    error AssignmentNodesInvalid(uint256 nodes);
    /// @notice The skips do not ascend, or name a place that is not in the draw.
    error AssignmentSkipOrder(uint256 place);
    /// @notice The proof for passing over this node does not hold.
    error AssignmentSkipInvalid(bytes32 taskId, uint32 nodeId);
    /// @notice The keeper has posted the same before.
    error AssignmentPostExists(bytes32 postId);
    /// @notice There is no such post, or it was overturned before.
    error AssignmentPostUnknown(bytes32 postId);
    /// @notice The time to challenge the post has ended.
    error AssignmentChallengeOver(bytes32 postId, uint40 until);
    /// @notice A parameter lies outside its bounds.
    error AssignmentParameterInvalid();

    /// @notice Say what was drawn for a task, whom of it was passed over, and why.
    /// @dev Effects: locks `bondWei` of the keeper's bond while the post can be challenged. Requirements: caller is a
    ///      bonded keeper; every skip is proved here and now, by a certificate for this very task that has not expired
    ///      or by the registry. Whether the draw is the right one is not checked: that is the challenger's part.
    ///      Several keepers, and one keeper with different words, may post about one task; each stands for its own.
    function post(DrawClaim calldata claim, Skip[] calldata skips) external returns (bytes32 postId);

    /// @notice Make the contract draw. Wrong post: the keeper loses its bond, half burned, half credited to the caller.
    ///         Right post: the caller loses as much, half burned, half credited to the keeper.
    /// @param claim As in the post.
    /// @param skippedMask As in the event.
    /// @param keeper Who posted it.
    /// @param words Of the task, which say what its model is; anything for a post about a task that does not exist.
    /// @dev Requirements: the post stands and can still be challenged; if it is right, the caller's allowance to the
    ///      bonds contract covers the loss; TaskWordsMismatch if the words are another task's.
    function challenge(DrawClaim calldata claim, uint256 skippedMask, address keeper, TaskWords calldata words)
        external
        returns (bool wrong);

    /// @notice The first `count` nodes that the standing seed draws for a task of that model, in order.
    function drawFor(bytes32 taskId, bytes32 modelId, uint256 count) external view returns (uint32[] memory);

    /// @notice A posted draw.
    function posted(bytes32 postId) external view returns (Posted memory);

    /// @notice Name of a post.
    function postIdOf(DrawClaim calldata claim, uint256 skippedMask, address keeper, uint40 epoch)
        external
        view
        returns (bytes32);

    /// @notice Wei of the stake token that a post or a challenge stands for.
    function bondWei() external view returns (uint96);
}
