// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token that, as told, calls back once in the middle of a transfer, keeps a fee, or blocks receivers.
contract HostileToken is ERC20 {
    error TokenReceiverBlocked(address receiver);

    mapping(address account => bool) public blocked;
    uint256 public feeBps;
    address private _target;
    bytes private _call;
    /// @notice Calls back that succeeded.
    uint256 public callbacks;

    constructor(address holder, uint256 supply) ERC20("Hostile", "HST") {
        _mint(holder, supply);
    }

    function arm(address target, bytes calldata call_) external {
        _target = target;
        _call = call_;
    }

    function setFee(uint256 feeBps_) external {
        feeBps = feeBps_;
    }

    function setBlocked(address account, bool blocked_) external {
        blocked[account] = blocked_;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (blocked[to]) revert TokenReceiverBlocked(to);
        uint256 fee = from == address(0) ? 0 : (value * feeBps) / 10_000;
        if (fee != 0) super._update(from, address(0xFEE), fee);
        super._update(from, to, value - fee);
        address target = _target;
        if (target == address(0)) return;
        _target = address(0);
        (bool done,) = target.call(_call);
        if (done) ++callbacks;
    }
}
