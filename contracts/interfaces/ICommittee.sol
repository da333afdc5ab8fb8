// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Draws judges.
interface ICommittee {
    /// @notice At most `count` different keepers, a function of `seed` and of who is a keeper now.
    function drawKeepers(bytes32 seed, uint256 count) external view returns (address[] memory);
}
