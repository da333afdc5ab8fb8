// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title What one slasher may still take: a token bucket that refills evenly over a day.
/// @notice A faulty or captured slasher takes at most a full bucket at once, and as much again each day. What an
///      appeal gives back does not refill the bucket. A bucket that was never used is full.
library SlashBucket {
    using SafeCast for uint256;

    uint256 internal constant REFILL_SECONDS = 1 days;
    /// @notice Part of all stake that a full bucket holds, in basis points.
    uint256 internal constant CAPACITY_BPS = 200;

    struct Bucket {
        uint128 leftWei;
        uint40 updatedAt;
    }

    /// @notice A full bucket while `totalStakedWei` is staked in all.
    function capacity(uint256 totalStakedWei, uint256 minimumWei) internal pure returns (uint256) {
        return Math.max(totalStakedWei * CAPACITY_BPS / 10_000, minimumWei);
    }

    /// @notice What is in the bucket at `now_`.
    function available(Bucket memory bucket, uint256 capacityWei, uint256 now_) internal pure returns (uint256) {
        if (bucket.updatedAt == 0) return capacityWei;
        uint256 refilledWei = capacityWei * (now_ - bucket.updatedAt) / REFILL_SECONDS;
        return Math.min(capacityWei, bucket.leftWei + refilledWei);
    }

    /// @notice Take `askedWei`, or what there is. Taking nothing leaves the bucket as it was.
    function take(Bucket storage stored, uint256 askedWei, uint256 capacityWei, uint256 now_)
        internal
        returns (uint256 takenWei)
    {
        uint256 availableWei = available(stored, capacityWei, now_);
        takenWei = Math.min(askedWei, availableWei);
        if (takenWei == 0) return 0;
        stored.leftWei = (availableWei - takenWei).toUint128();
        stored.updatedAt = now_.toUint40();
    }
}
