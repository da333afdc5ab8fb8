// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ScriptedStakeVault} from "../../contracts/mocks/ScriptedStakeVault.sol";
import {Dispute, DisputeStage} from "../../contracts/types/DisputeTypes.sol";
import {DisputesHandler} from "./support/DisputesHandler.sol";
import {DisputesWorld} from "./support/DisputesWorld.sol";

/// @title Invariants of Disputes over random histories, by id. Each is a campaign of its own.
contract DisputesInvariantsTest {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    DisputesHandler private _handler;

    function setUp() external {
        _handler = new DisputesHandler();
        _handler.begin(new DisputesWorld(address(_handler)));
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    /// @dev The runner calls what this names; the frequent acts stand more than once.
    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        bytes4[] memory acts = new bytes4[](18);
        acts[0] = acts[1] = DisputesHandler.pass.selector;
        acts[2] = acts[3] = DisputesHandler.settle.selector;
        acts[4] = acts[5] = DisputesHandler.open.selector;
        acts[6] = acts[7] = acts[8] = acts[9] = DisputesHandler.proceed.selector;
        acts[10] = DisputesHandler.revealAll.selector;
        acts[11] = DisputesHandler.advance.selector;
        acts[12] = DisputesHandler.conflict.selector;
        acts[13] = DisputesHandler.overlap.selector;
        acts[14] = DisputesHandler.payCredit.selector;
        acts[15] = DisputesHandler.setStake.selector;
        acts[16] = DisputesHandler.setClass.selector;
        acts[17] = DisputesHandler.endAll.selector;
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(_handler), acts);
    }

    function invariant_INV1_coinsAreOpenBondsAndCredits() external view {
        uint256 owedWei = _handler.creditsWei();
        for (uint256 i; i < _handler.disputeCount(); ++i) {
            Dispute memory stored = _handler.disputes().dispute(_handler.disputeIds(i));
            if (stored.stage != DisputeStage.Closed) owedWei += stored.bondWei + stored.appealBondWei;
        }
        require(address(_handler.disputes()).balance == owedWei, "INV-1");
    }

    function invariant_INV6_slashedWithinBucketAndDayCap() external view {
        uint256 today = _handler.vault().takenWei(address(_handler.disputes()), block.timestamp / 1 days);
        require(today <= 400 ether, "INV-6: bucket");
        require(!_handler.capBroken(), "INV-6: thirty percent of a node in a day");
    }

    function invariant_INV7_slashedStakeGoesToCappedSharesOrFire() external view {
        ScriptedStakeVault vault = _handler.vault();
        for (uint256 i; i < vault.heldCount(); ++i) {
            ScriptedStakeVault.Held memory held = vault.held(i);
            require(held.compensationWei * 10 <= held.slashedWei * 4, "INV-7: compensation");
            require(held.challengerWei * 10 <= held.slashedWei, "INV-7: challenger");
        }
        for (uint256 i; i < _handler.receiptCount(); ++i) {
            require(_handler.timesPunished(_handler.conflictKeyAt(i)) <= 1, "one fault, one slash");
        }
    }

    function invariant_INV8_timeEndsEveryDispute() external view {
        require(!_handler.stranded(), "INV-8");
    }

    function invariant_INV12_openDisputesKeepTheirTerms() external view {
        for (uint256 i; i < _handler.disputeCount(); ++i) {
            require(_handler.unchanged(_handler.disputeIds(i)), "INV-12");
        }
    }
}
