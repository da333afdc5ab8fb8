// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IERC3009} from "../interfaces/IERC3009.sol";

/// @title EIP-3009 on top of an OpenZeppelin token, for the local payment token.
abstract contract Authorizations is IERC3009, ERC20Permit {
    bytes32 private constant _TRANSFER_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,"
        "bytes32 nonce)"
    );
    bytes32 private constant _RECEIVE_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,"
        "bytes32 nonce)"
    );
    bytes32 private constant _CANCEL_TYPEHASH = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    mapping(address authorizer => mapping(bytes32 nonce => bool)) private _spent;

    /// @inheritdoc IERC3009
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 hash = keccak256(abi.encode(_TRANSFER_TYPEHASH, from, to, value, validAfter, validBefore, nonce));
        _checkTime(validAfter, validBefore);
        _spend(from, nonce, hash, v, r, s);
        emit AuthorizationUsed(from, nonce);
        _transfer(from, to, value);
    }

    /// @inheritdoc IERC3009
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        if (to != msg.sender) revert AuthorizationNotReceiver(msg.sender, to);
        bytes32 hash = keccak256(abi.encode(_RECEIVE_TYPEHASH, from, to, value, validAfter, validBefore, nonce));
        _checkTime(validAfter, validBefore);
        _spend(from, nonce, hash, v, r, s);
        emit AuthorizationUsed(from, nonce);
        _transfer(from, to, value);
    }

    /// @inheritdoc IERC3009
    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        _spend(authorizer, nonce, keccak256(abi.encode(_CANCEL_TYPEHASH, authorizer, nonce)), v, r, s);
        emit AuthorizationCanceled(authorizer, nonce);
    }

    /// @inheritdoc IERC3009
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool) {
        return _spent[authorizer][nonce];
    }

    function _checkTime(uint256 validAfter, uint256 validBefore) private view {
        if (block.timestamp <= validAfter || block.timestamp >= validBefore) {
            revert AuthorizationOutOfTime(validAfter, validBefore);
        }
    }

    function _spend(address authorizer, bytes32 nonce, bytes32 structHash, uint8 v, bytes32 r, bytes32 s) private {
        if (_spent[authorizer][nonce]) revert AuthorizationSpent(authorizer, nonce);
        address signer = ECDSA.recover(_hashTypedDataV4(structHash), v, r, s);
        if (signer != authorizer) revert AuthorizationSignerInvalid(signer, authorizer);
        _spent[authorizer][nonce] = true;
    }
}
