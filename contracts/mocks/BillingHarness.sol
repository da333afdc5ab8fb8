// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Billing} from "../libraries/Billing.sol";
import {Limits} from "../libraries/Limits.sol";

/// @title The billing arithmetic and the limits, callable.
contract BillingHarness {
    function amount(uint32 powerCu, uint32 durationMs, uint64 priceUsd6PerGcums) external pure returns (uint256) {
        return Billing.amount(powerCu, durationMs, priceUsd6PerGcums);
    }

    function capMs(uint64 workCums, uint32 powerCu) external pure returns (uint32) {
        return Billing.capMs(workCums, powerCu);
    }

    function standby(uint256 billUsd6) external pure returns (uint256) {
        return Billing.standby(billUsd6);
    }

    function maxBill(uint64 workCums, uint64 priceUsd6PerGcums) external pure returns (uint256) {
        return Billing.maxBill(workCums, priceUsd6PerGcums);
    }

    function maxAmount(uint64 workCums, uint64 priceUsd6PerGcums, uint8 backups) external pure returns (uint256) {
        return Billing.maxAmount(workCums, priceUsd6PerGcums, backups);
    }

    /// @dev In the order of protocol/src/limits.ts.
    function limits() external pure returns (uint256[15] memory) {
        return [
            uint256(Limits.MIN_DEADLINE_S),
            Limits.MAX_DEADLINE_S,
            Limits.KEEPER_WINDOW_S,
            Limits.ACCEPT_WINDOW_S,
            Limits.SETTLE_GRACE_S,
            Limits.MIN_ANSWER_WINDOW_S,
            Limits.MAX_ANSWER_WINDOW_S,
            Limits.MAX_QUORUM,
            Limits.MAX_ASSIGNMENTS,
            Limits.MAX_BACKUPS,
            Limits.STANDBY_BPS,
            Limits.CAP_NUMERATOR,
            Limits.CAP_DENOMINATOR,
            Limits.CUMS_PER_PRICE,
            Limits.STAKE_PER_TASK
        ];
    }
}
