// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Receipt, ReceiptStatus} from "../types/TaskTypes.sol";

/// @title When two receipts bill the same time of the same slot.
library SlotIntervals {
    /// @notice What may be signed once: keccak256(abi.encode(taskId, assignment, attempt)).
    function conflictKey(Receipt calldata receipt) internal pure returns (bytes32) {
        return keccak256(abi.encode(receipt.taskId, receipt.assignment, receipt.attempt));
    }

    /// @notice True if both bill (a failure bills nothing), for the same slot of the same node, and their half-open
    ///      intervals [startMs, startMs + durationMs) share a millisecond.
    function overlap(Receipt calldata a, Receipt calldata b) internal pure returns (bool) {
        if (a.nodeId != b.nodeId || a.slot != b.slot) return false;
        uint8 succeeded = uint8(ReceiptStatus.Succeeded);
        if (a.status != succeeded || b.status != succeeded) return false;
        // Both starts have 64 bits and both durations 32, so no sum of two overflows 256.
        uint256 endA = uint256(a.startMs) + a.durationMs;
        uint256 endB = uint256(b.startMs) + b.durationMs;
        return a.durationMs != 0 && b.durationMs != 0 && a.startMs < endB && b.startMs < endA;
    }
}
