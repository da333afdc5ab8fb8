// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LaneMoney, Purse} from "../types/SessionTypes.sol";

/// @title The accounting of a session: what a lane owes, and how money moves between purse and lanes.
/// @notice Small pure functions on structs in memory, so that a solver can follow each. Every one keeps
///      `putIn = free + returned + Σ allotment` and `paid ≤ allotment`; every division rounds down.
/// @dev `due` is mirrored by protocol/src/session/sessionMoney.ts.
library SessionMoney {
    /// @dev A price is per 10⁹ CU·ms, and a ms of execution weighs 10⁴.
    uint256 internal constant WEIGHT_PER_PRICE = 1e13;
    uint256 internal constant BPS = 10_000;

    /// @notice Cumulative amount of a lane: `⌊weight × powerCu × price ÷ 10¹³⌋`, in the payer's favour.
    /// @dev At most 64 + 32 + 64 bits before the division.
    function due(uint256 weight, uint32 powerCu, uint64 priceUsd6PerGcums) internal pure returns (uint256) {
        return (weight * powerCu * priceUsd6PerGcums) / WEIGHT_PER_PRICE;
    }

    /// @notice Pay what is due as far as the allotment reaches. Requirement: `dueUsd6 ≥ lane.paidUsd6`.
    function pay(LaneMoney memory lane, uint256 dueUsd6) internal pure returns (uint64 paidUsd6) {
        uint256 target = dueUsd6 < lane.allotmentUsd6 ? dueUsd6 : lane.allotmentUsd6;
        // paid ≤ due and paid ≤ allotment, both by requirement, and the target is at most the allotment.
        paidUsd6 = uint64(target - lane.paidUsd6);
        lane.paidUsd6 = uint64(target);
    }

    /// @notice The treasury's part of a payment, rounded down in the node's favour.
    function fee(uint64 paidUsd6, uint16 feeBps) internal pure returns (uint64) {
        return uint64((uint256(paidUsd6) * feeBps) / BPS);
    }

    /// @notice The payer puts in more.
    function putIn(Purse memory purse, uint64 amountUsd6) internal pure {
        purse.putInUsd6 += amountUsd6;
        purse.freeUsd6 += amountUsd6;
    }

    /// @notice Free money becomes the lane's. Requirement: there is so much.
    function allot(Purse memory purse, LaneMoney memory lane, uint64 amountUsd6) internal pure {
        purse.freeUsd6 -= amountUsd6;
        lane.allotmentUsd6 += amountUsd6;
    }

    /// @notice What the lane did not spend becomes free again.
    function reclaim(Purse memory purse, LaneMoney memory lane) internal pure returns (uint64 unspentUsd6) {
        unspentUsd6 = lane.allotmentUsd6 - lane.paidUsd6;
        lane.allotmentUsd6 = lane.paidUsd6;
        purse.freeUsd6 += unspentUsd6;
    }

    /// @notice A part of what the lane did not spend ceases to exist. Requirement: there is so much.
    function burn(Purse memory purse, LaneMoney memory lane, uint64 amountUsd6) internal pure {
        lane.allotmentUsd6 -= amountUsd6;
        purse.putInUsd6 -= amountUsd6;
    }

    /// @notice Everything free goes back to the payer.
    function giveBack(Purse memory purse) internal pure returns (uint64 amountUsd6) {
        amountUsd6 = purse.freeUsd6;
        purse.freeUsd6 = 0;
        purse.returnedUsd6 += amountUsd6;
    }

    /// @notice Money that went back to the payer was collected for the lane, and paid. Requirement: so much went back.
    function recover(Purse memory purse, LaneMoney memory lane, uint64 amountUsd6) internal pure {
        purse.returnedUsd6 -= amountUsd6;
        lane.allotmentUsd6 += amountUsd6;
        lane.paidUsd6 += amountUsd6;
    }
}
