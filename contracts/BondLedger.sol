// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBondLedger} from "./interfaces/IBondLedger.sol";

/// @title BondLedger
/// @notice Pull payments of the chain's coin. INV-1: balance ≥ Σ open bonds + Σ credits, because a credit is only ever
///      made out of a bond that ends in the same call.
abstract contract BondLedger is IBondLedger {
    /// @notice Where burned bonds go: nobody has its key.
    address public constant BURN = 0x000000000000000000000000000000000000dEaD;

    mapping(address account => uint256) private _creditWei;

    /// @inheritdoc IBondLedger
    function payBondCredit(address account) external {
        uint256 amountWei = _creditWei[account];
        if (amountWei == 0) revert BondNoCredit(account);
        _creditWei[account] = 0;
        emit BondCreditPaid(account, amountWei);
        (bool paid,) = account.call{value: amountWei}("");
        if (!paid) revert BondPaymentFailed(account);
    }

    /// @inheritdoc IBondLedger
    function bondCreditOf(address account) external view returns (uint256) {
        return _creditWei[account];
    }

    function _credit(address account, uint256 amountWei) internal {
        if (amountWei == 0) return;
        _creditWei[account] += amountWei;
        emit BondCredited(account, amountWei);
    }
}
