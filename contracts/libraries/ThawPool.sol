// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {PendingExit} from "../types/StakeTypes.sol";

/// @title Stake of one node, with the exits under way as shares of one thawing pool.
/// @notice A slash changes what a share is worth, so it reaches every pending exit without touching any. Exits end in
///      the order they began, because all thaw equally long; they form a queue, and `first` only rises.
/// @dev Kept by every function, so that none can overflow or divide by zero, whatever was slashed before:
///      thawingWei ≤ stakedWei;  shares = 0 ⇔ thawingWei = 0;  shares ≤ 2³⁰ × thawingWei.
library ThawPool {
    using SafeCast for uint256;

    /// @notice Exits that may be pending at once: bounds the work of one withdrawal.
    uint256 internal constant MAX_EXITS = 32;
    /// @notice A pool worth less than this fraction of its shares is empty; what is left of it stays with the node.
    uint256 internal constant MAX_SHARES_PER_WEI = 2 ** 30;

    struct Exit {
        uint160 shares;
        uint40 unlockAt;
    }

    struct Pool {
        uint128 stakedWei;
        uint128 thawingWei;
        uint160 shares;
        // Pending exits are first … next − 1. Those below `first` are void for ever: no index is used twice.
        uint48 first;
        uint48 next;
        mapping(uint48 index => Exit) exits;
    }

    /// @notice Thaw `amountWei` of the active stake. Requirement: it is above zero and active, and the queue not full.
    ///      Shares are rounded up, so that the exit is worth at least what was asked.
    function begin(Pool storage pool, uint128 amountWei, uint40 unlockAt) internal {
        uint128 thawingWei = pool.thawingWei;
        uint160 total = pool.shares;
        uint160 shares = total == 0
            ? amountWei
            : Math.mulDiv(amountWei, total, thawingWei, Math.Rounding.Ceil).toUint160();
        uint48 index = pool.next;
        pool.thawingWei = thawingWei + amountWei;
        pool.shares = total + shares;
        pool.next = index + 1;
        pool.exits[index] = Exit(shares, unlockAt);
    }

    /// @notice Make everything that thaws active again; every pending exit is void.
    function cancel(Pool storage pool) internal returns (uint128 amountWei) {
        amountWei = pool.thawingWei;
        _empty(pool);
    }

    /// @notice Take out every exit that is due at `now_`. Rounded down, but the last exit takes all that is left.
    function takeDue(Pool storage pool, uint256 now_) internal returns (uint128 amountWei) {
        uint160 shares;
        uint48 index = pool.first;
        for (; index != pool.next && pool.exits[index].unlockAt <= now_; ++index) {
            shares += pool.exits[index].shares;
            delete pool.exits[index];
        }
        pool.first = index;
        amountWei = valueOf(pool, shares);
        pool.shares -= shares;
        pool.thawingWei -= amountWei;
        pool.stakedWei -= amountWei;
    }

    /// @notice Take `amountWei` from active and thawing stake in proportion, so that neither is a refuge; the thawing
    ///      part, which would leave first, bears the rounding. Requirement: it is at most what is staked.
    function slash(Pool storage pool, uint128 amountWei)
        internal
        returns (uint128 takenFromThawingWei, uint128 thawingWei)
    {
        uint128 stakedWei = pool.stakedWei;
        thawingWei = pool.thawingWei;
        pool.stakedWei = stakedWei - amountWei;
        if (thawingWei == 0 || amountWei == 0) return (0, thawingWei);

        takenFromThawingWei = Math.mulDiv(amountWei, thawingWei, stakedWei, Math.Rounding.Ceil).toUint128();
        thawingWei -= takenFromThawingWei;
        if (uint256(thawingWei) * MAX_SHARES_PER_WEI < pool.shares) {
            _empty(pool);
            return (takenFromThawingWei, 0);
        }
        pool.thawingWei = thawingWei;
    }

    /// @notice What `shares` are worth now.
    function valueOf(Pool storage pool, uint160 shares) internal view returns (uint128) {
        uint160 total = pool.shares;
        return total == 0 ? 0 : Math.mulDiv(shares, pool.thawingWei, total).toUint128();
    }

    /// @notice How many exits are pending.
    function pending(Pool storage pool) internal view returns (uint256) {
        return pool.next - pool.first;
    }

    /// @notice When the earliest pending exit is due; 0 when none is pending.
    function earliest(Pool storage pool) internal view returns (uint40) {
        uint48 first = pool.first;
        return first == pool.next ? 0 : pool.exits[first].unlockAt;
    }

    /// @notice All pending exits, earliest first.
    function list(Pool storage pool) internal view returns (PendingExit[] memory exits) {
        uint48 first = pool.first;
        exits = new PendingExit[](pending(pool));
        for (uint48 i = 0; i < exits.length; ++i) {
            Exit storage exit_ = pool.exits[first + i];
            exits[i] = PendingExit(valueOf(pool, exit_.shares), exit_.unlockAt);
        }
    }

    function _empty(Pool storage pool) private {
        pool.thawingWei = 0;
        pool.shares = 0;
        pool.first = pool.next;
    }
}
