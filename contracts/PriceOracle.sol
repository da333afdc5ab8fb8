// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AggregatorV3Interface} from "@chainlink/contracts/src/v0.8/shared/interfaces/AggregatorV3Interface.sol";
import {AccessManaged} from "@openzeppelin/contracts/access/manager/AccessManaged.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IPriceOracle} from "./interfaces/IPriceOracle.sol";

/// @title PriceOracle
/// @notice The price of computing is set by the policy role within bounds that nobody can change; a Chainlink feed of
///      USD per stake token says what a payment-token base unit (10⁻⁶ USD) is worth in stake.
contract PriceOracle is IPriceOracle, AccessManaged {
    using SafeCast for uint256;

    /// @dev Wei of stake token times payment-token base units in one USD: 10¹⁸ ÷ 10⁶.
    uint256 private constant WEI_PER_USD6_AT_ONE_USD = 1e12;

    /// @notice USD per stake token.
    AggregatorV3Interface public immutable feed;
    /// @notice Oldest answer that may be used, in seconds.
    uint256 public immutable maxAgeSeconds;
    /// @notice Bounds of a believable answer, in the feed's unit.
    int256 public immutable minAnswer;
    int256 public immutable maxAnswer;
    /// @notice Bounds of the price of computing.
    uint64 public immutable minPriceUsd6PerGcums;
    uint64 public immutable maxPriceUsd6PerGcums;
    /// @inheritdoc IPriceOracle
    uint64 public priceUsd6PerGcums;

    uint256 private immutable _answerPerUsd;

    /// @dev Both bounds of the answer must give a rate that fits, so a quote within them never fails by rounding or
    ///      width.
    constructor(
        address authority_,
        AggregatorV3Interface feed_,
        uint256 maxAgeSeconds_,
        int256 minAnswer_,
        int256 maxAnswer_,
        uint64 minPriceUsd6PerGcums_,
        uint64 maxPriceUsd6PerGcums_,
        uint64 initialPriceUsd6PerGcums_
    ) AccessManaged(authority_) {
        if (minAnswer_ <= 0) revert FeedInvalid(minAnswer_);
        if (maxAnswer_ < minAnswer_) revert FeedInvalid(maxAnswer_);
        if (maxAgeSeconds_ == 0) revert FeedStale(0, maxAgeSeconds_);
        if (minPriceUsd6PerGcums_ == 0) {
            revert PriceOutOfBounds(initialPriceUsd6PerGcums_, minPriceUsd6PerGcums_, maxPriceUsd6PerGcums_);
        }
        feed = feed_;
        maxAgeSeconds = maxAgeSeconds_;
        minAnswer = minAnswer_;
        maxAnswer = maxAnswer_;
        minPriceUsd6PerGcums = minPriceUsd6PerGcums_;
        maxPriceUsd6PerGcums = maxPriceUsd6PerGcums_;
        _answerPerUsd = 10 ** feed_.decimals();

        _stakeWeiPerUsd6(minAnswer_);
        if (_stakeWeiPerUsd6(maxAnswer_) == 0) revert FeedInvalid(maxAnswer_);
        _setPrice(initialPriceUsd6PerGcums_);
    }

    /// @inheritdoc IPriceOracle
    function setPrice(uint64 priceUsd6PerGcums_) external restricted {
        _setPrice(priceUsd6PerGcums_);
    }

    /// @inheritdoc IPriceOracle
    function quote() external view returns (uint64, uint64) {
        return (priceUsd6PerGcums, _stakeWeiPerUsd6(_answer()));
    }

    function _setPrice(uint64 price) private {
        if (price < minPriceUsd6PerGcums || price > maxPriceUsd6PerGcums) {
            revert PriceOutOfBounds(price, minPriceUsd6PerGcums, maxPriceUsd6PerGcums);
        }
        priceUsd6PerGcums = price;
        emit PriceChanged(price);
    }

    /// @dev A feed that reverts counts as one that has not answered. A round without an id, or answered in an earlier
    ///      round, is one that the feed itself calls unfinished.
    function _answer() private view returns (int256) {
        try feed.latestRoundData() returns (
            uint80 roundId, int256 answer, uint256, uint256 updatedAt, uint80 answeredInRound
        ) {
            if (
                roundId == 0 || answeredInRound < roundId || updatedAt == 0 || updatedAt > block.timestamp
                    || block.timestamp - updatedAt > maxAgeSeconds
            ) revert FeedStale(updatedAt, maxAgeSeconds);
            if (answer < minAnswer || answer > maxAnswer) revert FeedInvalid(answer);
            return answer;
        } catch {
            revert FeedStale(0, maxAgeSeconds);
        }
    }

    /// @dev 10¹⁸ × 10^decimals ÷ (answer × 10⁶), rounded down: fewer wei of stake for a unit of payment, in the
    ///      node's favour.
    function _stakeWeiPerUsd6(int256 answer) private view returns (uint64) {
        // The bounds are positive, so the answer is.
        return ((WEI_PER_USD6_AT_ONE_USD * _answerPerUsd) / uint256(answer)).toUint64();
    }
}
