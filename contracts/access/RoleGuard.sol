// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessManaged} from "@openzeppelin/contracts/access/manager/AccessManaged.sol";
import {IAccessManager} from "@openzeppelin/contracts/access/manager/IAccessManager.sol";
import {IRoleGuard} from "../interfaces/IRoleGuard.sol";
import {Roles} from "../libraries/Roles.sol";

/// @title RoleGuard
/// @notice Holds Roles.ROLE_ADMIN, which administers every role but the administrator's own.
contract RoleGuard is IRoleGuard, AccessManaged {
    constructor(address authority_) AccessManaged(authority_) {}

    /// @inheritdoc IRoleGuard
    function give(uint64 role, address account, uint32 executionDelaySeconds) external restricted {
        if (role == Roles.ADMIN) revert GuardAdminRole();
        emit RoleGiven(role, account, executionDelaySeconds);
        IAccessManager(authority()).grantRole(role, account, executionDelaySeconds);
    }

    /// @inheritdoc IRoleGuard
    function take(uint64 role, address account) external {
        if (role == Roles.ADMIN) revert GuardAdminRole();
        IAccessManager manager = IAccessManager(authority());
        (bool isGuardian,) = manager.hasRole(Roles.GUARDIAN, msg.sender);
        if (!isGuardian && msg.sender != account) revert GuardNotGuardian(msg.sender);
        emit RoleTaken(role, account, msg.sender);
        manager.revokeRole(role, account);
    }
}
