// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IPaymentVault} from "../interfaces/IPaymentVault.sol";
import {PermitParams} from "../types/TaskTypes.sol";

/// @title What every part of the PaymentVault stands on: the token, the accounts, the rails, and the way in.
abstract contract PaymentBase is IPaymentVault, ReentrancyGuardTransient {
    using SafeCast for uint256;
    using SafeERC20 for IERC20;

    /// @dev A rail and its pot, in one storage slot.
    struct Rail {
        bool isRail;
        uint128 heldUsd6;
    }

    IERC20 internal immutable _token;
    mapping(address rail => Rail) internal _rails;
    mapping(address account => Account) internal _accounts;

    constructor(IERC20 token_) {
        if (address(token_) == address(0)) revert PaymentZeroAddress();
        _token = token_;
    }

    modifier onlyRail() {
        if (!_rails[msg.sender].isRail) revert PaymentNotRail(msg.sender);
        _;
    }

    function _credit(address payee, uint256 amountUsd6) internal {
        if (payee == address(0)) revert PaymentZeroAddress();
        _accounts[payee].creditUsd6 += amountUsd6.toUint96();
    }

    /// @dev Takes `amountUsd6` of `payer`: available money first; the rest is announced as a deposit and must be pulled
    ///      by the caller once all else is written. `reservedUsd6` of it stays the payer's, reserved.
    function _take(address payer, uint256 amountUsd6, uint64 reservedUsd6) internal returns (uint256 pulledUsd6) {
        if (amountUsd6 == 0) revert PaymentZeroAmount();
        Account memory account = _accounts[payer];
        uint256 fromAvailableUsd6 = Math.min(account.availableUsd6, amountUsd6);
        pulledUsd6 = amountUsd6 - fromAvailableUsd6;

        account.availableUsd6 -= fromAvailableUsd6.toUint96();
        account.reservedUsd6 += reservedUsd6;
        _accounts[payer] = account;
        if (pulledUsd6 != 0) emit Deposited(payer, payer, pulledUsd6);
    }

    /// @dev A permit that somebody submitted earlier has left its allowance behind; one that never was valid fails in
    ///      the pull.
    function _tryPermit(address owner, PermitParams calldata permit) internal {
        if (permit.deadline == 0) return;
        try IERC20Permit(address(_token)).permit(
            owner, address(this), permit.value, permit.deadline, permit.v, permit.r, permit.s
        ) {} catch {}
    }

    function _pullWithPermit(address payer, uint256 amountUsd6, PermitParams calldata permit) internal {
        if (amountUsd6 == 0) return;
        _tryPermit(payer, permit);
        _pull(payer, amountUsd6);
    }

    function _pull(address from, uint256 amountUsd6) internal {
        uint256 before = _token.balanceOf(address(this));
        _token.safeTransferFrom(from, address(this), amountUsd6);
        _checkArrival(before, amountUsd6);
    }

    /// @dev INV-1 holds for tokens that keep a fee too: what did not arrive is not credited but refused.
    function _checkArrival(uint256 before, uint256 amountUsd6) internal view {
        uint256 receivedUsd6 = _token.balanceOf(address(this)) - before;
        if (receivedUsd6 < amountUsd6) revert PaymentTokenShort(amountUsd6, receivedUsd6);
    }
}
