// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PermitParams} from "../types/TaskTypes.sol";

/// @title The one place that holds payment tokens.
/// @notice Amounts are base units of the payment token (6 decimals: usd6). Per account: `available` (free,
///      withdrawable by its owner), `reserved` (locked for open tasks), `credit` (earned, pushed to its owner by
///      anyone). INV-1: token balance ≥ Σ(available + reserved + credit). Only the rails fixed at deployment can move
///      reserved money, and only to the payer or to a payee's credit (INV-7).
interface IPaymentVault {
    /// @notice One account's money, in one storage slot.
    struct Account {
        uint96 availableUsd6;
        uint96 creditUsd6;
        uint64 reservedUsd6;
    }

    /// @notice Tokens came in.
    event Deposited(address indexed account, address indexed from, uint256 amountUsd6);
    /// @notice Money was locked for a task.
    event Reserved(address indexed account, uint256 amountUsd6);
    /// @notice A reservation ended: `paidUsd6` became the payee's credit, `releasedUsd6` is the payer's again.
    event Settled(address indexed payer, address indexed payee, uint256 paidUsd6, uint256 releasedUsd6);
    /// @notice A reservation ended unpaid.
    event Released(address indexed account, uint256 amountUsd6);
    /// @notice The owner took available money out.
    event Withdrawn(address indexed account, address indexed to, uint256 amountUsd6);
    /// @notice Earned money went to its owner.
    event CreditPaid(address indexed account, uint256 amountUsd6);
    /// @notice The set of rails is final.
    event RailsFixed(address[] rails);

    /// @notice Less is available than asked.
    error PaymentInsufficient(address account, uint256 availableUsd6, uint256 askedUsd6);
    /// @notice The caller is not a rail.
    error PaymentNotRail(address caller);
    /// @notice The rails were fixed before, or the caller may not fix them.
    error PaymentRailsFixed();
    /// @notice An amount of zero makes no sense here.
    error PaymentZeroAmount();
    /// @notice An address that must not be zero is zero.
    error PaymentZeroAddress();
    /// @notice The token delivered less than it was asked for.
    error PaymentTokenShort(uint256 expectedUsd6, uint256 receivedUsd6);

    /// @notice Add tokens of the caller to `account`'s available money. Requirement: allowance given.
    function deposit(address account, uint256 amountUsd6) external;

    /// @notice As `deposit` for the caller itself, with a permit in the same transaction.
    function depositWithPermit(uint256 amountUsd6, PermitParams calldata permit) external;

    /// @notice Take available money of the caller out to `to`.
    function withdraw(address to, uint256 amountUsd6) external;

    /// @notice Send all of `account`'s credit to `account`. Anyone may call, so a payout address needs no gas.
    function payCredit(address account) external;

    /// @notice Rail only. Lock `amountUsd6` of `payer`: available money first, the rest pulled from its wallet.
    /// @dev `permit.deadline == 0` uses the existing allowance; a permit that was consumed earlier is no error.
    function reserve(address payer, uint256 amountUsd6, PermitParams calldata permit) external;

    /// @notice Rail only. End a reservation of `reservedUsd6`: pay `paidUsd6` to `payee`, release the rest.
    function settle(address payer, address payee, uint256 reservedUsd6, uint256 paidUsd6) external;

    /// @notice Rail only. End a reservation unpaid.
    function release(address payer, uint256 amountUsd6) external;

    /// @notice Money of `account`.
    function accountOf(address account) external view returns (Account memory);

    /// @notice The payment token.
    function token() external view returns (address);

    /// @notice True for the contracts that may reserve, settle and release.
    function isRail(address rail) external view returns (bool);
}
