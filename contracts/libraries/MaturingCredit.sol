// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title Earned money that cannot be paid out yet, in one storage slot an account.
/// @notice Time is cut into periods of one payer's window. What is credited in a period matures when the next one is
///         over: after one window at least, two at most, with no list to walk and no second transaction.
/// @dev Amounts are base units of the payment token (usd6).
library MaturingCredit {
    using SafeCast for uint256;

    struct Credit {
        uint32 period;
        uint96 currentUsd6;
        uint96 previousUsd6;
    }

    /// @notice Add `amountUsd6` to what `period` credits.
    /// @return maturedUsd6 What has matured since the last change, which is no longer in here: the caller books it.
    function add(Credit storage stored, uint32 period, uint256 amountUsd6) internal returns (uint256 maturedUsd6) {
        Credit memory credit = stored;
        maturedUsd6 = _roll(credit, period);
        credit.currentUsd6 = (credit.currentUsd6 + amountUsd6).toUint96();
        (stored.period, stored.currentUsd6, stored.previousUsd6) = (period, credit.currentUsd6, credit.previousUsd6);
    }

    /// @notice Take `amountUsd6` back, the oldest first, or nothing if there is less.
    /// @dev The oldest first, so that what was credited in `period` is whole until all before it is gone: whatever was
    ///      credited less than a window ago and not taken back yet is in here.
    /// @return enough False if less is immature.
    /// @return maturedUsd6 As in `add`.
    function take(Credit storage stored, uint32 period, uint256 amountUsd6)
        internal
        returns (bool enough, uint256 maturedUsd6)
    {
        Credit memory credit = stored;
        maturedUsd6 = _roll(credit, period);
        uint256 totalUsd6 = uint256(credit.currentUsd6) + credit.previousUsd6;
        if (amountUsd6 > totalUsd6) return (false, 0);

        // Both fit: parts of what the slot held.
        if (amountUsd6 <= credit.previousUsd6) {
            credit.previousUsd6 -= uint96(amountUsd6);
        } else {
            (credit.currentUsd6, credit.previousUsd6) = (uint96(totalUsd6 - amountUsd6), 0);
        }
        (stored.period, stored.currentUsd6, stored.previousUsd6) = (period, credit.currentUsd6, credit.previousUsd6);
        return (true, maturedUsd6);
    }

    /// @notice Forget what has matured.
    /// @return maturedUsd6 As in `add`.
    function mature(Credit storage stored, uint32 period) internal returns (uint256 maturedUsd6) {
        Credit memory credit = stored;
        if (credit.period == period) return 0;
        maturedUsd6 = _roll(credit, period);
        (stored.period, stored.currentUsd6, stored.previousUsd6) = (period, credit.currentUsd6, credit.previousUsd6);
    }

    /// @notice All that is in here, matured or not.
    function heldIn(Credit memory credit) internal pure returns (uint256) {
        return uint256(credit.currentUsd6) + credit.previousUsd6;
    }

    /// @notice What of it has not matured in `period`.
    function immatureIn(Credit memory credit, uint32 period) internal pure returns (uint256) {
        return heldIn(credit) - _roll(credit, period);
    }

    /// @notice First period in which something more has matured; 0 if nothing is immature.
    function maturesIn(Credit memory credit, uint32 period) internal pure returns (uint256) {
        _roll(credit, period);
        if (credit.previousUsd6 != 0) return uint256(period) + 1;
        return credit.currentUsd6 == 0 ? 0 : uint256(period) + 2;
    }

    /// @dev The credit as `period` sees it, and what has dropped out of it.
    function _roll(Credit memory credit, uint32 period) private pure returns (uint256 maturedUsd6) {
        if (credit.period == period) return 0;
        if (uint256(credit.period) + 1 == period) {
            maturedUsd6 = credit.previousUsd6;
            (credit.currentUsd6, credit.previousUsd6) = (0, credit.currentUsd6);
        } else {
            maturedUsd6 = heldIn(credit);
            (credit.currentUsd6, credit.previousUsd6) = (0, 0);
        }
        credit.period = period;
    }
}
