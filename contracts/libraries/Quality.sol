// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title How much of a node's weight it has earned: a quarter at once, another for each period that it has existed.
/// @notice Age alone counts, so no traffic that a node buys from itself can raise it. A machine that is registered anew
///         to leave its record behind begins with a quarter again; an identity kept in reserve gains nothing either, as
///         stake reaches it only after the thaw.
library Quality {
    uint16 internal constant FULL_BPS = 10_000;
    uint16 internal constant NEWCOMER_BPS = 2_500;
    uint256 private constant PERIODS = 3;

    function ripened(uint40 registeredAt, uint40 now_, uint40 periodS) internal pure returns (uint16) {
        uint256 periods = (now_ - registeredAt) / periodS;
        if (periods > PERIODS) periods = PERIODS;
        return uint16(NEWCOMER_BPS + periods * (FULL_BPS - NEWCOMER_BPS) / PERIODS);
    }
}
