// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AggregatorV3Interface} from "@chainlink/contracts/src/v0.8/shared/interfaces/AggregatorV3Interface.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {LocalOnly} from "./LocalOnly.sol";

/// @title USD per NGPU on the local chain, in the shape of a Chainlink Data Feed (8 decimals).
/// @notice Its owner pushes answers; the time of an answer is the block's, so a feed that is left alone grows stale.
contract LocalPriceFeed is LocalOnly, AggregatorV3Interface, Ownable {
    /// @notice A new round (same event as Chainlink's aggregators emit).
    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    /// @notice The round does not exist.
    error NoSuchRound(uint80 roundId);

    struct Round {
        int192 answer;
        uint64 updatedAt;
    }

    /// @inheritdoc AggregatorV3Interface
    uint8 public constant override decimals = 8;
    /// @inheritdoc AggregatorV3Interface
    uint256 public constant override version = 1;

    uint80 private _latestRoundId;
    mapping(uint80 roundId => Round) private _rounds;

    constructor(address owner_, int192 answer) Ownable(owner_) {
        _push(answer);
    }

    /// @notice Begin a round with a new answer. Requirement: caller is the owner.
    function push(int192 answer) external onlyOwner {
        _push(answer);
    }

    /// @inheritdoc AggregatorV3Interface
    function description() external pure override returns (string memory) {
        return "NGPU / USD (local)";
    }

    /// @inheritdoc AggregatorV3Interface
    function getRoundData(uint80 roundId) external view override returns (uint80, int256, uint256, uint256, uint80) {
        return _round(roundId);
    }

    /// @inheritdoc AggregatorV3Interface
    function latestRoundData() external view override returns (uint80, int256, uint256, uint256, uint80) {
        return _round(_latestRoundId);
    }

    function _push(int192 answer) private {
        uint80 roundId = ++_latestRoundId;
        _rounds[roundId] = Round(answer, uint64(block.timestamp));
        emit AnswerUpdated(answer, roundId, block.timestamp);
    }

    function _round(uint80 roundId) private view returns (uint80, int256, uint256, uint256, uint80) {
        Round memory round = _rounds[roundId];
        if (round.updatedAt == 0) revert NoSuchRound(roundId);
        return (roundId, round.answer, round.updatedAt, round.updatedAt, roundId);
    }
}
