// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPriceOracle} from "../interfaces/IPriceOracle.sol";

/// @title Asks for a quote with as much gas as the test says.
contract QuoteCaller {
    function quote(IPriceOracle oracle, uint256 gasLimit) external view returns (uint64, uint64) {
        return oracle.quote{gas: gasLimit}();
    }
}
