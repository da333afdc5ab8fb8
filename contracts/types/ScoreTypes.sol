// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What is known of one node's performance, in one storage slot.
/// @param scoreCu Power in CU of the newest measurement, after the step bound; 0: never measured.
/// @param baseCu Power that the newest measurement stepped from.
/// @param epoch Selection epoch of the newest measurement.
/// @param scoredAt Chain time in seconds of the newest measurement.
/// @param transcripts Keepers behind it.
/// @param belowClass True when it lies below its class's minimum; such a score does not lapse.
/// @param rated True once somebody set the quality.
/// @param qualityBps Quality from audits, 10,000 = full.
struct Score {
    uint32 scoreCu;
    uint32 baseCu;
    uint40 epoch;
    uint40 scoredAt;
    uint8 transcripts;
    bool belowClass;
    bool rated;
    uint16 qualityBps;
}
