// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FeeLocks} from "../../contracts/libraries/FeeLocks.sol";
import {SlashBucket} from "../../contracts/libraries/SlashBucket.sol";
import {SlashSplit} from "../../contracts/libraries/SlashSplit.sol";
import {ThawPool} from "../../contracts/libraries/ThawPool.sol";
import {HeldSlash, SlashOrder} from "../../contracts/types/StakeTypes.sol";

/// @title The arithmetic of the stake vault at every value, type edges included.
contract StakeVaultFuzzTest {
    using FeeLocks for FeeLocks.Lock;
    using SlashBucket for SlashBucket.Bucket;
    using ThawPool for ThawPool.Pool;

    ThawPool.Pool private _pool;
    FeeLocks.Lock private _lock;
    SlashBucket.Bucket private _bucket;

    /// @dev Bug class 7 (thawing above stake bricks the last exit; Graph-T H-4).
    function testFuzz_anySequenceOfExitsAndSlashesEndsAtZero(uint128 first, uint256[24] calldata seeds) external {
        _pool.stakedWei = first;
        uint256 outWei;
        uint256 inWei = first;
        uint40 now_ = 1;
        for (uint256 i = 0; i < seeds.length; ++i) {
            uint256 seed = seeds[i];
            uint128 activeWei = _pool.stakedWei - _pool.thawingWei;
            uint256 act = seed % 5;
            seed >>= 8;
            if (act == 0 && activeWei != 0) {
                _pool.begin(uint128(1 + _part(seed, activeWei - 1)), now_ + 10);
            } else if (act == 1) {
                uint128 amountWei = uint128(_part(seed, _pool.stakedWei));
                outWei += amountWei;
                _pool.slash(amountWei);
            } else if (act == 2) {
                outWei += _pool.takeDue(now_);
            } else if (act == 3) {
                uint128 amountWei = uint128(_part(seed, type(uint128).max - _pool.stakedWei));
                inWei += amountWei;
                _pool.stakedWei += amountWei;
            } else {
                now_ += uint40(seed % 8);
            }
            _checkPool();
        }
        outWei += _pool.takeDue(type(uint40).max);
        require(_pool.thawingWei == 0 && _pool.shares == 0, "the last exit takes all that thaws");
        require(inWei == outWei + _pool.stakedWei, "nothing is made or lost");
    }

    function testFuzz_anExitIsWorthWhatWasAsked(uint128 staked, uint128 before, uint128 slashed, uint128 asked) external {
        _pool.stakedWei = staked;
        if (staked < 3) return;
        before = uint128(1 + before % (staked / 2));
        _pool.begin(before, 5);
        _pool.slash(slashed % (staked / 4 + 1));
        uint128 activeWei = _pool.stakedWei - _pool.thawingWei;
        if (activeWei == 0) return;
        asked = uint128(1 + asked % activeWei);
        bool isFirst = _pool.shares == 0;
        _pool.begin(asked, 9);
        uint128 worthWei = _pool.valueOf(_pool.exits[_pool.next - 1].shares);
        require(worthWei >= asked && worthWei <= uint256(asked) + 1, "at least what was asked, at most a wei more");
        require(!isFirst || worthWei == asked, "exact where nothing is shared");
    }

    /// @dev Bug class 23 (a slash rounds to nothing; EL-Cantina 3.1.2).
    function testFuzz_aSlashTakesExactlyItsAmount(uint128 staked, uint128 thawing, uint128 amount) external {
        if (staked == 0) return;
        _pool.stakedWei = staked;
        thawing %= staked;
        if (thawing != 0) _pool.begin(thawing, 5);
        amount = uint128(1 + amount % staked);
        (uint128 fromThawingWei, uint128 thawingWei) = _pool.slash(amount);
        require(_pool.stakedWei == staked - amount, "the loss is the amount");
        require(fromThawingWei <= amount && fromThawingWei <= thawing, "of the thawing part a part");
        require(thawingWei == _pool.thawingWei && thawingWei <= _pool.stakedWei, "INV-4");
        // In proportion, with the rounding on the thawing part.
        require(uint256(fromThawingWei) * staked >= uint256(amount) * thawing, "rounded up");
    }

    function testFuzz_aLockLastsOneToTwoWindows(uint40 since, uint40 later, uint24 window, uint112 amount) external {
        uint256 windowS = uint256(window) + 1;
        uint256 start = uint256(since) % (uint256(type(uint32).max) * windowS / 2);
        uint112 lockedWei = _lock.add(uint32(start / windowS), amount, type(uint256).max);
        require(lockedWei == amount, "all of it fits");
        uint256 after_ = start + uint256(later) % (3 * windowS);
        uint256 seenWei = _lock.lockedIn(uint32(after_ / windowS));
        if (after_ < start + windowS) require(seenWei == amount, "held for a window");
        if (after_ >= start + 2 * windowS) require(seenWei == 0, "gone after two");
        require(seenWei == 0 || seenWei == amount, "all or nothing");
    }

    /// @dev Bug class 22 (unsafe casts; EL-Certora C-01): no amount overflows the slot.
    function testFuzz_locksClipAndNeverRevert(uint256 asked, uint256 again, uint256 active, uint8 step) external {
        uint256 first = _lock.add(7, asked, active);
        require(first <= asked && first <= active, "clipped");
        uint32 period = 7 + uint32(step % 4);
        uint256 second = _lock.add(period, again, active);
        uint256 sumWei = _lock.lockedIn(period);
        require(sumWei <= active, "INV-4: locks together are within the active stake");
        require(sumWei == (period < 9 ? first : 0) + second, "the sum of what holds");
    }

    function testFuzz_aBucketNeverGivesMoreThanItHolds(
        uint128 capacity,
        uint40 first,
        uint40 later,
        uint256 asked,
        uint256 again
    ) external {
        // No block has the time 0.
        if (capacity == 0 || first == 0) return;
        uint256 takenWei = _bucket.take(asked, capacity, first);
        require(takenWei == (asked < capacity ? asked : capacity), "a fresh bucket is full");
        uint256 now_ = uint256(first) + later % 3 days;
        if (now_ > type(uint40).max) return;
        uint256 secondWei = _bucket.take(again, capacity, now_);
        uint256 refilledWei = uint256(capacity) * (now_ - first) / 1 days;
        require(secondWei <= capacity && takenWei + secondWei <= uint256(capacity) + refilledWei, "INV-6");
    }

    /// @dev Bug class 27 (slash yourself to exit early; OZ-25 L-18).
    function testFuzz_atLeastHalfOfASlashIsBurned(SlashOrder calldata order, uint128 slashed) external view {
        HeldSlash memory held = this.split(order, slashed);
        uint256 burnedWei = SlashSplit.burned(held);
        require(burnedWei + held.compensationWei + held.challengerWei == slashed, "nothing is made or lost");
        require(burnedWei * 2 >= slashed, "half is burned");
        require(uint256(held.compensationWei) * 10 <= uint256(slashed) * 4, "compensation is capped");
        require(uint256(held.challengerWei) * 10 <= slashed, "the reward is capped");
        require(held.compensationWei <= order.compensationWei && held.challengerWei <= order.challengerWei, "asked");
        require(order.compensated != address(0) || held.compensationWei == 0, "nobody gets nothing");
    }

    function split(SlashOrder calldata order, uint128 slashed) external pure returns (HeldSlash memory) {
        return SlashSplit.held(order, 1, slashed, 2);
    }

    function _checkPool() private view {
        require(_pool.thawingWei <= _pool.stakedWei, "INV-4");
        require((_pool.shares == 0) == (_pool.thawingWei == 0), "no share without stake behind it");
        require((_pool.shares == 0) == (_pool.pending() == 0), "no exit without a share");
        require(_pool.shares <= uint256(_pool.thawingWei) << 30, "shares are bounded");
    }

    /// @dev 0 … most; every fourth time an edge.
    function _part(uint256 seed, uint256 most) private pure returns (uint256) {
        uint256 kind = seed % 16;
        if (kind == 0) return 0;
        if (kind == 1) return most;
        if (kind == 2) return most == 0 ? 0 : most - 1;
        if (kind == 3) return most == 0 ? 0 : 1;
        return most == type(uint256).max ? seed : (seed >> 4) % (most + 1);
    }
}
