// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title EIP-3009: transfers that a holder signs and anyone may submit, each nonce once.
interface IERC3009 {
    /// @notice The authorisation was used.
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    /// @notice The authorisation was cancelled before it was used.
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    /// @notice The authorisation is not valid yet, or not any more.
    error AuthorizationOutOfTime(uint256 validAfter, uint256 validBefore);
    /// @notice The nonce was used or cancelled.
    error AuthorizationSpent(address authorizer, bytes32 nonce);
    /// @notice The holder did not sign this.
    error AuthorizationSignerInvalid(address signer, address authorizer);
    /// @notice Only the receiver may submit this.
    error AuthorizationNotReceiver(address caller, address to);

    /// @notice Transfer as `from` signed. Anyone may submit.
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
    ) external;

    /// @notice As `transferWithAuthorization`, submitted by the receiver alone.
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
    ) external;

    /// @notice Make a nonce unusable.
    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external;

    /// @notice Whether the nonce was used or cancelled.
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool);
}
