// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The price of computing, asked only when a quote is frozen.
/// @notice A stale or absurd feed stops new quotes; it never stops a settlement, a refund or an exit.
interface IPriceOracle {
    /// @notice The price of computing changed; open tasks keep theirs (INV-12).
    event PriceChanged(uint64 priceUsd6PerGcums);

    /// @notice A rate was noted that may stand in for a failing feed for a while.
    event RateNoted(uint64 stakeWeiPerUsd6, uint40 updatedAt);

    /// @notice No quote is given from now on; what is open goes on (INV-10).
    event QuotesStopped(address indexed account);

    /// @notice Quotes are given again.
    event QuotesResumed(address indexed account);

    /// @notice The feed has not answered for longer than allowed.
    error FeedStale(uint256 updatedAt, uint256 maxAgeSeconds);
    /// @notice The feed's answer is not positive or outside its bounds.
    error FeedInvalid(int256 answer);
    /// @notice The price is outside the bounds fixed at deployment.
    error PriceOutOfBounds(uint64 priceUsd6PerGcums, uint64 minimum, uint64 maximum);

    /// @notice The rollup's sequencer is down, or has not been up for long enough.
    error SequencerDown(uint256 startedAt, uint256 graceSeconds);
    /// @notice The call was given too little gas to tell a broken feed from a starved one.
    error PriceGasTooLow();

    /// @notice New quotes are stopped for now.
    error QuotesPaused();

    /// @notice What a task posted now would freeze.
    /// @return priceUsd6PerGcums Payment-token base units per 10⁹ CU·ms.
    /// @return stakeWeiPerUsd6 Stake-token wei worth one payment-token base unit.
    function quote() external view returns (uint64 priceUsd6PerGcums, uint64 stakeWeiPerUsd6);

    /// @notice The price alone, even while the feed is stale.
    function priceUsd6PerGcums() external view returns (uint64);

    /// @notice Change the price. Requirement: policy role; within the bounds.
    function setPrice(uint64 priceUsd6PerGcums) external;

    /// @notice Stop new quotes, and thereby new posts and sessions, and nothing else. Requirement: pauser role.
    function pauseQuotes() external;

    /// @notice Let quotes go on. Requirement: unpauser role.
    function resumeQuotes() external;

    /// @notice True while no quotes are given.
    function quotesPaused() external view returns (bool);

    /// @notice Note the feed's rate of now, so that it may stand in for a failing feed. Anyone may call. Requirement:
    ///      the feed answers, the sequencer is up.
    function refresh() external;

    /// @notice The newest noted rate and the feed's time of it; zeros if none was noted.
    function lastGood() external view returns (uint64 stakeWeiPerUsd6, uint40 updatedAt);
}
