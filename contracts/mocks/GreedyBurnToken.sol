// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token that burns the gas it is given instead of what it is asked to burn.
contract GreedyBurnToken is ERC20 {
    constructor(address holder, uint256 supply) ERC20("Greedy", "GRD") {
        _mint(holder, supply);
    }

    function burn(uint256) external pure {
        assembly ("memory-safe") {
            invalid()
        }
    }
}
