// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {Authorizations} from "./Authorizations.sol";
import {LocalOnly} from "./LocalOnly.sol";

/// @title Local USD, the payment token of the local chain: 6 decimals, EIP-2612 and EIP-3009 like the tokens it stands
///        for.
contract LocalUsd is LocalOnly, Authorizations {
    /// @param holder Receives the whole supply.
    /// @param supplyUsd6 Supply in base units.
    constructor(address holder, uint256 supplyUsd6) ERC20("Local USD", "USDL") ERC20Permit("Local USD") {
        _mint(holder, supplyUsd6);
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }
}
