// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {INodeSuspender} from "../interfaces/INodeSuspender.sol";
import {ISlasherTarget} from "../interfaces/ISlasherTarget.sol";
import {SlashOrder} from "../types/StakeTypes.sol";

/// @title Calls that a fault makes and that must never block the record of the fault.
/// @dev Whoever closes a fault chooses the gas. Each call is made only with enough of it, so a failure is the callee's
///      own and nobody can skip a penalty by starving it (only 63/64 of the gas is passed on).
library SlashCall {
    /// @notice Not enough gas for a call that must not fail for lack of it.
    error PenaltyGasTooLow(uint256 neededGas);

    /// @dev Enough for a slash with cold storage and a token transfer, and for a suspension.
    uint256 internal constant SLASH_GAS = 400_000;
    uint256 internal constant SUSPEND_GAS = 100_000;

    /// @notice Slash; an order that the vault refuses takes nothing.
    function trySlash(ISlasherTarget vault, uint32 nodeId, SlashOrder memory order)
        internal
        returns (uint256 slashId, uint256 slashedWei)
    {
        if (order.amountWei == 0) return (0, 0);
        requireGas(SLASH_GAS);
        try vault.slash(nodeId, order) returns (uint256 id, uint256 takenWei) {
            return (id, takenWei);
        } catch {
            return (0, 0);
        }
    }

    /// @notice Suspend; a registry that refuses changes nothing.
    function trySuspend(INodeSuspender registry, uint32 nodeId, uint40 until) internal {
        requireGas(SUSPEND_GAS);
        try registry.suspend(nodeId, until) {} catch {}
    }

    function requireGas(uint256 neededGas) internal view {
        if (gasleft() < neededGas + neededGas / 63 + 10_000) revert PenaltyGasTooLow(neededGas);
    }
}
