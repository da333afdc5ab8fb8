// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PermitParams} from "../types/TaskTypes.sol";

/// @title The one place that holds payment tokens.
/// @notice Amounts are base units of the payment token (6 decimals: usd6). Per account: `available` (free,
///      withdrawable by its owner), `reserved` (locked for open tasks), `credit` (earned, pushed to its owner by
///      anyone; what a settlement credited first matures), `thawing` (on its way out to its owner while the owner has
///      obligations). Per rail: a pot of what payers let it hold, and of credits that are contested. INV-1: token
///      balance ≥ Σ(available + reserved + credit + thawing) + Σ pots. Only the rails fixed at deployment can move
///      reserved, immature or held money, each held pot only by its own rail, and only to the payer or to a payee's
///      credit (INV-7).
interface IPaymentVault {
    /// @notice One account's money.
    /// @param creditUsd6 All that was earned and not paid out, immature parts included.
    struct Account {
        uint96 availableUsd6;
        uint96 creditUsd6;
        uint64 reservedUsd6;
    }

    /// @notice Money on its way out, and what keeps it from leaving at once.
    /// @param obligations Open sessions; while there is one, a withdrawal thaws.
    struct Withdrawal {
        uint96 thawingUsd6;
        uint40 unlockAt;
        uint32 obligations;
        address to;
    }

    /// @notice A key that may open sessions with a payer's available money.
    /// @param capUsd6 What it may still commit.
    struct SpendKey {
        uint96 capUsd6;
        uint40 expiry;
        bool revoked;
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
    /// @notice Money of `payer` is in the rail's pot.
    event Held(address indexed rail, address indexed payer, uint256 amountUsd6);
    /// @notice Money of the rail's pot became the payee's credit.
    event PaidFromHeld(address indexed rail, address indexed payee, uint256 amountUsd6);
    /// @notice Money of the rail's pot is the payer's available money again.
    event ReturnedFromHeld(address indexed rail, address indexed payer, uint256 amountUsd6);
    /// @notice Immature credit of the payee is in the rail's pot.
    event Contested(address indexed rail, address indexed payee, uint256 amountUsd6);
    /// @notice A debt was paid from the payer's available or thawing money.
    event DebtCollected(address indexed rail, address indexed payer, address indexed payee, uint256 amountUsd6);
    /// @notice The key may commit `capUsd6` of the payer's available money until `expiry`.
    event KeyAuthorized(address indexed payer, address indexed key, uint96 capUsd6, uint40 expiry);
    /// @notice The key opens nothing any more; sessions that it opened go on.
    event KeyRevoked(address indexed payer, address indexed key);
    /// @notice The key committed money to a rail.
    event KeySpent(address indexed payer, address indexed key, uint256 amountUsd6, uint96 capLeftUsd6);
    /// @notice The payer has one more, or one less, thing open.
    event ObligationsChanged(address indexed payer, uint32 obligations);
    /// @notice Available money thaws until `unlockAt`.
    event WithdrawalBegun(address indexed account, address indexed to, uint256 amountUsd6, uint40 unlockAt);
    /// @notice What was thawing is available again.
    event WithdrawalCancelled(address indexed account, uint256 amountUsd6);
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

    /// @notice The rail's pot holds less than asked.
    error PaymentHeldInsufficient(address rail, uint256 heldUsd6, uint256 askedUsd6);
    /// @notice The account has obligations: begin a withdrawal and let it thaw.
    error PaymentWithdrawalThaws(address account, uint32 obligations);
    /// @notice One withdrawal at a time: finish or cancel the pending one first.
    error PaymentWithdrawalPending(address account, uint40 unlockAt);
    /// @notice Nothing of the account is thawing.
    error PaymentWithdrawalNotBegun(address account);
    /// @notice The withdrawal has not thawed.
    error PaymentWithdrawalStillThawing(address account, uint40 unlockAt);
    /// @notice The key is not authorised by the payer, has expired or was revoked.
    error PaymentKeyInvalid(address payer, address key);
    /// @notice The key may not commit so much.
    error PaymentKeyCapExceeded(address key, uint96 capUsd6, uint256 askedUsd6);
    /// @notice The payer has no obligation that could end.
    error PaymentNoObligation(address payer);
    /// @notice The thaw of withdrawals is outside its bounds.
    error PaymentThawOutOfBounds(uint40 thawSeconds, uint40 minimum, uint40 maximum);

    /// @notice The account has earned, but none of it can be paid out before `until`.
    error PaymentCreditImmature(address account, uint40 until);
    /// @notice The maturity of credits is outside its bounds.
    error PaymentMaturityOutOfBounds(uint40 maturitySeconds, uint40 minimum, uint40 maximum);

    /// @notice Add tokens of the caller to `account`'s available money. Requirement: allowance given.
    function deposit(address account, uint256 amountUsd6) external;

    /// @notice As `deposit` for the caller itself, with a permit in the same transaction.
    function depositWithPermit(uint256 amountUsd6, PermitParams calldata permit) external;

    /// @notice Add tokens of `from` to its own available money by an EIP-3009 authorisation that it signed for this
    ///      vault. Anyone may relay it.
    function depositWithAuthorization(
        address from,
        uint256 amountUsd6,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice Take available money of the caller out to `to`. Requirement: the caller has no obligations.
    function withdraw(address to, uint256 amountUsd6) external;

    /// @notice Begin to take available money of the caller out to `to`; it can still be collected while it thaws.
    function beginWithdrawal(address to, uint256 amountUsd6) external;

    /// @notice Make what thaws available again. Requirement: caller began it.
    function cancelWithdrawal() external;

    /// @notice Send what has thawed to where its owner said. Anyone may call.
    function finishWithdrawal(address account) external;

    /// @notice Let `key` commit up to `capUsd6` of the caller's available money to rails until `expiry`. Replaces what
    ///      the key was allowed before.
    function authorizeKey(address key, uint96 capUsd6, uint40 expiry) external;

    /// @notice Let `key` commit nothing more, at once.
    function beginKeyRevocation(address key) external;

    /// @notice Send all of `account`'s mature credit to `account`. Anyone may call, so a payout address needs no gas.
    function payCredit(address account) external;

    /// @notice Rail only. Lock `amountUsd6` of `payer`: available money first, the rest pulled from its wallet.
    /// @dev `permit.deadline == 0` uses the existing allowance; a permit that was consumed earlier is no error.
    function reserve(address payer, uint256 amountUsd6, PermitParams calldata permit) external;

    /// @notice Rail only. End a reservation of `reservedUsd6`: pay `paidUsd6` to `payee`, release the rest. What is
    ///         paid matures after `maturitySeconds` at least and twice that at most.
    function settle(address payer, address payee, uint256 reservedUsd6, uint256 paidUsd6) external;

    /// @notice Rail only. End a reservation unpaid.
    function release(address payer, uint256 amountUsd6) external;

    /// @notice Rail only. Move `amountUsd6` of `payer` to the rail's pot: available money first, the rest pulled from
    ///      its wallet.
    /// @dev `permit` as in `reserve`.
    function hold(address payer, uint256 amountUsd6, PermitParams calldata permit) external;

    /// @notice Rail only. As `hold` on behalf of a key of the payer: consumes its cap, uses available money alone.
    function holdByKey(address payer, address key, uint256 amountUsd6) external;

    /// @notice Rail only. Take `amountUsd6` of what was credited to `payee` by `settle` back, into the caller's pot.
    /// @dev Within `maturitySeconds` of that settlement there is enough, whatever else was contested.
    function contest(address payee, uint256 amountUsd6) external;

    /// @notice Rail only. Money of the caller's pot becomes `payee`'s credit, mature at once.
    function payFromHeld(address payee, uint256 amountUsd6) external;

    /// @notice Rail only. Money of the caller's pot becomes available money of `payer`.
    function returnFromHeld(address payer, uint256 amountUsd6) external;

    /// @notice Rail only. Pay a debt of `payer` to `payee`'s credit from available, then from thawing money. Never
    ///      reverts for lack of either.
    /// @return collectedUsd6 What there was, at most `amountUsd6`.
    function collectOwed(address payer, address payee, uint256 amountUsd6) external returns (uint256 collectedUsd6);

    /// @notice Rail only. `payer` has one more thing open: its withdrawals thaw.
    function addObligation(address payer) external;

    /// @notice Rail only. `payer` has one thing less open.
    function endObligation(address payer) external;

    /// @notice Money of `account`.
    function accountOf(address account) external view returns (Account memory);

    /// @notice What of `account`'s credit cannot be paid out yet.
    function immatureOf(address account) external view returns (uint256);

    /// @notice What of `account` is thawing, and how many obligations it has.
    function withdrawalOf(address account) external view returns (Withdrawal memory);

    /// @notice What `key` may commit for `payer`.
    function keyOf(address payer, address key) external view returns (SpendKey memory);

    /// @notice Whether `key` may act for `payer` now.
    function isKeyValid(address payer, address key) external view returns (bool);

    /// @notice What the rail's pot holds.
    function heldBy(address rail) external view returns (uint256);

    /// @notice Seconds that a withdrawal thaws; fixed at deployment.
    function withdrawalThaw() external view returns (uint40);

    /// @notice Seconds for which what was settled stays immature at least; fixed at deployment.
    function maturitySeconds() external view returns (uint40);

    /// @notice The payment token.
    function token() external view returns (address);

    /// @notice True for the contracts that may reserve, settle and release.
    function isRail(address rail) external view returns (bool);
}
