// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ICommittee} from "../interfaces/ICommittee.sol";

/// @notice A committee from a list that anyone writes: for tests that arrange who judges.
contract ListedCommittee is ICommittee {
    address[] private _members;

    function addMember(address keeper) external {
        _members.push(keeper);
    }

    function removeMember(address keeper) external {
        for (uint256 i; i < _members.length; ++i) {
            if (_members[i] != keeper) continue;
            _members[i] = _members[_members.length - 1];
            _members.pop();
            return;
        }
    }

    /// @dev The first steps of a Fisher–Yates shuffle: every set of `count` members is equally likely.
    function drawKeepers(bytes32 seed, uint256 count) external view returns (address[] memory drawn) {
        address[] memory pool = _members;
        if (count > pool.length) count = pool.length;
        drawn = new address[](count);
        for (uint256 i; i < count; ++i) {
            uint256 j = i + uint256(keccak256(abi.encode(seed, i))) % (pool.length - i);
            (pool[i], pool[j]) = (pool[j], pool[i]);
            drawn[i] = pool[i];
        }
    }
}
