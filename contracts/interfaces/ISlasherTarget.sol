// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SlashOrder} from "../types/StakeTypes.sol";

/// @title What a slasher needs of the stake vault.
interface ISlasherTarget {
    /// @notice Take stake; everything taken is held until the appeal window has ended. Requirement: slasher role.
    function slash(uint32 nodeId, SlashOrder calldata order) external returns (uint256 slashId, uint256 slashedWei);

    /// @notice Give a slash back before it is paid out. Requirement: appeal role.
    function reverseSlash(uint256 slashId) external;

    /// @notice Active plus thawing stake of a node, in wei.
    function slashableOf(uint32 nodeId) external view returns (uint256);

    /// @notice Stake of all nodes, thawing included, in wei.
    function totalStakedWei() external view returns (uint256);

    /// @notice Seconds between beginning an exit and withdrawing.
    function thawPeriod() external view returns (uint40);
}
