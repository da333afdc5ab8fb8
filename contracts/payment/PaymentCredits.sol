// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IPaymentVault} from "../interfaces/IPaymentVault.sol";
import {MaturingCredit} from "../libraries/MaturingCredit.sol";
import {PaymentBase} from "./PaymentBase.sol";

/// @title What was earned: it matures, can be contested until then, and goes to its owner by anyone's hand.
/// @dev `_accounts[x].creditUsd6` is what was mature at once, `_maturing[x]` what settlements credited.
abstract contract PaymentCredits is PaymentBase {
    using MaturingCredit for MaturingCredit.Credit;
    using SafeCast for uint256;
    using SafeERC20 for IERC20;

    /// @notice Shortest maturity that may be fixed, in seconds.
    uint40 public constant MIN_MATURITY = 10 seconds;
    /// @notice Longest maturity that may be fixed, in seconds.
    uint40 public constant MAX_MATURITY = 7 days;

    /// @inheritdoc IPaymentVault
    uint40 public immutable maturitySeconds;
    mapping(address account => MaturingCredit.Credit) private _maturing;

    constructor(uint40 maturitySeconds_) {
        if (maturitySeconds_ < MIN_MATURITY || maturitySeconds_ > MAX_MATURITY) {
            revert PaymentMaturityOutOfBounds(maturitySeconds_, MIN_MATURITY, MAX_MATURITY);
        }
        maturitySeconds = maturitySeconds_;
    }

    /// @inheritdoc IPaymentVault
    function contest(address payee, uint256 amountUsd6) external onlyRail {
        if (amountUsd6 == 0) revert PaymentZeroAmount();
        uint32 period = _period();
        if (!_maturing[payee].take(period, amountUsd6)) {
            revert PaymentInsufficient(payee, _maturing[payee].immatureIn(period), amountUsd6);
        }
        _rails[msg.sender].heldUsd6 += amountUsd6.toUint128();
        emit Contested(msg.sender, payee, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function payCredit(address account) external nonReentrant {
        uint32 period = _period();
        uint256 amountUsd6 = uint256(_accounts[account].creditUsd6) + _maturing[account].takeMatured(period);
        if (amountUsd6 == 0) {
            uint256 maturesIn = _maturing[account].maturesIn(period);
            if (maturesIn == 0) revert PaymentZeroAmount();
            revert PaymentCreditImmature(account, uint40(maturesIn * maturitySeconds));
        }

        _accounts[account].creditUsd6 = 0;
        emit CreditPaid(account, amountUsd6);
        _token.safeTransfer(account, amountUsd6);
    }

    /// @inheritdoc IPaymentVault
    function accountOf(address account) external view returns (Account memory held) {
        held = _accounts[account];
        held.creditUsd6 = (held.creditUsd6 + _maturing[account].total()).toUint96();
    }

    /// @inheritdoc IPaymentVault
    function immatureOf(address account) external view returns (uint256) {
        return _maturing[account].immatureIn(_period());
    }

    /// @dev Credits what its payer may still contest.
    function _creditImmature(address payee, uint256 amountUsd6) internal {
        if (payee == address(0)) revert PaymentZeroAddress();
        _maturing[payee].add(_period(), amountUsd6);
    }

    /// @dev Maturity periods since 1970. Fits for ten thousand years of the shortest.
    function _period() private view returns (uint32) {
        return uint32(block.timestamp / maturitySeconds);
    }
}
