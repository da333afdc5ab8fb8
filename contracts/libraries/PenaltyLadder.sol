// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FaultKind, Standing} from "../types/AvailabilityTypes.sol";

/// @title What each strike costs.
/// @notice First: out of selection until the epoch ends, and less quality. Second: not drawn for a while longer. From the
///      third: 0.5 % of the stake. A missed accepted task costs 2 % at once, twice that if more than one
///      node failed it. At most 5 % of a node's stake in an epoch.
/// @dev Pure in everything but the Standing that it changes; knows neither money nor signatures.
library PenaltyLadder {
    uint8 internal constant BAN_FROM = 2;
    uint8 internal constant SLASH_FROM = 3;
    uint256 internal constant SILENCE_SLASH_BPS = 50;
    uint256 internal constant MISS_SLASH_BPS = 200;
    uint256 internal constant JOINT_FACTOR = 2;
    uint256 internal constant EPOCH_CAP_BPS = 500;
    uint16 internal constant FULL_QUALITY_BPS = 10_000;
    uint16 internal constant QUALITY_STEP_BPS = 2_000;
    uint8 internal constant QUALITY_STEPS = 4;

    /// @notice Strikes that time has left.
    function strikesAt(Standing memory self, uint40 now_, uint40 decaySeconds) internal pure returns (uint8) {
        // lastStrikeAt is a past block's time.
        uint256 forgotten = (now_ - self.lastStrikeAt) / decaySeconds;
        return forgotten >= self.strikes ? 0 : uint8(self.strikes - forgotten);
    }

    /// @notice Add a strike: suspends until `suspendUntil`, bans until `banUntil` from the second on.
    function strike(Standing storage self, uint40 now_, uint40 decaySeconds, uint40 suspendUntil, uint40 banUntil)
        internal
        returns (uint8 strikes)
    {
        strikes = strikesAt(self, now_, decaySeconds);
        if (strikes < type(uint8).max) ++strikes;
        self.strikes = strikes;
        self.lastStrikeAt = now_;
        if (suspendUntil > self.suspendedUntil) self.suspendedUntil = suspendUntil;
        if (strikes >= BAN_FROM) self.bannedUntil = banUntil;
    }

    /// @notice Take a strike back, and with it what the strikes that are left would not have brought.
    function forgive(Standing storage self) internal {
        if (self.strikes != 0) --self.strikes;
        if (self.strikes == 0) self.suspendedUntil = 0;
        if (self.strikes < BAN_FROM) self.bannedUntil = 0;
    }

    /// @notice Share of the stake that a fault costs, in basis points; 0 for one that costs none.
    function slashBps(FaultKind kind, uint8 strikes, bool joint) internal pure returns (uint256) {
        if (kind == FaultKind.MissedTask) return joint ? MISS_SLASH_BPS * JOINT_FACTOR : MISS_SLASH_BPS;
        return strikes >= SLASH_FROM ? SILENCE_SLASH_BPS : 0;
    }

    /// @notice Factor on a node's quality, in basis points: 20 % less per strike, never below 20 %.
    function qualityBps(uint8 strikes) internal pure returns (uint16) {
        uint16 steps = strikes > QUALITY_STEPS ? QUALITY_STEPS : strikes;
        return FULL_QUALITY_BPS - steps * QUALITY_STEP_BPS;
    }
}
