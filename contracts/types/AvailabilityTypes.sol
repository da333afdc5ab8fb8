// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Assigned, TaskTerms} from "./TaskTypes.sol";

/// @notice Where a liveness challenge stands; the last three are terminal.
enum ChallengeStatus {
    None,
    Open,
    Answered,
    Silent,
    Excused
}

/// @notice Why a node got a strike.
enum FaultKind {
    Silence,
    MissedTask
}

/// @notice One liveness challenge.
/// @param challenger Who posted the bond.
/// @param bondWei Bond in wei of the chain's coin.
/// @param nodeId Who must answer.
/// @param challengedAt Chain time in seconds.
/// @param challengedBlock The answer names the hash of this block or of a later one.
/// @param status See ChallengeStatus.
/// @param counted True while its stake counts as silent in its window.
/// @param snapshotWei The node's slashable stake when it was challenged.
struct Challenge {
    address challenger;
    uint96 bondWei;
    uint32 nodeId;
    uint40 challengedAt;
    uint64 challengedBlock;
    ChallengeStatus status;
    bool counted;
    uint128 snapshotWei;
}

/// @notice What a node's faults made of it.
/// @param strikes Strikes at `lastStrikeAt`; they decay one by one with time.
/// @param lastStrikeAt Chain time in seconds of the newest strike.
/// @param suspendedUntil Out of selection until then.
/// @param bannedUntil Quality counts as zero until then, so nobody draws it: no rewards.
/// @param excused Faults that were recorded while too much of the stake was silent; they climb no ladder.
struct Standing {
    uint8 strikes;
    uint40 lastStrikeAt;
    uint40 suspendedUntil;
    uint40 bannedUntil;
    uint32 excused;
}

/// @notice A recorded fault.
/// @param nodeId Whose.
/// @param recordedAt Chain time in seconds.
/// @param excused True if it was recorded without a penalty.
/// @param overturned True once an appeal succeeded.
/// @param slashedWei Taken of the stake.
/// @param slashId The vault's id of it; meaningless while slashedWei is 0.
struct Fault {
    uint32 nodeId;
    uint40 recordedAt;
    bool excused;
    bool overturned;
    uint128 slashedWei;
    uint256 slashId;
}

/// @notice A task that `nodeId` accepted and did not finish.
/// @param terms As in TaskPosted.
/// @param standing As in its last TaskAssigned.
struct MissedTask {
    bytes32 taskId;
    uint32 nodeId;
    TaskTerms terms;
    Assigned standing;
}

/// @notice Times and the bond, fixed at deployment. A change of them is a new contract, so nothing open changes.
/// @param epochSeconds One challenge per node and epoch; a suspension ends with its epoch.
/// @param replyWindowSeconds Time to answer; also the window in which silence is weighed against all stake.
/// @param reportWindowSeconds A missed task can be reported for so long after it could be expired.
/// @param decaySeconds One strike is forgotten for each such time without a new one.
/// @param banSeconds Length of a reward ban.
/// @param appealWindowSeconds A fault can be overturned for so long.
/// @param minimumBondWei Smallest bond of a challenge.
struct AvailabilityTerms {
    uint40 epochSeconds;
    uint40 replyWindowSeconds;
    uint40 reportWindowSeconds;
    uint40 decaySeconds;
    uint40 banSeconds;
    uint40 appealWindowSeconds;
    uint96 minimumBondWei;
}
