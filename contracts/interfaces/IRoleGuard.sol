// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Who gives and takes the roles of the AccessManager.
/// @notice Giving is slow, taking is instant: the guard holds the role that administers every working role, grants only
///      what the administrator announced a delay ago, and takes at once whenever a guardian says so. A guardian can
///      give nothing and move nothing; the worst that a stolen guardian key does is to stop roles until they are
///      granted again. Money does not wait for any role (INV-8, INV-10).
interface IRoleGuard {
    /// @notice `role` was given to `account`; it may act `executionDelaySeconds` after announcing.
    event RoleGiven(uint64 indexed role, address indexed account, uint32 executionDelaySeconds);
    /// @notice A guardian, or the holder itself, ended a role at once.
    event RoleTaken(uint64 indexed role, address indexed account, address indexed by);

    /// @notice Only a guardian, or the holder of the role itself, may end it.
    error GuardNotGuardian(address caller);
    /// @notice The administrator's own role is not the guard's to give or take.
    error GuardAdminRole();

    /// @notice Give `role` to `account`. Requirement: called by the administrator through the AccessManager, after its
    ///      delay.
    function give(uint64 role, address account, uint32 executionDelaySeconds) external;

    /// @notice End `role` of `account` in this very transaction. Requirement: caller is a guardian or `account` itself.
    function take(uint64 role, address account) external;
}
