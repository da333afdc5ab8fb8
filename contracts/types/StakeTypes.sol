// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Stake of one node.
/// @param stakedWei All stake held for the node, thawing included; all of it can be slashed.
/// @param thawingWei Part that is leaving; no longer counted for eligibility.
/// @param unlockAt Chain time in seconds from which the earliest pending exit can be withdrawn; 0 when none is pending.
struct Stake {
    uint128 stakedWei;
    uint128 thawingWei;
    uint40 unlockAt;
}

/// @notice One exit on its way.
/// @param amountWei What it is worth now: what was asked, less what slashes took of it.
/// @param unlockAt Chain time in seconds from which it can be withdrawn.
struct PendingExit {
    uint128 amountWei;
    uint40 unlockAt;
}

/// @notice What is fixed for ever when a vault is deployed.
/// @param thawPeriodSeconds Time between beginExit and withdraw.
/// @param disputeWindowSeconds A fee lock lasts between one and two of these.
/// @param appealWindowSeconds How long a slash is held before it is paid out.
/// @param minimumBucketWei Least that a slasher may take in a day, however little is staked.
struct StakeTerms {
    uint40 thawPeriodSeconds;
    uint40 disputeWindowSeconds;
    uint40 appealWindowSeconds;
    uint128 minimumBucketWei;
}

/// @notice What a slasher asks for. Whatever exceeds a bound is clipped to it.
/// @param amountWei Stake to take from the node.
/// @param reason Names the kind of fault.
/// @param evidence Hash of, or reference to, what proves it.
/// @param compensated Whom the fault harmed; zero for nobody.
/// @param compensationWei What it gets, at most 40 % of what is taken.
/// @param challenger Who brought the evidence; zero for nobody.
/// @param challengerWei What it gets, at most 10 % of what is taken.
struct SlashOrder {
    uint256 amountWei;
    bytes32 reason;
    bytes32 evidence;
    address compensated;
    uint256 compensationWei;
    address challenger;
    uint256 challengerWei;
}

/// @notice A slash between being taken and being paid out or reversed. Three storage slots.
/// @param compensated As ordered; zero for nobody.
/// @param payableAt Chain time in seconds: reversible before, payable from then on.
/// @param nodeId The node that lost the stake.
/// @param challenger As ordered; zero for nobody.
/// @param challengerWei After clipping.
/// @param slashedWei What was taken; what the two do not get is burned.
/// @param compensationWei After clipping.
struct HeldSlash {
    address compensated;
    uint40 payableAt;
    uint32 nodeId;
    address challenger;
    uint96 challengerWei;
    uint128 slashedWei;
    uint128 compensationWei;
}
