// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AggregatorV3Interface} from "@chainlink/contracts/src/v0.8/shared/interfaces/AggregatorV3Interface.sol";
import {AccessManaged} from "@openzeppelin/contracts/access/manager/AccessManaged.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IPriceOracle} from "./interfaces/IPriceOracle.sol";

/// @title PriceOracle
/// @notice The price of computing is set by the policy role within bounds that nobody can change; a Chainlink feed of
///      USD per stake token says what a payment-token base unit (10⁻⁶ USD) is worth in stake. On a rollup the
///      sequencer's uptime feed must say that it has been up for a while.
/// @dev While the feed fails, the last rate that was noted (`refresh`) stands in for it for a bounded time; while the
///      sequencer is down nothing does. Nothing but a new quote ever asks.
contract PriceOracle is IPriceOracle, AccessManaged {
    using SafeCast for uint256;

    /// @dev What is wrong with a feed's answer.
    enum Fault {
        None,
        Stale,
        Invalid
    }

    /// @dev What the feed said last.
    struct Answer {
        Fault fault;
        int256 value;
        uint256 updatedAt;
    }

    /// @dev The newest rate that was noted, with the feed's own time of it.
    struct LastGood {
        uint64 stakeWeiPerUsd6;
        uint40 updatedAt;
    }

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
    /// @inheritdoc IPriceOracle
    bool public quotesPaused;
    /// @notice Says since when the rollup's sequencer is up or down; zero where there is no sequencer.
    AggregatorV3Interface public immutable sequencerFeed;
    /// @notice For so long after the sequencer came back no quote is given, in seconds.
    uint256 public immutable sequencerGraceSeconds;
    /// @notice For so long after the feed's own time a noted rate may stand in for a failing feed; 0: never.
    uint256 public immutable lastGoodSeconds;

    uint256 private immutable _answerPerUsd;
    LastGood private _lastGood;

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
        uint64 initialPriceUsd6PerGcums_,
        AggregatorV3Interface sequencerFeed_,
        uint256 sequencerGraceSeconds_,
        uint256 lastGoodSeconds_
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
        sequencerFeed = sequencerFeed_;
        sequencerGraceSeconds = sequencerGraceSeconds_;
        lastGoodSeconds = lastGoodSeconds_;
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
    function pauseQuotes() external restricted {
        quotesPaused = true;
        emit QuotesStopped(msg.sender);
    }

    /// @inheritdoc IPriceOracle
    function resumeQuotes() external restricted {
        quotesPaused = false;
        emit QuotesResumed(msg.sender);
    }

    /// @inheritdoc IPriceOracle
    function refresh() external {
        _checkSequencer();
        Answer memory answer = _answer();
        if (answer.fault != Fault.None) _fail(answer);
        if (answer.updatedAt <= _lastGood.updatedAt) return;
        uint64 stakeWeiPerUsd6 = _stakeWeiPerUsd6(answer.value);
        _lastGood = LastGood(stakeWeiPerUsd6, uint40(answer.updatedAt));
        emit RateNoted(stakeWeiPerUsd6, uint40(answer.updatedAt));
    }

    /// @inheritdoc IPriceOracle
    function quote() external view returns (uint64, uint64) {
        if (quotesPaused) revert QuotesPaused();
        _checkSequencer();
        Answer memory answer = _answer();
        if (answer.fault == Fault.None) return (priceUsd6PerGcums, _stakeWeiPerUsd6(answer.value));

        LastGood memory good = _lastGood;
        if (good.updatedAt == 0 || block.timestamp - good.updatedAt > lastGoodSeconds) _fail(answer);
        return (priceUsd6PerGcums, good.stakeWeiPerUsd6);
    }

    /// @inheritdoc IPriceOracle
    function lastGood() external view returns (uint64 stakeWeiPerUsd6, uint40 updatedAt) {
        return (_lastGood.stakeWeiPerUsd6, _lastGood.updatedAt);
    }

    function _setPrice(uint64 price) private {
        if (price < minPriceUsd6PerGcums || price > maxPriceUsd6PerGcums) {
            revert PriceOutOfBounds(price, minPriceUsd6PerGcums, maxPriceUsd6PerGcums);
        }
        priceUsd6PerGcums = price;
        emit PriceChanged(price);
    }

    /// @dev A feed that reverts counts as one that has not answered, unless it was starved: a call that failed with
    ///      no more than 1/64 of the gas left may have failed for lack of gas, and gas is the caller's choice. A round
    ///      without an id, or answered in an earlier round, is one that the feed itself calls unfinished.
    function _answer() private view returns (Answer memory) {
        uint256 gasBefore = gasleft();
        try feed.latestRoundData() returns (
            uint80 roundId, int256 answer, uint256, uint256 updatedAt, uint80 answeredInRound
        ) {
            if (
                roundId == 0 || answeredInRound < roundId || updatedAt == 0 || updatedAt > block.timestamp
                    || block.timestamp - updatedAt > maxAgeSeconds
            ) return Answer(Fault.Stale, answer, updatedAt);
            bool believable = answer >= minAnswer && answer <= maxAnswer;
            return Answer(believable ? Fault.None : Fault.Invalid, answer, updatedAt);
        } catch {
            if (gasleft() <= gasBefore / 64) revert PriceGasTooLow();
            return Answer(Fault.Stale, 0, 0);
        }
    }

    function _fail(Answer memory answer) private view {
        if (answer.fault == Fault.Invalid) revert FeedInvalid(answer.value);
        revert FeedStale(answer.updatedAt, maxAgeSeconds);
    }

    /// @dev Prices that arrive while nobody can act on them are no prices: the sequencer must be up (answer 0), and
    ///      have been for longer than the grace. `startedAt == 0` is a round that never began.
    function _checkSequencer() private view {
        if (address(sequencerFeed) == address(0)) return;
        (, int256 down, uint256 startedAt,,) = sequencerFeed.latestRoundData();
        bool up = down == 0 && startedAt != 0 && startedAt <= block.timestamp
            && block.timestamp - startedAt > sequencerGraceSeconds;
        if (!up) revert SequencerDown(startedAt, sequencerGraceSeconds);
    }

    /// @dev 10¹⁸ × 10^decimals ÷ (answer × 10⁶), rounded down: fewer wei of stake for a unit of payment, in the
    ///      node's favour.
    function _stakeWeiPerUsd6(int256 answer) private view returns (uint64) {
        // The bounds are positive, so the answer is.
        return ((WEI_PER_USD6_AT_ONE_USD * _answerPerUsd) / uint256(answer)).toUint64();
    }
}
