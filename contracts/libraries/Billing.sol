// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Limits} from "./Limits.sol";

/// @title The money arithmetic of the direct rail, as docs/PROTOCOL.md §1 states it.
/// @notice Every division rounds down, in the payer's favour.
/// @dev Pure mirror of protocol/src/units.ts; a fuzz test holds the two equal. No product here can overflow 256 bits:
///      the widest, work × 5 × price, has at most 64 + 3 + 64 bits.
library Billing {
    /// @notice Bill: `amount = ⌊powerCu × durationMs × priceUsd6PerGcums ÷ 10⁹⌋`.
    /// @return Payment-token base units. Fits 64 bits whenever the duration is within the cap and the maximum was
    ///      escrowed.
    function amount(uint32 powerCu, uint32 durationMs, uint64 priceUsd6PerGcums) internal pure returns (uint256) {
        unchecked {
            return (uint256(powerCu) * durationMs * priceUsd6PerGcums) / Limits.CUMS_PER_PRICE;
        }
    }

    /// @notice Work cap: `capMs = ⌊work × 5 ÷ (4 × powerCu)⌋`.
    /// @return Milliseconds; the largest u32 if the cap is above it (no receipt can say more), 0 for a node without
    ///      power.
    function capMs(uint64 workCums, uint32 powerCu) internal pure returns (uint32) {
        if (powerCu == 0) return 0;
        unchecked {
            uint256 cap = (uint256(workCums) * Limits.CAP_NUMERATOR) / (uint256(Limits.CAP_DENOMINATOR) * powerCu);
            return cap > type(uint32).max ? type(uint32).max : uint32(cap);
        }
    }

    /// @notice Largest bill: `maxBill = ⌊work × 5 × price ÷ (4 × 10⁹)⌋`. No bill of the task exceeds it, whatever the
    ///      node's power, because `powerCu × capMs ≤ work × 5 ÷ 4`.
    /// @return Payment-token base units; may exceed 64 bits for absurd work, which a post then refuses.
    function maxBill(uint64 workCums, uint64 priceUsd6PerGcums) internal pure returns (uint256) {
        unchecked {
            return (uint256(workCums) * Limits.CAP_NUMERATOR * priceUsd6PerGcums)
                / (uint256(Limits.CAP_DENOMINATOR) * Limits.CUMS_PER_PRICE);
        }
    }

    /// @notice What one backup that held the input ready earns of a bill: `standby = ⌊bill × STANDBY_BPS ÷ 10⁴⌋`.
    /// @dev Requires a bill of `amount` or `maxBill`.
    function standby(uint256 billUsd6) internal pure returns (uint256) {
        unchecked {
            return billUsd6 * Limits.STANDBY_BPS / 10_000;
        }
    }

    /// @notice Escrow: the largest bill, and the standby of it for each backup asked for.
    /// @return As for `maxBill`.
    function maxAmount(uint64 workCums, uint64 priceUsd6PerGcums, uint8 backups) internal pure returns (uint256) {
        uint256 billUsd6 = maxBill(workCums, priceUsd6PerGcums);
        unchecked {
            return billUsd6 + backups * standby(billUsd6);
        }
    }
}
