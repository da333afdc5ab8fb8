// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Assigned, Settlement, TaskTerms} from "./TaskTypes.sol";

/// @notice Why a drawn node was passed over.
/// @dev Busy: the node's operator signed so. Suspected: two bonded keepers signed so. Ineligible: the registry says so.
enum SkipKind {
    Busy,
    Suspected,
    Ineligible
}

/// @notice One drawn node that was passed over, and the proof.
/// @param index Place in the draw.
/// @param kind See SkipKind.
/// @param slots Slots of the busy certificate; 0 otherwise.
/// @param timeMs Machine time that was signed.
/// @param expiry Unix seconds that were signed.
/// @param signatures One by the node's operator, two or more by keepers in ascending order of their ids, or none.
struct Skip {
    uint8 index;
    SkipKind kind;
    uint16 slots;
    uint64 timeMs;
    uint64 expiry;
    bytes[] signatures;
}

/// @notice What a keeper says was drawn for a task.
/// @param taskId Task of the direct rail.
/// @param modelId Model of the task: names the pool that is drawn from.
/// @param inputCommitment With the model it makes the task's content hash, which proves the model.
/// @param nodes In the order of the draw, those passed over included; the last one was not passed over.
struct DrawClaim {
    bytes32 taskId;
    bytes32 modelId;
    bytes32 inputCommitment;
    uint32[] nodes;
}

/// @notice The words of a task, whatever came of it: terms with the standing assignment (empty if there is none), or
///         terms with the settlement. What is not needed may be anything.
struct TaskWords {
    TaskTerms terms;
    Assigned standing;
    Settlement settlement;
}

/// @notice Where a posted draw stands.
enum PostState {
    None,
    Standing,
    Overturned
}

/// @notice A posted draw, in one storage slot; its content is in the event and in its id.
struct Posted {
    address keeper;
    uint40 postedAt;
    uint40 epoch;
    PostState state;
}
