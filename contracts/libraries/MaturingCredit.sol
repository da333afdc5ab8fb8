// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title What settlements credited to an account and was not paid out yet, in one storage slot.
/// @notice Time is cut into periods of one payer's window. What is credited in a period matures when the next one is
///         over: after one window at least, two at most, with no list to walk and no second transaction.
/// @dev Amounts are base units of the payment token (usd6). What 64 bits hold is far above any supply.
library MaturingCredit {
    using SafeCast for uint256;

    struct Credit {
        uint32 period;
        uint64 currentUsd6;
        uint64 previousUsd6;
        uint96 maturedUsd6;
    }

    /// @notice Credit `amountUsd6` in `period`.
    function add(Credit storage stored, uint32 period, uint256 amountUsd6) internal {
        (uint64 currentUsd6, uint64 previousUsd6, uint96 maturedUsd6) =
            _rolled(period, stored.period, stored.currentUsd6, stored.previousUsd6, stored.maturedUsd6);
        _write(stored, period, (currentUsd6 + amountUsd6).toUint64(), previousUsd6, maturedUsd6);
    }

    /// @notice Take `amountUsd6` of what is immature back, the oldest first, or nothing if there is less.
    /// @dev The oldest first, so that what was credited in `period` is whole until all before it is gone: whatever was
    ///      credited less than a window ago and not taken back yet is in here.
    /// @return enough False if less is immature.
    function take(Credit storage stored, uint32 period, uint256 amountUsd6) internal returns (bool enough) {
        (uint64 currentUsd6, uint64 previousUsd6, uint96 maturedUsd6) =
            _rolled(period, stored.period, stored.currentUsd6, stored.previousUsd6, stored.maturedUsd6);
        uint256 immatureUsd6 = uint256(currentUsd6) + previousUsd6;
        if (amountUsd6 > immatureUsd6) return false;

        // Both fit: parts of what the slot held.
        if (amountUsd6 > previousUsd6) (currentUsd6, previousUsd6) = (uint64(immatureUsd6 - amountUsd6), 0);
        else previousUsd6 -= uint64(amountUsd6);
        _write(stored, period, currentUsd6, previousUsd6, maturedUsd6);
        return true;
    }

    /// @notice Take all that has matured in `period`.
    function takeMatured(Credit storage stored, uint32 period) internal returns (uint96 maturedUsd6) {
        uint64 currentUsd6;
        uint64 previousUsd6;
        (currentUsd6, previousUsd6, maturedUsd6) =
            _rolled(period, stored.period, stored.currentUsd6, stored.previousUsd6, stored.maturedUsd6);
        _write(stored, period, currentUsd6, previousUsd6, 0);
    }

    /// @notice All that is in here, matured or not.
    function total(Credit memory credit) internal pure returns (uint256) {
        return uint256(credit.currentUsd6) + credit.previousUsd6 + credit.maturedUsd6;
    }

    /// @notice What of it has not matured in `period`.
    function immatureIn(Credit memory credit, uint32 period) internal pure returns (uint256) {
        (uint64 currentUsd6, uint64 previousUsd6,) =
            _rolled(period, credit.period, credit.currentUsd6, credit.previousUsd6, credit.maturedUsd6);
        return uint256(currentUsd6) + previousUsd6;
    }

    /// @notice First period in which something more has matured; 0 if nothing is immature.
    function maturesIn(Credit memory credit, uint32 period) internal pure returns (uint256) {
        (uint64 currentUsd6, uint64 previousUsd6,) =
            _rolled(period, credit.period, credit.currentUsd6, credit.previousUsd6, credit.maturedUsd6);
        if (previousUsd6 != 0) return uint256(period) + 1;
        return currentUsd6 == 0 ? 0 : uint256(period) + 2;
    }

    /// @dev The three amounts as `period` sees them, which were written in period `written`.
    function _rolled(uint32 period, uint32 written, uint64 currentUsd6, uint64 previousUsd6, uint96 maturedUsd6)
        private
        pure
        returns (uint64, uint64, uint96)
    {
        if (written == period) return (currentUsd6, previousUsd6, maturedUsd6);
        if (uint256(written) + 1 == period) return (0, currentUsd6, maturedUsd6 + previousUsd6);
        return (0, 0, maturedUsd6 + previousUsd6 + currentUsd6);
    }

    /// @dev All four at once, which is one write.
    function _write(
        Credit storage stored,
        uint32 period,
        uint64 currentUsd6,
        uint64 previousUsd6,
        uint96 maturedUsd6
    ) private {
        (stored.period, stored.currentUsd6, stored.previousUsd6, stored.maturedUsd6) =
            (period, currentUsd6, previousUsd6, maturedUsd6);
    }
}
