// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// @title A token that calls back into `target` during each transfer while armed, and bubbles what goes wrong there.
contract ReentrantToken is ERC20 {
    address private _target;
    bytes private _call;

    constructor(address holder, uint256 supply) ERC20("Reentrant", "RE") {
        _mint(holder, supply);
    }

    function arm(address target, bytes calldata call_) external {
        _target = target;
        _call = call_;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (_target != address(0)) Address.functionCall(_target, _call);
    }
}
