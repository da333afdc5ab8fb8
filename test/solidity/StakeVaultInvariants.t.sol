// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StakeVault} from "../../contracts/StakeVault.sol";
import {NgpuToken} from "../../contracts/tokens/NgpuToken.sol";
import {PendingExit, Stake} from "../../contracts/types/StakeTypes.sol";
import {StakeVaultHandler} from "./support/StakeVaultHandler.sol";

/// @title Invariants of the stake vault over random histories, by id. Each is a campaign of its own.
contract StakeVaultInvariantsTest {
    error Left(uint256 leftWei, uint256 donatedWei);

    StakeVaultHandler private _handler;
    StakeVault private _vault;
    NgpuToken private _token;
    uint32 private _nodes;

    function setUp() external {
        _handler = new StakeVaultHandler();
        (address vault, address token, uint32 nodes) = _handler.world();
        (_vault, _token, _nodes) = (StakeVault(vault), NgpuToken(token), nodes);
    }

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    /// @dev The runner calls what this names, and nothing else; the frequent acts stand twice.
    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        bytes4[] memory acts = new bytes4[](17);
        acts[0] = acts[1] = StakeVaultHandler.pass.selector;
        acts[2] = StakeVaultHandler.stake.selector;
        acts[3] = acts[4] = StakeVaultHandler.beginExit.selector;
        acts[5] = StakeVaultHandler.cancelExit.selector;
        acts[6] = acts[7] = StakeVaultHandler.withdraw.selector;
        acts[8] = StakeVaultHandler.lock.selector;
        acts[9] = acts[10] = StakeVaultHandler.slash.selector;
        acts[11] = StakeVaultHandler.finishSlash.selector;
        acts[12] = StakeVaultHandler.reverseSlash.selector;
        acts[13] = StakeVaultHandler.payCredit.selector;
        acts[14] = StakeVaultHandler.intrude.selector;
        acts[15] = StakeVaultHandler.setSlasher.selector;
        acts[16] = StakeVaultHandler.donate.selector;
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(_handler), acts);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    function invariant_INV1_tokensAreStakeAndHeldSlashesAndCredits() external view {
        uint256 owedWei = _handler.stakedWei() + _handler.heldWei() + _handler.creditsWei();
        require(_token.balanceOf(address(_vault)) == owedWei + _handler.donatedWei(), "INV-1");
        require(_vault.totalStakedWei() == _handler.stakedWei(), "INV-1: the sum of all stake");
        _nothingForbiddenHappened();
    }

    function invariant_INV4_thawingAndLockedAreWithinStake() external view {
        for (uint32 nodeId = 1; nodeId <= _nodes; ++nodeId) {
            Stake memory stake = _vault.stakeOf(nodeId);
            require(stake.thawingWei <= stake.stakedWei, "INV-4: thawing");
            require(_vault.lockedOf(nodeId) <= stake.stakedWei - stake.thawingWei, "INV-4: locked");
            PendingExit[] memory exits = _vault.exitsOf(nodeId);
            uint256 sumWei;
            for (uint256 i = 0; i < exits.length; ++i) {
                sumWei += exits[i].amountWei;
                require(i == 0 || exits[i - 1].unlockAt <= exits[i].unlockAt, "INV-4: exits are in order");
            }
            require(sumWei <= stake.thawingWei && stake.thawingWei - sumWei <= exits.length, "INV-4: exits");
            require((stake.thawingWei == 0) == (exits.length == 0) && exits.length <= 32, "INV-4: pool");
        }
        _nothingForbiddenHappened();
    }

    function invariant_INV5_stakeStaysSlashable() external view {
        for (uint32 nodeId = 1; nodeId <= _nodes; ++nodeId) {
            require(_handler.slashableHolds(nodeId), "INV-5");
        }
        _nothingForbiddenHappened();
    }

    function invariant_INV6_slashersStayWithinTheirBuckets() external view {
        for (uint256 i = 0; i < 2; ++i) {
            // The model drains in whole wei, the contract refills in whole wei.
            require(_handler.meterWei(_handler.slasherAt(i)) <= _handler.maxCapacityWei() + _handler.calls(), "INV-6");
        }
        _nothingForbiddenHappened();
    }

    function invariant_INV7_stakeGoesToOwnerCreditsOrFire() external view {
        require(_handler.strayWei() == 0, "INV-7: somebody got stake");
        uint256 goneWei = _handler.withdrawnWei() + _handler.creditPaidWei() + _handler.burnedWei();
        uint256 cameWei = _handler.depositedWei() + _handler.donatedWei();
        require(_token.balanceOf(address(_vault)) + goneWei == cameWei, "INV-7");
        _nothingForbiddenHappened();
    }

    function invariant_INV10_everythingLeavesWithoutAnyRole() external {
        try this.leaveAll() {
            require(false, "INV-10: it was to be undone");
        } catch (bytes memory reason) {
            require(bytes4(reason) == Left.selector, "INV-10: something could not leave");
            (uint256 leftWei, uint256 donatedWei) = _left(reason);
            require(leftWei == donatedWei, "INV-10: something stayed");
        }
        _nothingForbiddenHappened();
    }

    function invariant_INV17_beingSlashedIsNoExit() external view {
        // Half of each slash is burned, so what all credits ever got is at most what was burned.
        require(_handler.creditPaidWei() + _handler.creditsWei() <= _handler.burnedWei(), "INV-17");
        _nothingForbiddenHappened();
    }

    /// @dev A history in which nothing succeeds would prove nothing.
    function test_aRandomHistoryReachesEveryAct() external {
        FuzzSelector memory target = this.targetSelectors()[0];
        for (uint256 i = 0; i < 2_000; ++i) {
            uint256 seed = uint256(keccak256(abi.encode(i)));
            bytes4 act = target.selectors[seed % target.selectors.length];
            bool isFlag = act == StakeVaultHandler.payCredit.selector || act == StakeVaultHandler.setSlasher.selector;
            uint256 first = isFlag ? (seed >> 8) % 2 : seed >> 8;
            (bool done,) = target.addr.call(abi.encodeWithSelector(act, first, seed >> 16, seed >> 24, seed >> 32));
            require(done, "an act of the handler reverted");
        }
        _nothingForbiddenHappened();
        string[9] memory acts = [
            "stake",
            "beginExit",
            "cancelExit",
            "withdraw",
            "lock",
            "slash",
            "finishSlash",
            "reverseSlash",
            "payCredit"
        ];
        for (uint256 i = 0; i < acts.length; ++i) {
            require(_handler.succeeded(acts[i]) >= 5, string.concat("hardly ever: ", acts[i]));
        }
    }

    /// @dev Undoes what it does by reverting with what was left.
    function leaveAll() external {
        revert Left(_handler.leaveAll(), _handler.donatedWei());
    }

    function _nothingForbiddenHappened() private view {
        string memory violation = _handler.violation();
        require(bytes(violation).length == 0, violation);
    }

    function _left(bytes memory reason) private pure returns (uint256 leftWei, uint256 donatedWei) {
        assembly ("memory-safe") {
            leftWei := mload(add(reason, 36))
            donatedWei := mload(add(reason, 68))
        }
    }
}
