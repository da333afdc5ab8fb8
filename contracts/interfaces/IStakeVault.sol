// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {HeldSlash, PendingExit, SlashOrder, Stake} from "../types/StakeTypes.sol";

/// @title Stake of every node: its way in, its way out by time alone, and what a fault costs.
/// @notice Amounts are wei of the stake token.
///      INV-1   the vault's tokens ≥ all stake + held slashes + credits.
///      INV-4   thawing ≤ stake, locked ≤ active stake.
///      INV-5   stake that was active at a time can be slashed for one thaw period from then, and a thaw is at least
///              two dispute windows and an appeal window long; what a fee locked is active for a dispute window.
///      INV-6   a slasher takes at most a full bucket at once, and one more each day.
///      INV-7   stake leaves to its node's owner, as a capped compensation or reward, or is burned; nowhere else.
///      INV-10  no role, and no lack of one, holds up an exit or a credit.
///      INV-17  at least half of a slash is burned, so being slashed is never a better exit than the thaw.
interface IStakeVault {
    /// @notice Stake was added.
    event StakeDeposited(uint32 indexed nodeId, address indexed from, uint128 amountWei, uint128 stakedWei);
    /// @notice A part of the stake began to thaw.
    event ExitBegun(uint32 indexed nodeId, uint128 amountWei, uint40 unlockAt);
    /// @notice All that was thawing became active stake again.
    event ExitCancelled(uint32 indexed nodeId, uint128 amountWei);
    /// @notice Thawed stake left to the node's owner: every exit that was due.
    event StakeWithdrawn(uint32 indexed nodeId, address indexed to, uint128 amountWei, uint128 stakedWei);
    /// @notice A settled fee found less free stake than it should lock. One that locks in full says nothing: the
    ///      settlement's own event does.
    event StakeLockShort(uint32 indexed nodeId, uint256 askedWei, uint256 lockedWei);
    /// @notice Stake was taken and is held until `payableAt`. slashId is 0 where there was nothing to take.
    event StakeSlashed(
        uint256 indexed slashId,
        uint32 indexed nodeId,
        address indexed slasher,
        bytes32 reason,
        bytes32 evidence,
        uint256 askedWei,
        uint256 slashedWei,
        uint256 compensationWei,
        uint256 challengerWei,
        uint40 payableAt
    );
    /// @notice A slash took `takenWei` of what was thawing. Of the pending exits `thawingWei` is left; if that is 0,
    ///      they are void.
    event ExitsSlashed(uint32 indexed nodeId, uint128 takenWei, uint128 thawingWei);
    /// @notice The appeal window ended: two shares are credited, the rest is burned.
    event SlashFinished(
        uint256 indexed slashId,
        address indexed compensated,
        uint256 compensationWei,
        address indexed challenger,
        uint256 challengerWei,
        uint256 burnedWei
    );
    /// @notice An appeal gave all of a slash back to the node as active stake.
    event SlashReversed(uint256 indexed slashId, uint32 indexed nodeId, uint128 amountWei, uint128 stakedWei);
    /// @notice A compensation or reward was paid out.
    event StakeCreditPaid(address indexed account, uint256 amountWei);
    /// @notice The contracts that may lock stake are final.
    event RailsFixed(address[] rails);

    /// @notice An amount of zero makes no sense here.
    error StakeZeroAmount();
    /// @notice An address that must not be zero is zero.
    error StakeZeroAddress();
    /// @notice Only the node's owner may do this.
    error StakeNotOwner(uint32 nodeId, address caller);
    /// @notice Only a rail may do this.
    error StakeNotRail(address caller);
    /// @notice The rails were fixed before, or the caller may not fix them.
    error StakeRailsFixed();
    /// @notice Only a holder of this role may do this.
    error StakeRoleMissing(uint64 role, address caller);
    /// @notice More was asked than is active.
    error StakeInsufficient(uint32 nodeId, uint128 activeWei, uint128 askedWei);
    /// @notice More was asked than settled fees leave free for now.
    error StakeStillLocked(uint32 nodeId, uint128 freeWei, uint128 askedWei);
    /// @notice As many exits are pending as may be; the earliest is due at `unlockAt`.
    error ExitPending(uint32 nodeId, uint40 unlockAt);
    /// @notice Nothing is thawing.
    error ExitNotBegun(uint32 nodeId);
    /// @notice No exit is due yet.
    error ExitStillThawing(uint32 nodeId, uint40 unlockAt);
    /// @notice There is no such slash, or it was paid out or reversed.
    error SlashNotHeld(uint256 slashId);
    /// @notice The slash may still be appealed.
    error SlashNotPayable(uint256 slashId, uint40 payableAt);
    /// @notice The appeal window of the slash has ended.
    error SlashFinal(uint256 slashId, uint40 payableAt);
    /// @notice The thaw period is outside its bounds.
    error ThawPeriodOutOfBounds(uint40 thawPeriodSeconds, uint40 minimum, uint40 maximum);
    /// @notice The dispute window or the appeal window is zero, or they do not fit into the thaw.
    error StakeWindowsOutOfBounds(uint40 disputeWindowSeconds, uint40 appealWindowSeconds, uint40 thawPeriodSeconds);
    /// @notice The token delivered less than it was asked for.
    error StakeTokenShort(uint256 expectedWei, uint256 receivedWei);

    /* THE OWNER */

    /// @notice Stake for a node. Effects: pulls `amountWei` from the caller. Requirement: caller owns the node,
    ///      allowance given.
    function stake(uint32 nodeId, uint128 amountWei) external;

    /// @notice As `stake`, with an EIP-2612 permit in the same transaction (a permit already used is no error).
    function stakeWithPermit(uint32 nodeId, uint128 amountWei, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external;

    /// @notice Begin to exit with `amountWei`. Effects: it thaws, and can be slashed until it is withdrawn.
    ///      Requirement: caller owns the node; the amount is active and not locked; fewer than 32 exits are pending.
    function beginExit(uint32 nodeId, uint128 amountWei) external;

    /// @notice Turn all that is thawing back into active stake. Requirement: caller owns the node.
    function cancelExit(uint32 nodeId) external;

    /// @notice Send every exit that is due to the node's owner. Anyone may call.
    function withdraw(uint32 nodeId) external;

    /* RAILS */

    /// @notice Lock stake for a settled fee, for one to two dispute windows: it cannot begin to exit. Effects: clips to
    ///      the active stake that is not locked yet, and never reverts for lack of it. Requirement: caller is a rail.
    function lock(uint32 nodeId, uint256 amountWei) external;

    /* FAULTS */

    /// @notice Take stake for a fault and hold it for the appeal window. Effects: clips the amount to the stake and to
    ///      the caller's bucket, the shares to their caps; takes from active and thawing stake in proportion; never
    ///      reverts for lack of stake, and then returns 0, 0. Requirement: caller holds SLASHER_ROLE now.
    function slash(uint32 nodeId, SlashOrder calldata order) external returns (uint256 slashId, uint256 slashedWei);

    /// @notice Credit both shares and burn the rest. Anyone may call once the appeal window has ended.
    function finishSlash(uint256 slashId) external;

    /// @notice Give all of a slash back to its node. Requirement: caller holds APPEAL_ROLE; the window has not ended.
    function reverseSlash(uint256 slashId) external;

    /// @notice Send an account its credit from slashes. Anyone may call.
    function payCredit(address account) external;

    /* VIEWS */

    /// @notice The node's stake record.
    function stakeOf(uint32 nodeId) external view returns (Stake memory);

    /// @notice Staked minus thawing, in wei.
    function activeStakeOf(uint32 nodeId) external view returns (uint128);

    /// @notice Active and thawing stake, in wei: what a dispute that opens now can reach, for its snapshot.
    function slashableOf(uint32 nodeId) external view returns (uint128);

    /// @notice Active stake that settled fees lock now, in wei.
    function lockedOf(uint32 nodeId) external view returns (uint128);

    /// @notice Every pending exit, earliest first.
    function exitsOf(uint32 nodeId) external view returns (PendingExit[] memory);

    /// @notice Stake of all nodes, thawing included, in wei.
    function totalStakedWei() external view returns (uint128);

    /// @notice A slash that is held; all zero when it is not.
    function slashOf(uint256 slashId) external view returns (HeldSlash memory);

    /// @notice Slashes ever held; their ids are 1 to this.
    function slashCount() external view returns (uint128);

    /// @notice What a slasher may take now, and a full bucket, in wei.
    function bucketOf(address slasher) external view returns (uint256 availableWei, uint256 capacityWei);

    /// @notice Compensation and rewards not paid out yet, in wei.
    function creditOf(address account) external view returns (uint256);

    /// @notice True when the contract may lock stake.
    function isRail(address rail) external view returns (bool);

    /// @notice Seconds between beginExit and withdraw; fixed at deployment.
    function thawPeriod() external view returns (uint40);

    /// @notice A fee lock lasts between one and two of these, in seconds; fixed at deployment.
    function disputeWindow() external view returns (uint40);

    /// @notice Seconds that a slash is held; fixed at deployment.
    function appealWindow() external view returns (uint40);
}
