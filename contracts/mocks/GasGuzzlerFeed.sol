// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AggregatorV3Interface} from "@chainlink/contracts/src/v0.8/shared/interfaces/AggregatorV3Interface.sol";

/// @title A feed that answers only if it is given enough gas.
contract GasGuzzlerFeed is AggregatorV3Interface {
    uint8 public constant override decimals = 8;
    uint256 public constant override version = 1;
    string public constant override description = "guzzler";

    mapping(uint256 i => uint256) private _cold;

    function getRoundData(uint80) external view override returns (uint80, int256, uint256, uint256, uint80) {
        return latestRoundData();
    }

    /// @dev A hundred cold reads: more than 210,000 gas.
    function latestRoundData() public view override returns (uint80, int256, uint256, uint256, uint80) {
        uint256 sum;
        for (uint256 i; i < 100; ++i) sum += _cold[i];
        return (1, int256(50_000_000 + sum), block.timestamp, block.timestamp, 1);
    }
}
