// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SlashOrder} from "../types/StakeTypes.sol";

/// @title The part of the stake vault that a rail uses.
interface IStakeRail {
    /// @notice Lock `amountWei` of the node's stake until the dispute window of what was just paid has ended. Clips to
    ///      the active stake, never reverts for lack of it.
    function lock(uint32 nodeId, uint256 amountWei) external;

    /// @notice Take stake as `order` says, clipped to what there is and to the caller's bucket.
    function slash(uint32 nodeId, SlashOrder calldata order) external returns (uint256 slashId, uint256 slashedWei);
}
