// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token whose issuer can block receivers, as USD stablecoins can.
contract BlocklistToken is ERC20 {
    error TokenReceiverBlocked(address receiver);

    mapping(address account => bool) public blocked;

    constructor(address holder, uint256 supply) ERC20("Blocklist", "BLK") {
        _mint(holder, supply);
    }

    function setBlocked(address account, bool blocked_) external {
        blocked[account] = blocked_;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (blocked[to]) revert TokenReceiverBlocked(to);
        super._update(from, to, value);
    }
}
