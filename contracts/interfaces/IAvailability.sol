// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Challenge, Fault, FaultKind, MissedTask, Standing} from "../types/AvailabilityTypes.sol";
import {LivenessReply} from "../types/MessageTypes.sol";
import {INodeConduct} from "./INodeConduct.sol";

/// @title Who was there when it mattered.
/// @notice Whether a node answers cannot be seen on a chain, so it is made a fact there: a bonded challenge that the
///      node's signature answers, relayed by anyone and paid from the bond. The missed deadline of a task that the
///      node accepted is such a fact already. Faults are strikes; strikes climb a ladder and fade with time. When too
///      much of the stake is silent at once, strikes are recorded without penalties.
interface IAvailability is INodeConduct {
    /// @notice A node was asked to answer until `replyBy`; silence is a fault that anyone may close from
    ///      `closableAt` on.
    event LivenessChallenged(
        bytes32 indexed challengeId,
        uint32 indexed nodeId,
        address indexed challenger,
        uint64 epoch,
        uint40 replyBy,
        uint40 closableAt,
        uint96 bondWei,
        uint128 snapshotWei
    );
    /// @notice The node answered. The bond paid the relayer; of the rest a part was burned, a part returned.
    event LivenessAnswered(
        bytes32 indexed challengeId,
        uint32 indexed nodeId,
        address indexed relayer,
        uint256 relayWei,
        uint256 burnedWei,
        uint256 returnedWei
    );
    /// @notice A fault was recorded. `excused`: without a penalty, because `silentWei` was too much of `totalWei`.
    event FaultRecorded(
        bytes32 indexed faultId,
        uint32 indexed nodeId,
        FaultKind kind,
        uint8 strikes,
        bool excused,
        uint256 silentWei,
        uint256 totalWei
    );
    /// @notice What a fault cost the node. `slashId` means nothing while `slashedWei` is 0.
    event PenaltyApplied(
        bytes32 indexed faultId,
        uint32 indexed nodeId,
        uint40 suspendedUntil,
        uint40 bannedUntil,
        uint16 qualityBps,
        uint256 slashId,
        uint256 slashedWei
    );
    /// @notice An appeal succeeded: the strike is gone, the stake is back.
    event FaultOverturned(bytes32 indexed faultId, uint32 indexed nodeId, uint256 returnedWei);

    /// @notice The times are zero or do not fit each other.
    error AvailabilityTermsInvalid();
    /// @notice The node is not staked, is draining, exiting or suspended: it owes no answer.
    error AvailabilityNodeNotActive(uint32 nodeId);
    /// @notice The node was challenged in this epoch before.
    error AvailabilityChallengedBefore(uint32 nodeId, uint64 epoch);
    /// @notice The bond does not pay for the answer.
    error AvailabilityBondTooSmall(uint256 bondWei, uint256 requiredWei);
    /// @notice No such challenge is open.
    error AvailabilityChallengeNotOpen(bytes32 challengeId);
    /// @notice The time to answer has passed.
    error AvailabilityReplyLate(bytes32 challengeId, uint40 replyBy);
    /// @notice The block is older than the challenge, too old to be known, or its hash is another.
    error AvailabilityBlockUnknown(bytes32 challengeId, uint256 blockNumber);
    /// @notice The answer was not signed by the node's operator of now.
    error AvailabilitySignerInvalid(uint32 nodeId, address signer);
    /// @notice The challenge cannot be closed before `closableAt`.
    error AvailabilityNotDue(bytes32 challengeId, uint40 closableAt);
    /// @notice The node did not accept this task, ended it with a receipt, the task has not expired, the report is too
    ///      late, was made before, or comes with other words than the task's.
    error AvailabilityNoMiss(bytes32 taskId, uint32 nodeId);
    /// @notice More items than one call may carry.
    error AvailabilityBatchTooLong(uint256 items, uint256 maximum);
    /// @notice No such fault, it was overturned before, or the appeal window has ended.
    error AvailabilityNotAppealable(bytes32 faultId);

    /// @notice Ask a node to show that it is there. The bond is what is sent with the call.
    /// @dev Effects: opens challenge keccak256(abi.encode(kind, chainId, this, nodeId, epoch)); its snapshot of the
    ///      stake bounds the penalty. Requirements: node in state Active, not challenged in this epoch, bond ≥
    ///      `requiredBondWei()`.
    function challengeLiveness(uint32 nodeId) external payable returns (bytes32 challengeId);

    /// @notice Relay the node's answer: its operator's LivenessReply over the hash of a block not older than the
    ///      challenge. The caller is paid gas × 1.5 from the bond.
    /// @param blockNumber The block whose hash the node signed; one of the last 256.
    function answer(LivenessReply calldata message, uint256 blockNumber, bytes calldata signature) external;

    /// @notice Close a challenge that nobody answered. Anyone may call.
    function closeChallenge(bytes32 challengeId) external;

    /// @notice Report that a node accepted a task of the direct rail and let it expire without a receipt. The caller
    ///      gets the challenger's part of the slash.
    function reportMissedTask(MissedTask calldata missed) external;

    /// @notice Take a fault back within the appeal window, and the slash with it. Requirement: appeal role.
    function overturn(bytes32 faultId) external;

    /// @notice A challenge's record; status None if it does not exist.
    function challenge(bytes32 challengeId) external view returns (Challenge memory);

    /// @notice A fault's record; nodeId 0 if it does not exist.
    function fault(bytes32 faultId) external view returns (Fault memory);

    /// @notice A node's standing now, strikes already decayed.
    function standingOf(uint32 nodeId) external view returns (Standing memory);

    /// @notice Smallest bond that opens a challenge in this block, in wei of the chain's coin.
    function requiredBondWei() external view returns (uint256);

    /// @notice Silent stake of the window that `timestamp` is in and of the one before it, in wei.
    function silentStakeWei(uint40 timestamp) external view returns (uint256);

    /// @notice Id of the challenge of a node in an epoch.
    function challengeIdOf(uint32 nodeId, uint64 epoch) external view returns (bytes32);

    /// @notice Id of the fault of a node that missed a task.
    function missedTaskIdOf(bytes32 taskId, uint32 nodeId) external view returns (bytes32);
}
