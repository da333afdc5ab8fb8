// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Every fixed limit of the session rail, with its unit.
/// @dev Mirrored by protocol/src/session/sessionLimits.ts; a test compares the two.
library SessionLimits {
    /// @dev Longest time between opening and expiry, in seconds.
    uint40 internal constant MAX_SESSION_S = 90 days;
    /// @dev Bounds of the settle window that a deployment may fix, in seconds. Off a local chain it is ≥ 2 days.
    uint40 internal constant MIN_SETTLE_WINDOW_S = 1 minutes;
    uint40 internal constant MAX_SETTLE_WINDOW_S = 7 days;
    /// @dev Highest treasury fee that a deployment may fix: 5 %.
    uint16 internal constant MAX_FEE_BPS = 500;
    /// @dev What a node serves at most before it insists on a voucher, in ms of execution; the floor covers it.
    uint256 internal constant CREDIT_WINDOW_MS = 60_000;
    /// @dev Receipts of one claim.
    uint256 internal constant MAX_CLAIM_RECEIPTS = 64;
}
