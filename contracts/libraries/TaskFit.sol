// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TaskTerms} from "../types/TaskTypes.sol";
import {Limits} from "./Limits.sol";

/// @title The largest task that a node may take.
/// @notice Its power must be able to do the work before the deadline, and its stake must be worth Limits.STAKE_PER_TASK
///         times the largest bill of the task, at the rate that was frozen when it was posted.
library TaskFit {
    /// @dev Requires the terms of a task whose deadline has not passed. No product can overflow: the widest has 128 +
    ///      33 bits.
    /// @return Work in CU·ms; rounded down.
    function mostCums(TaskTerms calldata self, uint32 powerCu, uint128 stakeWei, uint40 now_)
        internal
        pure
        returns (uint256)
    {
        unchecked {
            uint256 byTime = uint256(powerCu) * (self.deadline - now_) * 1_000;
            uint256 mostUsd6 = stakeWei / (uint256(Limits.STAKE_PER_TASK) * self.stakeWeiPerUsd6);
            uint256 byStake = mostUsd6 * Limits.CAP_DENOMINATOR * Limits.CUMS_PER_PRICE
                / (uint256(Limits.CAP_NUMERATOR) * self.priceUsd6PerGcums);
            return byTime < byStake ? byTime : byStake;
        }
    }
}
