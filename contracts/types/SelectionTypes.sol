// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What an epoch of selection is doing.
/// @dev Open → Update → Seeding → Open. Weights change in Update alone and the seed is asked for at its end, so the
///      snapshot always stands before anybody knows the seed.
enum Phase {
    Open,
    Update,
    Seeding
}

/// @notice How long each phase lasts, in seconds, fixed at deployment.
/// @param openS Draws can be made; the last `challengeS` of it only challenged.
/// @param updateS Weights may change.
/// @param seedTimeoutS How long a seed is waited for before the epoch opens without one.
/// @param challengeS How long a posted draw can be challenged.
struct PhaseLengths {
    uint40 openS;
    uint40 updateS;
    uint40 seedTimeoutS;
    uint40 challengeS;
}
