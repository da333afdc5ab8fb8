// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title How far a score may move in one epoch: a quarter up or down.
/// @dev Mirrored by protocol/src/selection/scoreStep.ts. The lower bound rounds up and the upper one down, both towards
///      the former score; a score never reaches zero, and one below four can still grow by one.
library ScoreStep {
    uint256 internal constant STEP_DIVISOR = 4;

    function bounded(uint32 formerCu, uint32 measuredCu) internal pure returns (uint32) {
        uint256 step = formerCu / STEP_DIVISOR;
        if (step == 0) step = 1;
        uint256 highest = uint256(formerCu) + step;
        uint256 lowest = formerCu > step ? formerCu - step : 1;
        if (measuredCu < lowest) return uint32(lowest);
        // Fits where it is less than what was measured.
        return measuredCu <= highest ? measuredCu : uint32(highest);
    }
}
