// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessManaged} from "@openzeppelin/contracts/access/manager/AccessManaged.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {ICommittee} from "../interfaces/ICommittee.sol";
import {IKeeperCommittee} from "../interfaces/IKeeperCommittee.sol";

/// @title KeeperCommittee
/// @notice A list. Whoever may judge is the policy role's say; whom a dispute gets is the seed's.
contract KeeperCommittee is IKeeperCommittee, AccessManaged {
    using EnumerableSet for EnumerableSet.AddressSet;

    /// @dev A draw copies the list into memory.
    uint256 public constant MAX_MEMBERS = 256;

    EnumerableSet.AddressSet private _members;

    constructor(address authority_) AccessManaged(authority_) {}

    /// @inheritdoc IKeeperCommittee
    function addMember(address keeper) external restricted {
        bool added = keeper != address(0) && _members.length() < MAX_MEMBERS && _members.add(keeper);
        if (!added) revert CommitteeMemberInvalid(keeper);
        emit CommitteeMemberAdded(keeper);
    }

    /// @inheritdoc IKeeperCommittee
    function removeMember(address keeper) external restricted {
        if (!_members.remove(keeper)) revert CommitteeMemberUnknown(keeper);
        emit CommitteeMemberRemoved(keeper);
    }

    /// @inheritdoc IKeeperCommittee
    function memberCount() external view returns (uint256) {
        return _members.length();
    }

    /// @inheritdoc ICommittee
    /// @dev The first steps of a Fisher–Yates shuffle: every set of `count` members is equally likely.
    function drawKeepers(bytes32 seed, uint256 count) external view returns (address[] memory drawn) {
        address[] memory pool = _members.values();
        if (count > pool.length) count = pool.length;
        drawn = new address[](count);
        for (uint256 i; i < count; ++i) {
            uint256 j = i + uint256(keccak256(abi.encode(seed, i))) % (pool.length - i);
            (pool[i], pool[j]) = (pool[j], pool[i]);
            drawn[i] = pool[i];
        }
    }
}
