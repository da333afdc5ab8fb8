// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Draws judges.
interface ICommittee {
    /// @notice An address that must not be zero is zero.
    error CommitteeZeroAddress();

    /// @notice At most `count` different keepers, a function of `seed` and of who is a keeper now; zero where a drawn
    ///         one may not judge. Reverts while nobody can be drawn.
    function drawKeepers(bytes32 seed, uint256 count) external view returns (address[] memory);
}
