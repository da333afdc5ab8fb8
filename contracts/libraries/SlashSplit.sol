// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {HeldSlash, SlashOrder} from "../types/StakeTypes.sol";

/// @title Who gets what of a slash.
/// @notice At least half is burned, rounding included: whoever has itself slashed loses at least half (INV-17).
library SlashSplit {
    uint256 internal constant MAX_COMPENSATION_BPS = 4_000;
    uint256 internal constant MAX_CHALLENGER_BPS = 1_000;

    /// @notice The record of a slash that took `slashedWei`, with both shares clipped to their bounds. Nobody gets
    ///      nothing: a share that is meant for the zero address is burned.
    function held(SlashOrder calldata order, uint32 nodeId, uint128 slashedWei, uint40 payableAt)
        internal
        pure
        returns (HeldSlash memory)
    {
        uint256 compensationWei = _share(order.compensated, order.compensationWei, slashedWei, MAX_COMPENSATION_BPS);
        uint256 challengerWei = _share(order.challenger, order.challengerWei, slashedWei, MAX_CHALLENGER_BPS);
        return HeldSlash({
            compensated: order.compensated,
            payableAt: payableAt,
            nodeId: nodeId,
            challenger: order.challenger,
            // Fits: the minimum of it and the largest number of 96 bits.
            challengerWei: uint96(Math.min(challengerWei, type(uint96).max)),
            slashedWei: slashedWei,
            // Fits: a part of slashedWei.
            compensationWei: uint128(compensationWei)
        });
    }

    /// @notice What is burned of it.
    function burned(HeldSlash memory slash) internal pure returns (uint256) {
        return uint256(slash.slashedWei) - slash.compensationWei - slash.challengerWei;
    }

    function _share(address account, uint256 askedWei, uint256 slashedWei, uint256 maxBps)
        private
        pure
        returns (uint256)
    {
        return account == address(0) ? 0 : Math.min(askedWei, slashedWei * maxBps / 10_000);
    }
}
