// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title NGPU, the stake token (18 decimals).
/// @notice The whole supply exists from the first block and nobody can mint: stake is only worth demanding if no role
///      can make more of it; a holder can burn its own, as the stake vault does with what was slashed. A local faucet is therefore funded by a transfer, not by a right to mint.
contract NgpuToken is ERC20, ERC20Burnable, ERC20Permit {
    /// @param holder Receives the whole supply.
    /// @param supplyWei Supply in wei.
    constructor(address holder, uint256 supplyWei) ERC20("NGPU", "NGPU") ERC20Permit("NGPU") {
        _mint(holder, supplyWei);
    }
}
