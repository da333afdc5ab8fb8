// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IERC3009} from "./interfaces/IERC3009.sol";
import {IPaymentVault} from "./interfaces/IPaymentVault.sol";
import {PaymentBase} from "./payment/PaymentBase.sol";
import {PaymentCredits} from "./payment/PaymentCredits.sol";
import {PaymentKeys} from "./payment/PaymentKeys.sol";
import {PaymentWithdrawals} from "./payment/PaymentWithdrawals.sol";
import {PermitParams} from "./types/TaskTypes.sol";

/// @title PaymentVault
/// @notice Immutable and without roles. The deployer's only power is to name the rails once; it can move nothing.
/// @dev Rails know the vault and the vault knows the rails, so the rails are fixed after both exist. Whatever touches
///      the token is guarded; the rest only moves figures between accounts and pots.
contract PaymentVault is PaymentKeys, PaymentWithdrawals, PaymentCredits {
    using SafeCast for uint256;

    address private immutable _deployer;
    bool private _railsFixed;

    constructor(IERC20 token_, uint40 withdrawalThaw_, uint40 maturitySeconds_)
        PaymentBase(token_)
        PaymentWithdrawals(withdrawalThaw_)
        PaymentCredits(maturitySeconds_)
    {
        _deployer = msg.sender;
    }

    /// @notice Name the contracts that may move reserved and held money. Requirement: caller is the deployer; once.
    function fixRails(address[] calldata rails) external {
        if (_railsFixed || msg.sender != _deployer) revert PaymentRailsFixed();
        if (rails.length == 0) revert PaymentZeroAddress();
        _railsFixed = true;
        for (uint256 i = 0; i < rails.length; ++i) {
            if (rails[i] == address(0)) revert PaymentZeroAddress();
            _rails[rails[i]].isRail = true;
        }
        emit RailsFixed(rails);
    }

    /// @inheritdoc IPaymentVault
    function deposit(address account, uint256 amountUsd6) external nonReentrant {
        if (account == address(0)) revert PaymentZeroAddress();
        _addAvailable(account, msg.sender, amountUsd6);
        _pull(msg.sender, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function depositWithPermit(uint256 amountUsd6, PermitParams calldata permit) external nonReentrant {
        _addAvailable(msg.sender, msg.sender, amountUsd6);
        _pullWithPermit(msg.sender, amountUsd6, permit);
    }

    /// @inheritdoc IPaymentVault
    function depositWithAuthorization(
        address from,
        uint256 amountUsd6,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant {
        _addAvailable(from, from, amountUsd6);
        uint256 before = _token.balanceOf(address(this));
        IERC3009(address(_token)).receiveWithAuthorization(
            from, address(this), amountUsd6, validAfter, validBefore, nonce, v, r, s
        );
        _checkArrival(before, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function reserve(address payer, uint256 amountUsd6, PermitParams calldata permit) external nonReentrant onlyRail {
        uint256 pulledUsd6 = _take(payer, amountUsd6, amountUsd6.toUint64());
        emit Reserved(payer, amountUsd6);
        _pullWithPermit(payer, pulledUsd6, permit);
    }

    /// @inheritdoc IPaymentVault
    function settle(address payer, address payee, uint256 reservedUsd6, uint256 paidUsd6) external onlyRail {
        if (paidUsd6 > reservedUsd6) revert PaymentInsufficient(payer, reservedUsd6, paidUsd6);

        uint256 releasedUsd6 = reservedUsd6 - paidUsd6;
        _endReservation(payer, reservedUsd6, releasedUsd6);
        _creditImmature(payee, paidUsd6);
        emit Settled(payer, payee, paidUsd6, releasedUsd6);
    }

    /// @inheritdoc IPaymentVault
    function release(address payer, uint256 amountUsd6) external onlyRail {
        _endReservation(payer, amountUsd6, amountUsd6);
        emit Released(payer, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function hold(address payer, uint256 amountUsd6, PermitParams calldata permit) external nonReentrant onlyRail {
        uint256 pulledUsd6 = _take(payer, amountUsd6, 0);
        _rails[msg.sender].heldUsd6 += amountUsd6.toUint128();
        emit Held(msg.sender, payer, amountUsd6);
        _pullWithPermit(payer, pulledUsd6, permit);
    }

    /// @inheritdoc IPaymentVault
    function holdByKey(address payer, address key, uint256 amountUsd6) external onlyRail {
        _spendCap(payer, key, amountUsd6);
        uint96 availableUsd6 = _accounts[payer].availableUsd6;
        if (amountUsd6 > availableUsd6) revert PaymentInsufficient(payer, availableUsd6, amountUsd6);
        _take(payer, amountUsd6, 0);
        _rails[msg.sender].heldUsd6 += amountUsd6.toUint128();
        emit Held(msg.sender, payer, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function payFromHeld(address payee, uint256 amountUsd6) external {
        _takeHeld(amountUsd6);
        _credit(payee, amountUsd6);
        emit PaidFromHeld(msg.sender, payee, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function returnFromHeld(address payer, uint256 amountUsd6) external {
        if (payer == address(0)) revert PaymentZeroAddress();
        _takeHeld(amountUsd6);
        _accounts[payer].availableUsd6 += amountUsd6.toUint96();
        emit ReturnedFromHeld(msg.sender, payer, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function heldBy(address rail) external view returns (uint256) {
        return _rails[rail].heldUsd6;
    }

    /// @inheritdoc IPaymentVault
    function token() external view returns (address) {
        return address(_token);
    }

    /// @inheritdoc IPaymentVault
    function isRail(address rail) external view returns (bool) {
        return _rails[rail].isRail;
    }

    function _addAvailable(address account, address from, uint256 amountUsd6) private {
        if (amountUsd6 == 0) revert PaymentZeroAmount();
        _accounts[account].availableUsd6 += amountUsd6.toUint96();
        emit Deposited(account, from, amountUsd6);
    }

    /// @dev `releasedUsd6` of the `reservedUsd6` becomes available again; the caller accounts for the rest.
    function _endReservation(address payer, uint256 reservedUsd6, uint256 releasedUsd6) private {
        Account storage stored = _accounts[payer];
        (uint96 availableUsd6, uint64 openUsd6) = (stored.availableUsd6, stored.reservedUsd6);
        if (reservedUsd6 > openUsd6) revert PaymentInsufficient(payer, openUsd6, reservedUsd6);
        (stored.availableUsd6, stored.reservedUsd6) =
            (availableUsd6 + releasedUsd6.toUint96(), openUsd6 - reservedUsd6.toUint64());
    }

    /// @dev Rail and pot are one slot: the caller is a rail, and its own pot is all that it reaches.
    function _takeHeld(uint256 amountUsd6) private {
        Rail memory rail = _rails[msg.sender];
        if (!rail.isRail) revert PaymentNotRail(msg.sender);
        if (amountUsd6 > rail.heldUsd6) revert PaymentHeldInsufficient(msg.sender, rail.heldUsd6, amountUsd6);
        _rails[msg.sender].heldUsd6 = rail.heldUsd6 - amountUsd6.toUint128();
    }
}
