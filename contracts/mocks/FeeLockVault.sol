// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IStakeRail} from "../interfaces/IStakeRail.sol";
import {SlashOrder} from "../types/StakeTypes.sol";

/// @title The stake vault as a rail sees it: fee locks in one slot a node, slashes clipped to the stake.
/// @dev Reads and writes the slots that the real one does, so that its gas is counted.
contract FeeLockVault is IStakeRail {
    event StakeLockShort(uint32 indexed nodeId, uint256 askedWei, uint256 lockedWei);

    struct FeeLock {
        uint32 period;
        uint112 currentWei;
        uint112 previousWei;
    }

    struct Stake {
        uint128 stakedWei;
        uint128 thawingWei;
    }

    uint256 private immutable _periodSeconds;
    mapping(address rail => bool) private _rails;
    mapping(uint32 nodeId => Stake) public stakes;
    mapping(uint32 nodeId => FeeLock) private _locks;
    uint256 private _slashes;
    uint256 private _reachWei = type(uint256).max;
    /// @notice The newest slash, for tests to look at.
    SlashOrder public lastOrder;

    error FeeLockNotRail(address caller);

    constructor(uint256 periodSeconds) {
        _periodSeconds = periodSeconds;
    }

    function setRail(address rail) external {
        _rails[rail] = true;
    }

    function setStake(uint32 nodeId, uint128 stakedWei) external {
        stakes[nodeId].stakedWei = stakedWei;
    }

    /// @notice The most that one slash takes, as a slasher's bucket limits it.
    function setReach(uint256 reachWei) external {
        _reachWei = reachWei;
    }

    /// @inheritdoc IStakeRail
    function lock(uint32 nodeId, uint256 amountWei) external {
        if (!_rails[msg.sender]) revert FeeLockNotRail(msg.sender);
        FeeLock memory stored = _current(nodeId);
        Stake memory stake = stakes[nodeId];
        uint256 activeWei = stake.stakedWei - stake.thawingWei;
        uint256 lockedWei = uint256(stored.currentWei) + stored.previousWei;
        uint256 freeWei = activeWei > lockedWei ? activeWei - lockedWei : 0;
        uint256 addedWei = amountWei < freeWei ? amountWei : freeWei;
        stored.currentWei += uint112(addedWei);
        _locks[nodeId] = stored;
        if (addedWei < amountWei) emit StakeLockShort(nodeId, amountWei, addedWei);
    }

    /// @inheritdoc IStakeRail
    function slash(uint32 nodeId, SlashOrder calldata order) external returns (uint256 slashId, uint256 slashedWei) {
        if (!_rails[msg.sender]) revert FeeLockNotRail(msg.sender);
        Stake storage stake = stakes[nodeId];
        slashId = ++_slashes;
        slashedWei = order.amountWei < stake.stakedWei ? order.amountWei : stake.stakedWei;
        if (slashedWei > _reachWei) slashedWei = _reachWei;
        stake.stakedWei -= uint128(slashedWei);
        lastOrder = order;
    }

    /// @notice What the registry asks for.
    function activeStakeOf(uint32 nodeId) external view returns (uint128) {
        return stakes[nodeId].stakedWei - stakes[nodeId].thawingWei;
    }

    function lockedOf(uint32 nodeId) external view returns (uint256) {
        FeeLock memory stored = _current(nodeId);
        return uint256(stored.currentWei) + stored.previousWei;
    }

    function _current(uint32 nodeId) private view returns (FeeLock memory stored) {
        stored = _locks[nodeId];
        uint32 period = uint32(block.timestamp / _periodSeconds);
        if (stored.period == period) return stored;
        stored.previousWei = stored.period + 1 == period ? stored.currentWei : 0;
        stored.currentWei = 0;
        stored.period = period;
    }
}
