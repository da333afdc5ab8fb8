// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Every fixed limit of the direct rail, with its unit.
/// @dev Mirrored by protocol/src/limits.ts; a test compares the two.
library Limits {
    /// @dev Shortest time between post and deadline, in seconds: an assignment and an execution must fit.
    uint40 internal constant MIN_DEADLINE_S = 10;
    /// @dev Longest time between post and deadline, in seconds. Far below half of any sane thaw period.
    uint40 internal constant MAX_DEADLINE_S = 1 hours;
    /// @dev For so long after the post only keepers may assign.
    uint40 internal constant KEEPER_WINDOW_S = 60;
    /// @dev For so long after an assignment the nodes may accept before the task can be assigned anew.
    uint40 internal constant ACCEPT_WINDOW_S = 30;
    /// @dev An accepted task can be settled for so long after its deadline before it can be expired.
    uint40 internal constant SETTLE_GRACE_S = 15 minutes;
    /// @dev Shortest and longest time that keepers have to attest a demanded output, in seconds.
    uint40 internal constant MIN_ANSWER_WINDOW_S = 10;
    uint40 internal constant MAX_ANSWER_WINDOW_S = 1 days;
    /// @dev Most keepers that must attest a demanded output.
    uint8 internal constant MAX_QUORUM = 8;
    /// @dev Assignments of one task, the first included.
    uint16 internal constant MAX_ASSIGNMENTS = 8;
    /// @dev Backups of one task.
    uint8 internal constant MAX_BACKUPS = 3;
    /// @dev A backup that held the input ready and was not needed earns this share of the bill, in basis points.
    uint64 internal constant STANDBY_BPS = 1_000;
    /// @dev Billable CU·ms ≤ declared work × CAP_NUMERATOR ÷ CAP_DENOMINATOR.
    uint64 internal constant CAP_NUMERATOR = 5;
    uint64 internal constant CAP_DENOMINATOR = 4;
    /// @dev A task may cost at most one part in so many of the stake of a node that takes it: less than the sampled
    ///      share of results times the slash for a wrong one, so that returning garbage loses at any price of stake.
    uint64 internal constant STAKE_PER_TASK = 100;
    /// @dev A price is per this many CU·ms.
    uint64 internal constant CUMS_PER_PRICE = 1e9;
}
