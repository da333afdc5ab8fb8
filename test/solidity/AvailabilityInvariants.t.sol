// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ScriptedStakeVault} from "../../contracts/mocks/ScriptedStakeVault.sol";
import {Challenge, ChallengeStatus} from "../../contracts/types/AvailabilityTypes.sol";
import {AvailabilityWorld} from "./support/AvailabilityWorld.sol";
import {AvailabilityHandler} from "./support/AvailabilityHandler.sol";

/// @title Invariants of Availability over random histories, by id. Each is a campaign of its own.
contract AvailabilityInvariantsTest {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    AvailabilityHandler private _handler;

    function setUp() external {
        _handler = new AvailabilityHandler();
        _handler.begin(new AvailabilityWorld(address(_handler)));
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    /// @dev The runner calls what this names; the frequent acts stand more than once.
    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        bytes4[] memory acts = new bytes4[](18);
        acts[0] = acts[1] = AvailabilityHandler.pass.selector;
        acts[2] = acts[3] = acts[4] = AvailabilityHandler.challenge.selector;
        acts[5] = AvailabilityHandler.answer.selector;
        acts[6] = acts[7] = AvailabilityHandler.close.selector;
        acts[8] = AvailabilityHandler.upkeep.selector;
        acts[9] = acts[10] = AvailabilityHandler.miss.selector;
        acts[11] = acts[12] = AvailabilityHandler.report.selector;
        acts[13] = AvailabilityHandler.overturn.selector;
        acts[14] = AvailabilityHandler.payCredit.selector;
        acts[15] = AvailabilityHandler.setStake.selector;
        acts[16] = AvailabilityHandler.endAll.selector;
        acts[17] = AvailabilityHandler.passLong.selector;
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(_handler), acts);
    }

    function invariant_INV1_coinsAreOpenBondsAndCredits() external view {
        uint256 owedWei = _handler.creditsWei();
        for (uint256 i; i < _handler.challengeCount(); ++i) {
            Challenge memory stored = _handler.availability().challenge(_handler.challengeIds(i));
            if (stored.status == ChallengeStatus.Open) owedWei += stored.bondWei;
        }
        require(address(_handler.availability()).balance == owedWei, "INV-1");
    }

    function invariant_INV6_slashedWithinBucketAndEpochCap() external view {
        ScriptedStakeVault vault = _handler.vault();
        uint256 today = vault.takenWei(address(_handler.availability()), block.timestamp / 1 days);
        require(today <= _handler.BUCKET_WEI(), "INV-6: bucket");
        require(!_handler.capBroken(), "INV-6: five percent of a node in an epoch");
    }

    function invariant_INV7_slashedStakeGoesToCappedSharesOrFire() external view {
        ScriptedStakeVault vault = _handler.vault();
        for (uint256 i; i < vault.heldCount(); ++i) {
            ScriptedStakeVault.Held memory held = vault.held(i);
            require(held.compensationWei * 10 <= held.slashedWei * 4, "INV-7: compensation");
            require(held.challengerWei * 10 <= held.slashedWei, "INV-7: challenger");
        }
        for (uint256 i; i < _handler.taskCount(); ++i) {
            bytes32 taskId = _handler.taskIds(i);
            require(_handler.compensatedWei(taskId) <= _handler.maxWeiOf(taskId), "INV-7: the task's maximum");
        }
    }

    function invariant_INV8_timeEndsEveryChallenge() external view {
        require(!_handler.strandedChallenge(), "INV-8");
    }

    function invariant_INV12_openChallengesKeepTheirTerms() external view {
        for (uint256 i; i < _handler.challengeCount(); ++i) {
            require(_handler.unchanged(_handler.challengeIds(i)), "INV-12");
        }
        require(_handler.availability().replyWindowSeconds() == 10 minutes, "INV-12: terms");
    }
}
