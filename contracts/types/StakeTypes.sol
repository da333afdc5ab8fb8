// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What a slasher asks of a node's stake.
/// @param amountWei Asked; what is taken is clipped to the stake and to the slasher's bucket.
/// @param reason Short code of the fault.
/// @param evidence Hash of what proves it.
/// @param compensated Who was harmed, and `compensationWei` for it.
/// @param challenger Who showed it, and `challengerWei` for it.
struct SlashOrder {
    uint256 amountWei;
    bytes32 reason;
    bytes32 evidence;
    address compensated;
    uint256 compensationWei;
    address challenger;
    uint256 challengerWei;
}
