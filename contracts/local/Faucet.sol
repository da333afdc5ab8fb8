// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LocalOnly} from "./LocalOnly.sol";

/// @title Gives both tokens away on the local chain.
/// @notice Anyone may ask for any account, so an account without gas can be served; each account waits between two
///      drips.
contract Faucet is LocalOnly {
    using SafeERC20 for IERC20;

    /// @notice An account was given both tokens.
    event Dripped(address indexed account, uint256 amountUsd6, uint256 amountWei);

    /// @notice The account was served lately.
    error FaucetCoolingDown(address account, uint256 availableAt);

    /// @notice Payment token and the base units of it in one drip.
    IERC20 public immutable paymentToken;
    uint256 public immutable dripUsd6;
    /// @notice Stake token and the wei of it in one drip.
    IERC20 public immutable stakeToken;
    uint256 public immutable dripWei;
    /// @notice Seconds that an account waits between two drips.
    uint256 public immutable cooldownSeconds;

    /// @notice Chain time in seconds from which `account` can be served; 0 if it never was.
    mapping(address account => uint256) public availableAt;

    constructor(
        IERC20 paymentToken_,
        uint256 dripUsd6_,
        IERC20 stakeToken_,
        uint256 dripWei_,
        uint256 cooldownSeconds_
    ) {
        paymentToken = paymentToken_;
        dripUsd6 = dripUsd6_;
        stakeToken = stakeToken_;
        dripWei = dripWei_;
        cooldownSeconds = cooldownSeconds_;
    }

    /// @notice Send one drip of both tokens to `account`.
    function drip(address account) external {
        if (block.timestamp < availableAt[account]) revert FaucetCoolingDown(account, availableAt[account]);
        availableAt[account] = block.timestamp + cooldownSeconds;
        emit Dripped(account, dripUsd6, dripWei);
        paymentToken.safeTransfer(account, dripUsd6);
        stakeToken.safeTransfer(account, dripWei);
    }
}
