// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IPaymentVault} from "../interfaces/IPaymentVault.sol";
import {PaymentBase} from "./PaymentBase.sol";

/// @title The payer's way out: at once without obligations, after a thaw with them.
abstract contract PaymentWithdrawals is PaymentBase {
    using SafeCast for uint256;
    using SafeERC20 for IERC20;

    /// @notice Longest thaw that may be fixed, in seconds.
    uint40 public constant MAX_WITHDRAWAL_THAW = 14 days;
    /// @notice Shortest thaw that may be fixed, in seconds.
    uint40 public constant MIN_WITHDRAWAL_THAW = 1 minutes;

    /// @inheritdoc IPaymentVault
    uint40 public immutable withdrawalThaw;
    mapping(address account => Withdrawal) private _withdrawals;

    constructor(uint40 withdrawalThaw_) {
        if (withdrawalThaw_ < MIN_WITHDRAWAL_THAW || withdrawalThaw_ > MAX_WITHDRAWAL_THAW) {
            revert PaymentThawOutOfBounds(withdrawalThaw_, MIN_WITHDRAWAL_THAW, MAX_WITHDRAWAL_THAW);
        }
        withdrawalThaw = withdrawalThaw_;
    }

    /// @inheritdoc IPaymentVault
    function withdraw(address to, uint256 amountUsd6) external nonReentrant {
        uint32 obligations = _withdrawals[msg.sender].obligations;
        if (obligations != 0) revert PaymentWithdrawalThaws(msg.sender, obligations);
        _takeAvailable(to, amountUsd6);
        emit Withdrawn(msg.sender, to, amountUsd6);
        _token.safeTransfer(to, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function beginWithdrawal(address to, uint256 amountUsd6) external {
        Withdrawal storage stored = _withdrawals[msg.sender];
        if (stored.thawingUsd6 != 0) revert PaymentWithdrawalPending(msg.sender, stored.unlockAt);
        _takeAvailable(to, amountUsd6);
        uint40 unlockAt = uint40(block.timestamp) + withdrawalThaw;
        stored.thawingUsd6 = amountUsd6.toUint96();
        stored.unlockAt = unlockAt;
        stored.to = to;
        emit WithdrawalBegun(msg.sender, to, amountUsd6, unlockAt);
    }

    /// @inheritdoc IPaymentVault
    function cancelWithdrawal() external {
        uint96 amountUsd6 = _endWithdrawal(msg.sender);
        _accounts[msg.sender].availableUsd6 += amountUsd6;
        emit WithdrawalCancelled(msg.sender, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function finishWithdrawal(address account) external nonReentrant {
        Withdrawal memory stored = _withdrawals[account];
        if (block.timestamp < stored.unlockAt) revert PaymentWithdrawalStillThawing(account, stored.unlockAt);
        _endWithdrawal(account);
        emit Withdrawn(account, stored.to, stored.thawingUsd6);
        _token.safeTransfer(stored.to, stored.thawingUsd6);
    }

    /// @inheritdoc IPaymentVault
    function collectOwed(address payer, address payee, uint256 amountUsd6)
        external
        onlyRail
        returns (uint256 collectedUsd6)
    {
        uint96 availableUsd6 = _accounts[payer].availableUsd6;
        uint96 thawingUsd6 = _withdrawals[payer].thawingUsd6;
        uint256 fromAvailableUsd6 = Math.min(availableUsd6, amountUsd6);
        uint256 fromThawingUsd6 = Math.min(thawingUsd6, amountUsd6 - fromAvailableUsd6);
        collectedUsd6 = fromAvailableUsd6 + fromThawingUsd6;
        if (collectedUsd6 == 0) return 0;

        _accounts[payer].availableUsd6 = availableUsd6 - fromAvailableUsd6.toUint96();
        _withdrawals[payer].thawingUsd6 = thawingUsd6 - fromThawingUsd6.toUint96();
        _credit(payee, collectedUsd6);
        emit DebtCollected(msg.sender, payer, payee, collectedUsd6);
    }

    /// @inheritdoc IPaymentVault
    function addObligation(address payer) external onlyRail {
        uint32 obligations = _withdrawals[payer].obligations + 1;
        _withdrawals[payer].obligations = obligations;
        emit ObligationsChanged(payer, obligations);
    }

    /// @inheritdoc IPaymentVault
    function endObligation(address payer) external onlyRail {
        uint32 obligations = _withdrawals[payer].obligations;
        if (obligations == 0) revert PaymentNoObligation(payer);
        _withdrawals[payer].obligations = obligations - 1;
        emit ObligationsChanged(payer, obligations - 1);
    }

    /// @inheritdoc IPaymentVault
    function withdrawalOf(address account) external view returns (Withdrawal memory) {
        return _withdrawals[account];
    }

    /// @dev Takes available money of the caller for a withdrawal to `to`.
    function _takeAvailable(address to, uint256 amountUsd6) private {
        if (to == address(0)) revert PaymentZeroAddress();
        if (amountUsd6 == 0) revert PaymentZeroAmount();
        uint96 availableUsd6 = _accounts[msg.sender].availableUsd6;
        if (amountUsd6 > availableUsd6) revert PaymentInsufficient(msg.sender, availableUsd6, amountUsd6);
        _accounts[msg.sender].availableUsd6 = availableUsd6 - amountUsd6.toUint96();
    }

    /// @dev Clears the pending withdrawal and says how much was thawing.
    function _endWithdrawal(address account) private returns (uint96 amountUsd6) {
        Withdrawal storage stored = _withdrawals[account];
        amountUsd6 = stored.thawingUsd6;
        if (amountUsd6 == 0) revert PaymentWithdrawalNotBegun(account);
        stored.thawingUsd6 = 0;
        stored.unlockAt = 0;
        stored.to = address(0);
    }
}
