// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What keepers have at stake, and its way out by time alone.
/// @notice Amounts are wei of the stake token. Anyone becomes a keeper by bonding the minimum; a bond is taken only
///         for a wrong posted draw. No role can move one.
interface IKeeperBonds {
    /// @notice One keeper.
    /// @param account Who bonded, signs and is paid back.
    /// @param bondWei All that is held, the leaving part included.
    /// @param exitingWei Part that is leaving: can still be taken, no longer counts.
    /// @param unlockAt Chain time in seconds from which the leaving part can be withdrawn; 0 when none is.
    struct Keeper {
        address account;
        uint96 bondWei;
        uint96 exitingWei;
        uint40 unlockAt;
    }

    /// @notice A keeper bonded, or bonded more.
    event KeeperBonded(uint32 indexed keeperId, address indexed account, uint96 amountWei, uint96 bondWei);
    /// @notice A part of the bond began to leave.
    event KeeperExitBegun(uint32 indexed keeperId, uint96 exitingWei, uint40 unlockAt);
    /// @notice The leaving part left to its keeper.
    event KeeperWithdrawn(uint32 indexed keeperId, address indexed account, uint96 amountWei, uint96 bondWei);
    /// @notice A bond was taken: half of it burned, half credited to `beneficiary`.
    event KeeperSlashed(uint32 indexed keeperId, address indexed beneficiary, uint96 slashedWei, uint96 bondWei);
    /// @notice A failed challenge cost its challenger: half of it burned, half credited to `beneficiary`.
    event ChallengeBondTaken(address indexed challenger, address indexed beneficiary, uint256 amountWei);
    /// @notice A credit was paid out.
    event BondCreditPaid(address indexed account, uint256 amountWei);
    /// @notice The contract that may lock and take bonds is final.
    event BondAssignmentFixed(address assignment);

    /// @notice An amount of zero makes no sense here.
    error BondZeroAmount();
    /// @notice A keeper's bond would lie below the minimum.
    error BondBelowMinimum(uint256 bondWei, uint256 minimumWei);
    /// @notice The account is no keeper.
    error BondNotKeeper(address account);
    /// @notice More was asked than is there, unlocked and not leaving.
    error BondShort(address account, uint256 freeWei, uint256 askedWei);
    /// @notice Nothing is leaving, or not yet.
    error BondNotUnlocked(uint32 keeperId, uint40 unlockAt);
    /// @notice The account has no credit.
    error BondNoCredit(address account);
    /// @notice The token delivered less than it was asked for.
    error BondTokenShort(uint256 expectedWei, uint256 receivedWei);
    /// @notice Only the assignment contract may do this.
    error BondNotAssignment(address caller);
    /// @notice The assignment contract was fixed before, is zero, or the caller may not fix it.
    error BondAssignmentIsFixed();
    /// @notice A parameter lies outside its bounds.
    error BondParameterInvalid();

    /// @notice Become a keeper, or bond more. Effects: pulls `amountWei` from the caller.
    /// @dev Requirements: allowance given; what does not leave is at least the minimum afterwards.
    function bond(uint96 amountWei) external returns (uint32 keeperId);

    /// @notice Begin to leave with `amountWei`; a part that is leaving already waits anew with it.
    /// @dev Requirement: caller is a keeper and has so much that is not leaving. What is locked may leave: it can be
    ///      taken until after its lock has ended.
    function beginExit(uint96 amountWei) external;

    /// @notice Send the leaving part to its keeper. Anyone may call once the delay has ended.
    function withdraw(uint32 keeperId) external;

    /// @notice Send an account's credit to it. Anyone may call.
    function withdrawCredit(address account) external;

    /// @notice Lock a part of a keeper's bond for one to two lock periods. Requirement: caller is the assignment
    ///         contract; BondShort if the free bond does not cover it.
    function lock(address account, uint96 amountWei) external returns (uint32 keeperId);

    /// @notice Take up to `amountWei` of a keeper's bond. Requirement: caller is the assignment contract.
    /// @dev Takes what is there and never reverts because a bond is short.
    function slash(address account, uint96 amountWei, address beneficiary) external returns (uint96 slashedWei);

    /// @notice Take `amountWei` from a challenger who was wrong. Requirements: caller is the assignment contract;
    ///         allowance given.
    function takeFrom(address challenger, uint96 amountWei, address beneficiary) external;

    /// @notice A keeper's record; empty if there is none.
    function keeper(uint32 keeperId) external view returns (Keeper memory);

    /// @notice Id of a keeper whose bond suffices now; 0 otherwise.
    function bondedIdOf(address account) external view returns (uint32);

    /// @notice Id of whoever ever bonded; 0 otherwise.
    function idOf(address account) external view returns (uint32);

    /// @notice The keeper's weight in a draw: linear in its bond, up to 100 times the minimum; 0 below the minimum.
    function weightOf(uint32 keeperId) external view returns (uint32);

    /// @notice Part of the keeper's bond that posted draws lock now.
    function lockedOf(uint32 keeperId) external view returns (uint256);

    /// @notice Wei that can be paid out to the account.
    function creditOf(address account) external view returns (uint256);

    /// @notice Seconds between beginExit and withdraw.
    function exitDelayS() external view returns (uint40);

    /// @notice Seconds for which a lock holds at least.
    function lockPeriodS() external view returns (uint40);

    /// @notice Bond in wei that makes a keeper.
    function minimumBondWei() external view returns (uint96);
}
