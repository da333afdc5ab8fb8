// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IPaymentVault} from "./interfaces/IPaymentVault.sol";
import {PermitParams} from "./types/TaskTypes.sol";

/// @title PaymentVault
/// @notice Immutable and without roles. The deployer's only power is to name the rails once; it can move nothing.
/// @dev Rails know the vault and the vault knows the rails, so the rails are fixed after both exist. Whatever touches
///      the token is guarded; `settle` and `release` move no token.
contract PaymentVault is IPaymentVault, ReentrancyGuardTransient {
    using SafeCast for uint256;
    using SafeERC20 for IERC20;

    address private immutable _deployer;
    IERC20 private immutable _token;
    bool private _railsFixed;
    mapping(address rail => bool) private _rails;
    mapping(address account => Account) private _accounts;

    constructor(IERC20 token_) {
        if (address(token_) == address(0)) revert PaymentZeroAddress();
        _token = token_;
        _deployer = msg.sender;
    }

    modifier onlyRail() {
        if (!_rails[msg.sender]) revert PaymentNotRail(msg.sender);
        _;
    }

    /// @notice Name the contracts that may reserve, settle and release. Requirement: caller is the deployer; once.
    function fixRails(address[] calldata rails) external {
        if (_railsFixed || msg.sender != _deployer) revert PaymentRailsFixed();
        if (rails.length == 0) revert PaymentZeroAddress();
        _railsFixed = true;
        for (uint256 i = 0; i < rails.length; ++i) {
            if (rails[i] == address(0)) revert PaymentZeroAddress();
            _rails[rails[i]] = true;
        }
        emit RailsFixed(rails);
    }

    /// @inheritdoc IPaymentVault
    function deposit(address account, uint256 amountUsd6) external nonReentrant {
        if (account == address(0)) revert PaymentZeroAddress();
        _deposit(account, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function depositWithPermit(uint256 amountUsd6, PermitParams calldata permit) external nonReentrant {
        _tryPermit(msg.sender, permit);
        _deposit(msg.sender, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function withdraw(address to, uint256 amountUsd6) external nonReentrant {
        if (to == address(0)) revert PaymentZeroAddress();
        if (amountUsd6 == 0) revert PaymentZeroAmount();
        Account storage account = _accounts[msg.sender];
        uint96 availableUsd6 = account.availableUsd6;
        if (amountUsd6 > availableUsd6) revert PaymentInsufficient(msg.sender, availableUsd6, amountUsd6);

        account.availableUsd6 = availableUsd6 - amountUsd6.toUint96();
        emit Withdrawn(msg.sender, to, amountUsd6);
        _token.safeTransfer(to, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function payCredit(address account) external nonReentrant {
        uint256 amountUsd6 = _accounts[account].creditUsd6;
        if (amountUsd6 == 0) revert PaymentZeroAmount();

        _accounts[account].creditUsd6 = 0;
        emit CreditPaid(account, amountUsd6);
        _token.safeTransfer(account, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function reserve(address payer, uint256 amountUsd6, PermitParams calldata permit) external nonReentrant onlyRail {
        if (amountUsd6 == 0) revert PaymentZeroAmount();
        Account memory account = _accounts[payer];
        uint256 fromAvailableUsd6 = Math.min(account.availableUsd6, amountUsd6);
        uint256 pulledUsd6 = amountUsd6 - fromAvailableUsd6;

        account.availableUsd6 -= fromAvailableUsd6.toUint96();
        account.reservedUsd6 += amountUsd6.toUint64();
        _accounts[payer] = account;
        if (pulledUsd6 != 0) emit Deposited(payer, payer, pulledUsd6);
        emit Reserved(payer, amountUsd6);

        if (pulledUsd6 != 0) {
            _tryPermit(payer, permit);
            _pull(payer, pulledUsd6);
        }
    }

    /// @inheritdoc IPaymentVault
    function settle(address payer, address payee, uint256 reservedUsd6, uint256 paidUsd6) external onlyRail {
        if (payee == address(0)) revert PaymentZeroAddress();
        if (paidUsd6 > reservedUsd6) revert PaymentInsufficient(payer, reservedUsd6, paidUsd6);

        uint256 releasedUsd6 = reservedUsd6 - paidUsd6;
        _endReservation(payer, reservedUsd6, releasedUsd6);
        _accounts[payee].creditUsd6 += paidUsd6.toUint96();
        emit Settled(payer, payee, paidUsd6, releasedUsd6);
    }

    /// @inheritdoc IPaymentVault
    function release(address payer, uint256 amountUsd6) external onlyRail {
        _endReservation(payer, amountUsd6, amountUsd6);
        emit Released(payer, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function accountOf(address account) external view returns (Account memory) {
        return _accounts[account];
    }

    /// @inheritdoc IPaymentVault
    function token() external view returns (address) {
        return address(_token);
    }

    /// @inheritdoc IPaymentVault
    function isRail(address rail) external view returns (bool) {
        return _rails[rail];
    }

    function _deposit(address account, uint256 amountUsd6) private {
        if (amountUsd6 == 0) revert PaymentZeroAmount();
        _accounts[account].availableUsd6 += amountUsd6.toUint96();
        emit Deposited(account, msg.sender, amountUsd6);
        _pull(msg.sender, amountUsd6);
    }

    /// @dev `releasedUsd6` of the `reservedUsd6` becomes available again; the caller accounts for the rest.
    function _endReservation(address payer, uint256 reservedUsd6, uint256 releasedUsd6) private {
        Account memory account = _accounts[payer];
        if (reservedUsd6 > account.reservedUsd6) {
            revert PaymentInsufficient(payer, account.reservedUsd6, reservedUsd6);
        }
        account.reservedUsd6 -= reservedUsd6.toUint64();
        account.availableUsd6 += releasedUsd6.toUint96();
        _accounts[payer] = account;
    }

    /// @dev A permit that somebody submitted earlier has left its allowance behind; one that never was valid fails in
    ///      the pull.
    function _tryPermit(address owner, PermitParams calldata permit) private {
        if (permit.deadline == 0) return;
        try IERC20Permit(address(_token)).permit(
            owner, address(this), permit.value, permit.deadline, permit.v, permit.r, permit.s
        ) {} catch {}
    }

    /// @dev INV-1 holds for tokens that keep a fee too: what did not arrive is not credited but refused.
    function _pull(address from, uint256 amountUsd6) private {
        uint256 before = _token.balanceOf(address(this));
        _token.safeTransferFrom(from, address(this), amountUsd6);
        uint256 receivedUsd6 = _token.balanceOf(address(this)) - before;
        if (receivedUsd6 < amountUsd6) revert PaymentTokenShort(amountUsd6, receivedUsd6);
    }
}
