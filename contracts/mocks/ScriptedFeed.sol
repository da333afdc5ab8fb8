// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AggregatorV3Interface} from "@chainlink/contracts/src/v0.8/shared/interfaces/AggregatorV3Interface.sol";

/// @title A feed that answers whatever the test wrote, or reverts.
contract ScriptedFeed is AggregatorV3Interface {
    error FeedDown();

    uint8 public immutable override decimals;
    uint256 public constant override version = 1;
    string public constant override description = "scripted";

    bool private _down;
    uint80 private _roundId;
    int256 private _answer;
    uint256 private _updatedAt;
    uint80 private _answeredInRound;

    constructor(uint8 decimals_) {
        decimals = decimals_;
    }

    function script(uint80 roundId, int256 answer, uint256 updatedAt, uint80 answeredInRound) external {
        (_down, _roundId, _answer, _updatedAt, _answeredInRound) = (false, roundId, answer, updatedAt, answeredInRound);
    }

    function takeDown() external {
        _down = true;
    }

    function getRoundData(uint80) external view override returns (uint80, int256, uint256, uint256, uint80) {
        return latestRoundData();
    }

    function latestRoundData() public view override returns (uint80, int256, uint256, uint256, uint80) {
        if (_down) revert FeedDown();
        return (_roundId, _answer, _updatedAt, _updatedAt, _answeredInRound);
    }
}
