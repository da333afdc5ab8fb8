// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IPaymentVault} from "../interfaces/IPaymentVault.sol";
import {PaymentBase} from "./PaymentBase.sol";

/// @title Keys that commit a payer's available money within a cap. A key withdraws nothing.
abstract contract PaymentKeys is PaymentBase {
    using SafeCast for uint256;

    mapping(address payer => mapping(address key => SpendKey)) private _keys;

    /// @inheritdoc IPaymentVault
    function authorizeKey(address key, uint96 capUsd6, uint40 expiry) external {
        if (key == address(0)) revert PaymentZeroAddress();
        _keys[msg.sender][key] = SpendKey({capUsd6: capUsd6, expiry: expiry, revoked: false});
        emit KeyAuthorized(msg.sender, key, capUsd6, expiry);
    }

    /// @inheritdoc IPaymentVault
    function beginKeyRevocation(address key) external {
        if (_keys[msg.sender][key].expiry == 0) revert PaymentKeyInvalid(msg.sender, key);
        _keys[msg.sender][key].revoked = true;
        emit KeyRevoked(msg.sender, key);
    }

    /// @inheritdoc IPaymentVault
    function keyOf(address payer, address key) external view returns (SpendKey memory) {
        return _keys[payer][key];
    }

    /// @inheritdoc IPaymentVault
    function isKeyValid(address payer, address key) public view returns (bool) {
        SpendKey storage stored = _keys[payer][key];
        return !stored.revoked && block.timestamp < stored.expiry;
    }

    function _spendCap(address payer, address key, uint256 amountUsd6) internal {
        if (!isKeyValid(payer, key)) revert PaymentKeyInvalid(payer, key);
        uint96 capUsd6 = _keys[payer][key].capUsd6;
        if (amountUsd6 > capUsd6) revert PaymentKeyCapExceeded(key, capUsd6, amountUsd6);
        uint96 leftUsd6 = capUsd6 - amountUsd6.toUint96();
        _keys[payer][key].capUsd6 = leftUsd6;
        emit KeySpent(payer, key, amountUsd6, leftUsd6);
    }
}
