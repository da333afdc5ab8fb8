// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ICommittee} from "./ICommittee.sol";

/// @title Keepers that may judge, named by the policy role.
interface IKeeperCommittee is ICommittee {
    /// @notice A keeper may be drawn from now on.
    event CommitteeMemberAdded(address indexed keeper);
    /// @notice A keeper is not drawn any more; where it sits, it goes on to sit.
    event CommitteeMemberRemoved(address indexed keeper);

    /// @notice Zero, a member already, or one too many.
    error CommitteeMemberInvalid(address keeper);
    /// @notice Not a member.
    error CommitteeMemberUnknown(address keeper);

    /// @notice Add a keeper. Requirement: policy role.
    function addMember(address keeper) external;

    /// @notice Remove a keeper. Requirement: policy role.
    function removeMember(address keeper) external;

    /// @notice Number of members.
    function memberCount() external view returns (uint256);
}
