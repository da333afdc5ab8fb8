// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentVault} from "../../contracts/interfaces/IPaymentVault.sol";
import {ISessionSettlement} from "../../contracts/interfaces/ISessionSettlement.sol";
import {PaymentVault} from "../../contracts/PaymentVault.sol";
import {SessionSettlement} from "../../contracts/SessionSettlement.sol";
import {SessionMoney} from "../../contracts/libraries/SessionMoney.sol";
import {HostileToken} from "../../contracts/mocks/HostileToken.sol";
import {LaneMoney, LaneState, Session, SessionState} from "../../contracts/types/SessionTypes.sol";
import {SessionHandler} from "./support/SessionHandler.sol";
import {VM} from "./support/Vm.sol";

/// @title Invariants of the session rail and its vault over random histories, by id. Each is a campaign of its own.
contract SessionInvariantsTest {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    uint64 private constant START_USD6 = 1_000_000_000;
    uint32 private constant NODES = 4;
    uint256 private constant PAYERS = 3;
    address private constant TREASURY = address(0x7EA);
    address private constant KEEPER = address(0x4EE);
    address private constant STRANGER = address(0x574);
    address private constant BURNED = 0x000000000000000000000000000000000000dEaD;

    SessionHandler private _handler;
    SessionSettlement private _settlement;
    PaymentVault private _vault;
    HostileToken private _token;

    function setUp() external {
        _handler = new SessionHandler();
        (_settlement, _vault, _token) = (_handler.settlement(), _handler.vault(), _handler.token());
    }

    /// @dev The runner calls what this names, and nothing else.
    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(_handler), _acts());
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    /// @dev A history in which nothing succeeds would keep every invariant.
    function test_historiesReachEveryPath() external {
        bytes4[] memory acts = _acts();
        for (uint256 i = 0; i < 2_500; ++i) {
            uint256 seed = uint256(keccak256(abi.encode(i)));
            bytes4 act = acts[seed % acts.length];
            uint256 last = act == SessionHandler.open.selector ? (seed >> 200) % 2 : (seed >> 200) % 256;
            (bool done, bytes memory reason) =
                address(_handler).call(abi.encodeWithSelector(act, seed >> 5, (seed >> 100) % 2 ** 32, last));
            require(done, string(reason));
        }
        bytes4[13] memory needed = [
            ISessionSettlement.open.selector,
            ISessionSettlement.openFor.selector,
            ISessionSettlement.topUp.selector,
            ISessionSettlement.close.selector,
            ISessionSettlement.replaceSigner.selector,
            ISessionSettlement.assignReplica.selector,
            ISessionSettlement.releaseReplica.selector,
            ISessionSettlement.reclaimLane.selector,
            ISessionSettlement.finish.selector,
            ISessionSettlement.collect.selector,
            ISessionSettlement.claimFloor.selector,
            ISessionSettlement.burnFloor.selector,
            IPaymentVault.finishWithdrawal.selector
        ];
        for (uint256 i = 0; i < needed.length; ++i) {
            require(_handler.successes(needed[i]) != 0, string.concat("never succeeded: ", _digit(i)));
        }
        require(_handler.billsSettled() > 20 && _handler.vouchersRefused() > 20, "too few vouchers");
        require(_handler.floorsBurned() != 0, "no floor was burned");
        require(_token.callbacks() != 0, "no token called back");
        _nothingBroken();
    }

    function invariant_INV1_tokensCoverEveryAccountAndPot() external view {
        uint256 liabilities = _vault.heldBy(address(_settlement)) + _vault.heldBy(address(_handler));
        for (uint256 i = 0; i < PAYERS; ++i) liabilities += _inVault(_handler.payerAt(i)) + _inVault(_handler.keyAt(i));
        for (uint32 id = 1; id <= NODES; ++id) liabilities += _inVault(_handler.payoutAt(id)) + _inVault(_handler.ownerAt(id));
        liabilities += _inVault(TREASURY) + _inVault(BURNED) + _inVault(KEEPER) + _inVault(STRANGER);
        require(_token.balanceOf(address(_vault)) >= liabilities + _handler.donatedUsd6(), "INV-1");
        _nothingBroken();
    }

    function invariant_INV2_settledIsWithinSignedAndPutIn() external view {
        uint256 pot;
        for (uint256 i = 0; i < _handler.sessionCount(); ++i) {
            bytes32 id = _handler.sessionIds(i);
            Session memory session = _settlement.session(id);
            uint256 allotted;
            for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) {
                LaneMoney memory money = _settlement.lane(id, nodeId).money;
                allotted += money.allotmentUsd6;
                pot += money.allotmentUsd6 - money.paidUsd6;
                require(money.paidUsd6 <= _handler.billedUsd6(id, nodeId), "INV-2: paid above signed");
            }
            pot += session.purse.freeUsd6;
            require(
                session.purse.putInUsd6 == session.purse.freeUsd6 + session.purse.returnedUsd6 + allotted,
                "INV-2: a session's money is not what was put in"
            );
        }
        require(pot == _vault.heldBy(address(_settlement)), "INV-2: the pot is not the sessions' money");
        _nothingBroken();
    }

    function invariant_INV3_everyCreditIsExplainedByEvents() external view {
        for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) _checkEarned(_handler.payoutAt(nodeId));
        _checkEarned(TREASURY);
        _checkEarned(BURNED);
        _nothingBroken();
    }

    /// @dev What a payer started with is in its wallet, in its accounts, in its sessions, spent, or kept by the token.
    function invariant_INV7_payersMoneyGoesNowhereElse() external view {
        uint256 kept = _token.balanceOf(address(0xFEE));
        uint256 missing;
        for (uint256 i = 0; i < PAYERS; ++i) {
            address payer = _handler.payerAt(i);
            uint256 there = _token.balanceOf(payer) + _inVault(payer) + _handler.spentUsd6(payer);
            for (uint256 k = 0; k < _handler.sessionCount(); ++k) there += _inSession(_handler.sessionIds(k), payer);
            require(there <= START_USD6, "INV-7: a payer gained");
            missing += START_USD6 - there;
        }
        require(missing <= kept, "INV-7: a payer's money is missing");
        require(_token.balanceOf(STRANGER) + _inVault(STRANGER) == 0, "INV-7: the stranger gained");
        require(_token.balanceOf(KEEPER) + _inVault(KEEPER) == 0, "INV-7: the keeper gained");
        _nothingBroken();
    }

    /// @dev State that an invariant changes is thrown away, so each check may end the world.
    function invariant_INV8_everythingEndsByTimeAlone() external {
        _endByTimeAlone();
        _nothingBroken();
    }

    function invariant_INV9_sequenceAndSumsOnlyRise() external view {
        _nothingBroken();
    }

    function invariant_INV10_nothingThatIsDownKeepsMoneyIn() external {
        _handler.disturb(2);
        _handler.disturb(3);
        _endByTimeAlone();
        for (uint256 i = 0; i < PAYERS; ++i) {
            address payer = _handler.payerAt(i);
            uint96 available = _vault.accountOf(payer).availableUsd6;
            VM.prank(payer);
            if (available != 0) _vault.withdraw(payer, available);
            require(_inVault(payer) == _vault.withdrawalOf(payer).thawingUsd6, "INV-10: a payer's money stayed");
        }
        _nothingBroken();
    }

    function invariant_INV12_openSessionsKeepTheirTerms() external view {
        _nothingBroken();
    }

    function invariant_INV13_aLanesBillIsPaidAtMostOnce() external view {
        for (uint256 i = 0; i < _handler.sessionCount(); ++i) {
            bytes32 id = _handler.sessionIds(i);
            uint64 price = _settlement.session(id).terms.priceUsd6PerGcums;
            for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) {
                LaneMoney memory money = _settlement.lane(id, nodeId).money;
                uint256 due = SessionMoney.due(money.weight, money.powerCu, price);
                require(due == _handler.billedUsd6(id, nodeId), "INV-13: due is not what was signed");
                require(money.paidUsd6 + _settlement.owedOf(id, nodeId) == due, "INV-13: paid and owed are not due");
            }
        }
        _nothingBroken();
    }

    function invariant_INV16_aLanesMoneyIsItsOwn() external view {
        _nothingBroken();
    }

    /// @dev The frequent acts stand more than once.
    function _acts() private pure returns (bytes4[] memory acts) {
        acts = new bytes4[](26);
        acts[0] = acts[1] = SessionHandler.open.selector;
        acts[2] = acts[3] = acts[4] = SessionHandler.assign.selector;
        acts[5] = acts[6] = acts[7] = acts[8] = SessionHandler.settle.selector;
        acts[9] = SessionHandler.topUp.selector;
        acts[10] = SessionHandler.close.selector;
        acts[11] = SessionHandler.replaceSigner.selector;
        acts[12] = acts[25] = SessionHandler.moveBalance.selector;
        acts[13] = SessionHandler.release.selector;
        acts[14] = SessionHandler.reclaim.selector;
        acts[15] = SessionHandler.finish.selector;
        acts[16] = SessionHandler.collect.selector;
        acts[17] = SessionHandler.payCredit.selector;
        acts[18] = SessionHandler.claimFloor.selector;
        acts[19] = SessionHandler.burnFloor.selector;
        acts[20] = SessionHandler.pass.selector;
        acts[21] = SessionHandler.disturb.selector;
        acts[22] = SessionHandler.poison.selector;
        acts[23] = SessionHandler.intrude.selector;
        acts[24] = SessionHandler.donate.selector;
    }

    function _digit(uint256 i) private pure returns (string memory) {
        return string(abi.encodePacked(bytes1(uint8(0x30 + i / 10)), bytes1(uint8(0x30 + i % 10))));
    }

    /// @dev No keeper and no payer acts: a stranger reclaims and finishes all, and no session money is left in the pot.
    function _endByTimeAlone() private {
        VM.warp(block.timestamp + 1 hours);
        for (uint256 i = 0; i < _handler.sessionCount(); ++i) {
            bytes32 id = _handler.sessionIds(i);
            if (_settlement.session(id).terms.state == SessionState.Finished) continue;
            for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) {
                LaneState state = _settlement.lane(id, nodeId).state;
                if (state == LaneState.None || state == LaneState.Reclaimed) continue;
                VM.prank(STRANGER);
                _settlement.reclaimLane(id, nodeId);
            }
            VM.prank(STRANGER);
            _settlement.finish(id);
        }
        require(_vault.heldBy(address(_settlement)) == 0, "INV-8: money stayed in the pot");
        for (uint256 i = 0; i < PAYERS; ++i) {
            require(_vault.withdrawalOf(_handler.payerAt(i)).obligations == 0, "INV-8: an obligation stayed");
        }
    }

    function _inVault(address account) private view returns (uint256) {
        IPaymentVault.Account memory held = _vault.accountOf(account);
        return uint256(held.availableUsd6) + held.creditUsd6 + held.reservedUsd6 + _vault.withdrawalOf(account).thawingUsd6;
    }

    function _inSession(bytes32 id, address payer) private view returns (uint256 sum) {
        Session memory session = _settlement.session(id);
        if (session.terms.payer != payer) return 0;
        sum = session.purse.freeUsd6;
        for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) {
            LaneMoney memory money = _settlement.lane(id, nodeId).money;
            sum += money.allotmentUsd6 - money.paidUsd6;
        }
    }

    function _checkEarned(address payee) private view {
        uint256 credited = _vault.accountOf(payee).creditUsd6 + _handler.paidOutUsd6(payee);
        require(credited == _handler.earnedUsd6(payee), "INV-3: a credit without an event, or an event without one");
    }

    function _nothingBroken() private view {
        string memory broken = _handler.broken();
        require(bytes(broken).length == 0, broken);
    }
}
