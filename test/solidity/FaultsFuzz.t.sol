// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PenaltyLadder} from "../../contracts/libraries/PenaltyLadder.sol";
import {SlashCap} from "../../contracts/libraries/SlashCap.sol";
import {SlotIntervals} from "../../contracts/libraries/SlotIntervals.sol";
import {FaultKind, Standing} from "../../contracts/types/AvailabilityTypes.sol";
import {Receipt} from "../../contracts/types/TaskTypes.sol";

/// @title Properties of the pure parts of faults.
contract FaultsFuzzTest {
    using PenaltyLadder for Standing;
    using SlashCap for SlashCap.Meter;

    SlashCap.Meter private _meter;

    /// @dev Class 23: a share of something is something, and at most one wei above the exact share.
    function testFuzz_shareRoundsUpByLessThanOneWei(uint128 stakeWei, uint16 bps) external pure {
        uint256 shareBps = bps % 10_001;
        uint256 shareWei = SlashCap.shareOf(stakeWei, shareBps);
        require(shareWei * 10_000 >= uint256(stakeWei) * shareBps, "too little");
        require(shareWei <= stakeWei, "more than there is");
        if (shareWei != 0) require((shareWei - 1) * 10_000 < uint256(stakeWei) * shareBps, "too much");
        if (stakeWei != 0 && shareBps != 0) require(shareWei != 0, "nothing");
    }

    /// @dev Class 6: in one period the cap holds whatever the stake becomes, in the next one it begins afresh.
    function testFuzz_capOfAPeriodHolds(uint128[8] calldata stakes, uint16[8] calldata shares, uint16 cap) external {
        uint256 capBps = cap % 10_001;
        uint256 sum;
        for (uint256 i; i < 8; ++i) {
            uint256 amountWei = _meter.allow(7, stakes[i], shares[i] % 10_001, capBps);
            _meter.taken(amountWei);
            sum += amountWei;
        }
        uint256 snapshotWei = _meter.snapshotWei;
        require(sum <= SlashCap.shareOf(snapshotWei, capBps), "above the cap");
        uint256 fresh = _meter.allow(8, stakes[0], 10_000, capBps);
        require(fresh == SlashCap.shareOf(stakes[0], capBps), "the next period");
    }

    function testFuzz_overlapIsSymmetricAndShared(Receipt calldata a, Receipt calldata b) external pure {
        bool overlapping = SlotIntervals.overlap(a, b);
        require(overlapping == SlotIntervals.overlap(b, a), "not symmetric");
        if (!overlapping) return;
        uint256 start = a.startMs > b.startMs ? a.startMs : b.startMs;
        require(start < uint256(a.startMs) + a.durationMs && start < uint256(b.startMs) + b.durationMs, "not shared");
        require(a.nodeId == b.nodeId && a.slot == b.slot && a.status == 0 && b.status == 0, "not comparable");
    }

    function testFuzz_strikesOnlyFade(uint8 strikes, uint40 since, uint40 now_, uint40 later, uint40 decay) external pure {
        if (decay == 0 || now_ < since || later < now_) return;
        Standing memory standing = Standing(strikes, since, 0, 0, 0);
        uint8 first = standing.strikesAt(now_, decay);
        uint8 second = standing.strikesAt(later, decay);
        require(second <= first && first <= strikes, "they grew");
        require(PenaltyLadder.qualityBps(second) >= PenaltyLadder.qualityBps(first), "quality fell by waiting");
        require(PenaltyLadder.qualityBps(first) >= 2_000, "below a fifth");
    }

    function testFuzz_noFaultCostsMoreThanAnEpochMay(uint8 strikes, bool joint) external pure {
        for (uint8 kind; kind < 2; ++kind) {
            require(PenaltyLadder.slashBps(FaultKind(kind), strikes, joint) <= PenaltyLadder.EPOCH_CAP_BPS, "cap");
        }
        require(PenaltyLadder.slashBps(FaultKind.Silence, 2, joint) == 0, "silence costs stake too early");
    }
}
