// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @title Stake locked by settled fees, in one storage slot a node.
/// @notice Time is cut into periods of one dispute window. What is locked in a period stays locked through the next
///      one: at least one window, at most two, with no list to walk and nothing to release.
library FeeLocks {
    struct Lock {
        uint32 period;
        uint112 currentWei;
        uint112 previousWei;
    }

    /// @notice Locked in `period`, in wei.
    function lockedIn(Lock memory lock, uint32 period) internal pure returns (uint256) {
        (uint112 currentWei, uint112 previousWei) = _rolled(period, lock.period, lock.currentWei, lock.previousWei);
        return uint256(currentWei) + previousWei;
    }

    /// @notice Lock `askedWei`, or as much of it as fits with all other locks into `activeWei`.
    function add(Lock storage stored, uint32 period, uint256 askedWei, uint256 activeWei)
        internal
        returns (uint112 lockedWei)
    {
        (uint112 currentWei, uint112 previousWei) =
            _rolled(period, stored.period, stored.currentWei, stored.previousWei);
        uint256 freeWei = Math.saturatingSub(activeWei, uint256(currentWei) + previousWei);
        // The bound of the slot is far above any supply; it clips like the stake does instead of reverting.
        uint256 roomWei = Math.min(freeWei, type(uint112).max - currentWei);
        // Fits: at most the room, which is of 112 bits.
        lockedWei = uint112(Math.min(askedWei, roomWei));
        (stored.period, stored.currentWei, stored.previousWei) = (period, currentWei + lockedWei, previousWei);
    }

    /// @dev The two amounts as `period` sees them, which were written in period `written`.
    function _rolled(uint32 period, uint32 written, uint112 currentWei, uint112 previousWei)
        private
        pure
        returns (uint112, uint112)
    {
        if (written == period) return (currentWei, previousWei);
        return uint256(written) + 1 == period ? (uint112(0), currentWei) : (uint112(0), uint112(0));
    }
}
