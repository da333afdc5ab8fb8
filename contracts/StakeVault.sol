// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {INodeRegistry} from "./interfaces/INodeRegistry.sol";
import {IStakeVault} from "./interfaces/IStakeVault.sol";

/// @title StakeVault
/// @notice Immutable and without roles: stake leaves only to its node's owner, after the thaw, whoever calls.
contract StakeVault is IStakeVault, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @notice The thaw period is outside its bounds.
    error ThawPeriodOutOfBounds(uint40 thawPeriodSeconds, uint40 minimum, uint40 maximum);
    /// @notice An address that must not be zero is zero.
    error StakeZeroAddress();
    /// @notice The token delivered less than it was asked for.
    error StakeTokenShort(uint256 expectedWei, uint256 receivedWei);

    /// @notice Shortest thaw that may be fixed, in seconds.
    uint40 public constant MIN_THAW_PERIOD = 1 minutes;
    /// @notice Longest thaw that may be fixed, in seconds.
    uint40 public constant MAX_THAW_PERIOD = 28 days;

    /// @notice The stake token.
    IERC20 public immutable token;
    /// @notice Names the owner of each node.
    INodeRegistry public immutable registry;
    /// @inheritdoc IStakeVault
    uint40 public immutable thawPeriod;

    mapping(uint32 nodeId => Stake) private _stakes;

    constructor(IERC20 token_, INodeRegistry registry_, uint40 thawPeriod_) {
        if (address(token_) == address(0) || address(registry_) == address(0)) revert StakeZeroAddress();
        if (thawPeriod_ < MIN_THAW_PERIOD || thawPeriod_ > MAX_THAW_PERIOD) {
            revert ThawPeriodOutOfBounds(thawPeriod_, MIN_THAW_PERIOD, MAX_THAW_PERIOD);
        }
        token = token_;
        registry = registry_;
        thawPeriod = thawPeriod_;
    }

    modifier onlyNodeOwner(uint32 nodeId) {
        if (registry.node(nodeId).owner != msg.sender) revert StakeNotOwner(nodeId, msg.sender);
        _;
    }

    /// @inheritdoc IStakeVault
    function stake(uint32 nodeId, uint128 amountWei) external nonReentrant onlyNodeOwner(nodeId) {
        _stake(nodeId, amountWei);
    }

    /// @inheritdoc IStakeVault
    function stakeWithPermit(uint32 nodeId, uint128 amountWei, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
        nonReentrant
        onlyNodeOwner(nodeId)
    {
        // A permit that somebody submitted earlier has left its allowance behind; one that never was valid fails in
        // the pull.
        try IERC20Permit(address(token)).permit(msg.sender, address(this), amountWei, deadline, v, r, s) {} catch {}
        _stake(nodeId, amountWei);
    }

    /// @inheritdoc IStakeVault
    function beginExit(uint32 nodeId, uint128 amountWei) external onlyNodeOwner(nodeId) {
        Stake storage stored = _stakes[nodeId];
        if (amountWei == 0) revert StakeZeroAmount();
        if (stored.thawingWei != 0) revert ExitPending(nodeId, stored.unlockAt);
        if (amountWei > stored.stakedWei) revert StakeInsufficient(nodeId, stored.stakedWei, amountWei);

        uint40 unlockAt = uint40(block.timestamp) + thawPeriod;
        stored.thawingWei = amountWei;
        stored.unlockAt = unlockAt;
        emit ExitBegun(nodeId, amountWei, unlockAt);
    }

    /// @inheritdoc IStakeVault
    function cancelExit(uint32 nodeId) external onlyNodeOwner(nodeId) {
        uint128 amountWei = _endExit(nodeId);
        emit ExitCancelled(nodeId, amountWei);
    }

    /// @inheritdoc IStakeVault
    function withdraw(uint32 nodeId) external nonReentrant {
        Stake storage stored = _stakes[nodeId];
        if (block.timestamp < stored.unlockAt) revert ExitStillThawing(nodeId, stored.unlockAt);

        uint128 amountWei = _endExit(nodeId);
        uint128 stakedWei = stored.stakedWei - amountWei;
        stored.stakedWei = stakedWei;
        address owner = registry.node(nodeId).owner;
        emit StakeWithdrawn(nodeId, owner, amountWei, stakedWei);
        token.safeTransfer(owner, amountWei);
    }

    /// @inheritdoc IStakeVault
    function stakeOf(uint32 nodeId) external view returns (Stake memory) {
        return _stakes[nodeId];
    }

    /// @inheritdoc IStakeVault
    function activeStakeOf(uint32 nodeId) external view returns (uint128) {
        Stake storage stored = _stakes[nodeId];
        return stored.stakedWei - stored.thawingWei;
    }

    function _stake(uint32 nodeId, uint128 amountWei) private {
        if (amountWei == 0) revert StakeZeroAmount();

        uint128 stakedWei = _stakes[nodeId].stakedWei + amountWei;
        _stakes[nodeId].stakedWei = stakedWei;
        emit StakeDeposited(nodeId, msg.sender, amountWei, stakedWei);

        uint256 before = token.balanceOf(address(this));
        token.safeTransferFrom(msg.sender, address(this), amountWei);
        uint256 receivedWei = token.balanceOf(address(this)) - before;
        if (receivedWei < amountWei) revert StakeTokenShort(amountWei, receivedWei);
    }

    /// @dev Clears the pending exit and says how much was thawing.
    function _endExit(uint32 nodeId) private returns (uint128 amountWei) {
        Stake storage stored = _stakes[nodeId];
        amountWei = stored.thawingWei;
        if (amountWei == 0) revert ExitNotBegun(nodeId);
        stored.thawingWei = 0;
        stored.unlockAt = 0;
    }
}
