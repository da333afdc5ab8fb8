// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The billing records of a voucher: four bytes each, big-endian, back to back.
/// @notice Bit 31 clear: an execution, the low 31 bits are its ms. Bit 31 set: a standby line, the low 31 bits are the
///      ms that the node was held ready, at a tenth of the lane's price.
/// @dev Mirror of protocol/src/session/packedBills.ts. `weigh` sums eight records a word; `weighPlainly` is its twin
///      one record at a time, and a fuzz test holds the two equal.
library PackedBills {
    uint256 internal constant BYTES_PER_RECORD = 4;
    /// @dev 4,096 records: whatever a payer signed, one segment fits a transaction.
    uint256 internal constant MAX_BYTES = 16_384;
    /// @dev Weight of one ms of execution: amounts are exact to a ten-thousandth.
    uint256 internal constant EXECUTION_BPS = 10_000;
    /// @dev Weight of one ms of standby.
    uint256 internal constant STANDBY_BPS = 1_000;

    /// @dev Bit 0 of each of a word's eight records.
    uint256 private constant ONES = 0x0000000100000001000000010000000100000001000000010000000100000001;
    /// @dev The ms of each record.
    uint256 private constant MS = 0x7fffffff7fffffff7fffffff7fffffff7fffffff7fffffff7fffffff7fffffff;
    /// @dev Every other record: four sums of 64 bits.
    uint256 private constant EVEN = 0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff;

    /// @notice Whether `bills` is a whole number of records, at least one and at most 4,096.
    function isWellFormed(bytes calldata bills) internal pure returns (bool) {
        return bills.length != 0 && bills.length % BYTES_PER_RECORD == 0 && bills.length <= MAX_BYTES;
    }

    /// @notice Σ (executionMs × 10,000 + standbyMs × 1,000). Below 2⁵⁷ for well-formed bills.
    /// @dev Each word's records are added pairwise into four sums of 64 bits, all records in `total` and the standby
    ///      ones again in `standby`. 512 words × two records of 31 bits stay below 2⁴¹, so no sum reaches its
    ///      neighbour.
    function weigh(bytes calldata bills) internal pure returns (uint256) {
        uint256 total;
        uint256 standby;
        assembly ("memory-safe") {
            let end := add(bills.offset, bills.length)
            for { let cursor := bills.offset } lt(cursor, end) { cursor := add(cursor, 32) } {
                let word := calldataload(cursor)
                // What follows the bills is not theirs: records beyond the end count as zero.
                let rest := sub(end, cursor)
                if lt(rest, 32) { word := shl(shl(3, sub(32, rest)), shr(shl(3, sub(32, rest)), word)) }
                let ms := and(word, MS)
                // A record's flag times 2³¹ − 1 masks its ms; no product leaves its record.
                let held := and(ms, mul(and(shr(31, word), ONES), 0x7fffffff))
                total := add(total, add(and(ms, EVEN), and(shr(32, ms), EVEN)))
                standby := add(standby, add(and(held, EVEN), and(shr(32, held), EVEN)))
            }
        }
        return _fold(total) * EXECUTION_BPS - _fold(standby) * (EXECUTION_BPS - STANDBY_BPS);
    }

    /// @notice As `weigh`, one record at a time.
    function weighPlainly(bytes calldata bills) internal pure returns (uint256 weight) {
        for (uint256 start = 0; start < bills.length; start += BYTES_PER_RECORD) {
            uint256 record = uint32(bytes4(bills[start:start + BYTES_PER_RECORD]));
            bool isStandby = record >> 31 == 1;
            weight += (record & 0x7fffffff) * (isStandby ? STANDBY_BPS : EXECUTION_BPS);
        }
    }

    /// @dev Adds the four sums of 64 bits.
    function _fold(uint256 sums) private pure returns (uint256) {
        return (sums & type(uint64).max) + ((sums >> 64) & type(uint64).max) + ((sums >> 128) & type(uint64).max)
            + (sums >> 192);
    }
}
