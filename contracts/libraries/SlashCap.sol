// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title How much may be taken of one node in one period.
/// @notice Shares are of the stake as it was before the period's first slash: repeated slashes neither shrink to
///      nothing nor take more than the cap together. Shares round up, so that a slash is never of nothing.
library SlashCap {
    using SafeCast for uint256;

    uint256 internal constant BPS = 10_000;

    /// @param period Number of the period that the two amounts belong to.
    /// @param snapshotWei Stake before the period's first slash.
    /// @param takenWei Taken in the period so far.
    struct Meter {
        uint64 period;
        uint128 snapshotWei;
        uint128 takenWei;
    }

    /// @notice What a fault of `shareBps` may take now, with at most `capBps` of the snapshot in the period.
    function allow(Meter storage self, uint64 period, uint256 stakeWei, uint256 shareBps, uint256 capBps)
        internal
        returns (uint256 amountWei)
    {
        _begin(self, period, stakeWei);
        return Math.min(shareOf(self.snapshotWei, shareBps), _left(self, capBps));
    }

    /// @notice The same for an amount that another snapshot gave.
    function allowAmount(Meter storage self, uint64 period, uint256 stakeWei, uint256 askedWei, uint256 capBps)
        internal
        returns (uint256 amountWei)
    {
        _begin(self, period, stakeWei);
        return Math.min(askedWei, _left(self, capBps));
    }

    /// @notice Counts what was really taken.
    function taken(Meter storage self, uint256 amountWei) internal {
        self.takenWei += amountWei.toUint128();
    }

    /// @notice Counts what an appeal gave back, if it was taken in the period that is being counted.
    function returned(Meter storage self, uint64 period, uint256 amountWei) internal {
        if (self.period == period) self.takenWei -= amountWei.toUint128();
    }

    /// @notice ⌈stake × share⌉.
    function shareOf(uint256 stakeWei, uint256 shareBps) internal pure returns (uint256) {
        return Math.mulDiv(stakeWei, shareBps, BPS, Math.Rounding.Ceil);
    }

    function _begin(Meter storage self, uint64 period, uint256 stakeWei) private {
        if (self.snapshotWei != 0 && self.period == period) return;
        self.period = period;
        self.snapshotWei = stakeWei.toUint128();
        self.takenWei = 0;
    }

    function _left(Meter storage self, uint256 capBps) private view returns (uint256) {
        return Math.saturatingSub(shareOf(self.snapshotWei, capBps), self.takenWei);
    }
}
