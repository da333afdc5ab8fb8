// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Bonds in the chain's own coin, given back by being credited and pulled.
/// @notice A bond pays gas, so it is kept in what gas costs; no token and no price feed can block it. Burning is a
///      credit of the burn address that anyone may send there.
interface IBondLedger {
    /// @notice A credit became withdrawable.
    event BondCredited(address indexed account, uint256 amountWei);
    /// @notice A credit left to its account.
    event BondCreditPaid(address indexed account, uint256 amountWei);

    /// @notice The account has no credit.
    error BondNoCredit(address account);
    /// @notice The account refused the coins; its credit stays.
    error BondPaymentFailed(address account);

    /// @notice Send an account its credit. Anyone may call; the money goes to the account alone.
    function payBondCredit(address account) external;

    /// @notice Credit of an account, in wei of the chain's coin.
    function bondCreditOf(address account) external view returns (uint256);
}
