// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Every role of the AccessManager. No role can move a payer's or a node's money (INV-7).
library Roles {
    /// @dev Administrator: replaces policy contracts and gives roles, each after a delay longer than the thaw.
    uint64 internal constant ADMIN = 0;
    /// @dev May assign during the keeper window.
    uint64 internal constant KEEPER = 1;
    /// @dev Sets prices and node classes within fixed bounds.
    uint64 internal constant POLICY = 2;
    /// @dev Slashes within its bucket; held by contracts.
    uint64 internal constant SLASHER = 3;
    /// @dev Gives a held slash back before its appeal window ends.
    uint64 internal constant APPEAL = 4;
    /// @dev Stops new quotes; nothing else stops.
    uint64 internal constant PAUSER = 5;
    /// @dev Takes roles at once; gives none.
    uint64 internal constant GUARDIAN = 6;
    /// @dev Lets new quotes go on.
    uint64 internal constant UNPAUSER = 7;
    /// @dev Administers the roles above but ADMIN; held by RoleGuard alone.
    uint64 internal constant ROLE_ADMIN = 8;
    /// @dev Sets the quality of nodes as audits found it; held by auditors.
    uint64 internal constant AUDIT = 9;
}
