// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A token whose holders can destroy what they hold (OpenZeppelin's ERC20Burnable has it).
interface IBurnable {
    /// @notice Destroy `value` base units of the caller's balance.
    function burn(uint256 value) external;
}
