// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Stake of every node, and its way out by time alone.
/// @notice Amounts are wei of the stake token. Invariant INV-4: thawing ≤ stake.
interface IStakeVault {
    /// @notice Stake of one node.
    /// @param stakedWei All stake held for the node, thawing included.
    /// @param thawingWei Part that is leaving; still held, no longer counted for eligibility.
    /// @param unlockAt Chain time in seconds from which the thawing part can be withdrawn; 0 when none is thawing.
    struct Stake {
        uint128 stakedWei;
        uint128 thawingWei;
        uint40 unlockAt;
    }

    /// @notice Stake was added.
    event StakeDeposited(uint32 indexed nodeId, address indexed from, uint128 amountWei, uint128 stakedWei);
    /// @notice A part of the stake began to thaw.
    event ExitBegun(uint32 indexed nodeId, uint128 amountWei, uint40 unlockAt);
    /// @notice The thawing part became active stake again.
    event ExitCancelled(uint32 indexed nodeId, uint128 amountWei);
    /// @notice Thawed stake left to the node's owner.
    event StakeWithdrawn(uint32 indexed nodeId, address indexed to, uint128 amountWei, uint128 stakedWei);

    /// @notice An amount of zero makes no sense here.
    error StakeZeroAmount();
    /// @notice Only the node's owner may do this.
    error StakeNotOwner(uint32 nodeId, address caller);
    /// @notice More was asked than is active.
    error StakeInsufficient(uint32 nodeId, uint128 activeWei, uint128 askedWei);
    /// @notice One exit at a time: withdraw or cancel the pending one first.
    error ExitPending(uint32 nodeId, uint40 unlockAt);
    /// @notice Nothing is thawing.
    error ExitNotBegun(uint32 nodeId);
    /// @notice The thaw has not ended.
    error ExitStillThawing(uint32 nodeId, uint40 unlockAt);

    /// @notice Stake for a node. Effects: pulls `amountWei` from the caller. Requirement: caller owns the node,
    ///      allowance given.
    function stake(uint32 nodeId, uint128 amountWei) external;

    /// @notice As `stake`, with an EIP-2612 permit in the same transaction (a permit already used is no error).
    function stakeWithPermit(uint32 nodeId, uint128 amountWei, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external;

    /// @notice Begin to exit with `amountWei`. Requirement: caller owns the node; no exit pending; amount is active.
    function beginExit(uint32 nodeId, uint128 amountWei) external;

    /// @notice Turn the thawing part back into active stake. Requirement: caller owns the node.
    function cancelExit(uint32 nodeId) external;

    /// @notice Send the thawed part to the node's owner. Anyone may call once the thaw has ended.
    function withdraw(uint32 nodeId) external;

    /// @notice The node's stake record.
    function stakeOf(uint32 nodeId) external view returns (Stake memory);

    /// @notice Staked minus thawing, in wei.
    function activeStakeOf(uint32 nodeId) external view returns (uint128);

    /// @notice Seconds between beginExit and withdraw; fixed at deployment.
    function thawPeriod() external view returns (uint40);
}
