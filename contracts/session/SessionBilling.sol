// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {ISessionSettlement} from "../interfaces/ISessionSettlement.sol";
import {PackedBills} from "../libraries/PackedBills.sol";
import {SessionMachine} from "../libraries/SessionMachine.sol";
import {SessionMoney} from "../libraries/SessionMoney.sol";
import {VoucherChain} from "../libraries/VoucherChain.sol";
import {
    Lane,
    LaneMoney,
    Purse,
    Segment,
    Session,
    SessionState,
    SessionTerms,
    Settlement,
    VoucherFault
} from "../types/SessionTypes.sol";
import {SessionBase} from "./SessionBase.sol";

/// @title From voucher to bill: folds packed bills, checks the signature over what they come to, pays and locks.
abstract contract SessionBilling is SessionBase {
    using SessionMoney for LaneMoney;
    using SessionMoney for Purse;

    /// @dev What consecutive settlements of one node came to, and what all came to for the treasury.
    struct Run {
        uint32 nodeId;
        uint256 earnedUsd6;
        uint256 lockWei;
        uint256 feeUsd6;
    }

    /// @dev A lane after the segments of a settlement; `weights[i]` is its weight after segment i.
    struct Fold {
        uint256 weight;
        uint256 seq;
        bytes32 head;
        uint256[] weights;
    }

    /// @inheritdoc ISessionSettlement
    function settle(Settlement[] calldata settlements) external nonReentrant {
        Run memory run;
        for (uint256 i = 0; i < settlements.length; ++i) {
            _settle(settlements[i], run);
        }
        _payRun(run);
        if (run.feeUsd6 != 0) paymentVault.payFromHeld(treasury, run.feeUsd6);
    }

    /// @inheritdoc ISessionSettlement
    function collect(bytes32 sessionId, uint32 nodeId) external nonReentrant {
        Session storage stored = _sessions[sessionId];
        Lane storage itsLane = _existingLane(sessionId, nodeId);
        SessionTerms memory terms = stored.terms;
        Purse memory purse = stored.purse;
        LaneMoney memory money = itsLane.money;
        uint64 owedUsd6 = _owed(terms, money);
        uint64 unspentUsd6 = money.allotmentUsd6 - money.paidUsd6;
        if (owedUsd6 > unspentUsd6) purse.allot(money, _min(owedUsd6 - unspentUsd6, purse.freeUsd6));
        uint64 paidUsd6 = money.pay(money.paidUsd6 + uint256(owedUsd6));
        address payout = registry.payoutOf(nodeId);
        uint64 recoveredUsd6 = _recover(terms, purse, money, payout, owedUsd6 - paidUsd6);
        if (paidUsd6 + recoveredUsd6 == 0) revert SessionNothingOwed(sessionId, nodeId);

        stored.purse = purse;
        itsLane.money = money;
        uint64 feeUsd6 = SessionMoney.fee(paidUsd6, terms.feeBps);
        owedUsd6 -= paidUsd6 + recoveredUsd6;
        emit OwedCollected(
            sessionId, nodeId, terms.payer, paidUsd6 + recoveredUsd6, feeUsd6, recoveredUsd6, owedUsd6
        );
        if (paidUsd6 != feeUsd6) paymentVault.payFromHeld(payout, paidUsd6 - feeUsd6);
        if (feeUsd6 != 0) paymentVault.payFromHeld(treasury, feeUsd6);
        stakeVault.lock(nodeId, uint256(paidUsd6 + recoveredUsd6) * terms.stakeWeiPerUsd6);
    }

    function _settle(Settlement calldata settlement, Run memory run) private {
        SessionTerms memory terms = _sessions[settlement.sessionId].terms;
        Lane storage itsLane = _lanes[settlement.sessionId][settlement.nodeId];
        LaneMoney memory money = itsLane.money;
        (VoucherFault fault, Fold memory fold) = _check(settlement, terms, money, itsLane);
        if (fault != VoucherFault.None) {
            emit VoucherRefused(settlement.sessionId, settlement.nodeId, fault);
            return;
        }
        if (run.nodeId != settlement.nodeId) {
            _payRun(run);
            run.nodeId = settlement.nodeId;
        }
        for (uint256 i = 0; i < settlement.segments.length; ++i) {
            _bill(settlement, i, terms, money, fold.weights[i], run);
        }
        itsLane.money = money;
        itsLane.head = fold.head;
    }

    /// @dev Computes sequence and sum itself: a signature over any other does not verify. Nothing here reverts.
    function _check(
        Settlement calldata settlement,
        SessionTerms memory terms,
        LaneMoney memory money,
        Lane storage itsLane
    ) private view returns (VoucherFault fault, Fold memory fold) {
        if (terms.state == SessionState.None) return (VoucherFault.SessionUnknown, fold);
        if (block.timestamp >= SessionMachine.settleUntil(terms.closesAt, settleWindow)) return (VoucherFault.WindowOver, fold);
        if (money.powerCu == 0) return (VoucherFault.LaneUnknown, fold);
        uint256 count = settlement.segments.length;
        if (count == 0) return (VoucherFault.BillsMalformed, fold);

        fold.weight = money.weight;
        fold.seq = money.seq;
        fold.head = itsLane.head;
        fold.weights = new uint256[](count);
        bytes32 prevHead;
        bytes32 billsHash;
        for (uint256 i = 0; i < count; ++i) {
            bytes calldata bills = settlement.segments[i].bills;
            if (!PackedBills.isWellFormed(bills)) return (VoucherFault.BillsMalformed, fold);
            fold.weight += PackedBills.weigh(bills);
            fold.weights[i] = fold.weight;
            fold.seq += bills.length / PackedBills.BYTES_PER_RECORD;
            prevHead = fold.head;
            billsHash = keccak256(bills);
            fold.head = VoucherChain.nextHead(prevHead, billsHash, settlement.segments[i].receiptsRoot);
        }
        uint256 dueUsd6 = SessionMoney.due(fold.weight, money.powerCu, terms.priceUsd6PerGcums);
        if (
            fold.weight > type(uint64).max || fold.seq > type(uint32).max || dueUsd6 > type(uint64).max
        ) return (VoucherFault.TooLarge, fold);

        bytes32 structHash = VoucherChain.voucherHash(
            settlement.sessionId,
            settlement.nodeId,
            uint64(fold.seq),
            uint128(dueUsd6),
            prevHead,
            billsHash,
            settlement.segments[count - 1].receiptsRoot
        );
        if (!_isSigned(settlement, terms.signer, structHash)) return (VoucherFault.SignatureInvalid, fold);
    }

    /// @dev High-s and malformed signatures recover to zero, which is nobody's signer.
    function _isSigned(Settlement calldata settlement, address signer, bytes32 structHash)
        private
        view
        returns (bool)
    {
        (address recovered,,) = ECDSA.tryRecoverCalldata(_hashTypedDataV4(structHash), settlement.signature);
        if (recovered == address(0)) return false;
        if (recovered == signer) return true;
        Session storage stored = _sessions[settlement.sessionId];
        return recovered == stored.formerSigner && block.timestamp < stored.formerUntil;
    }

    /// @dev One segment, one event. `money` is the lane's, `weight` its weight after the segment.
    function _bill(
        Settlement calldata settlement,
        uint256 index,
        SessionTerms memory terms,
        LaneMoney memory money,
        uint256 weight,
        Run memory run
    ) private {
        Segment calldata segment = settlement.segments[index];
        uint64 firstSeq = uint64(money.seq) + 1;
        uint256 dueUsd6 = SessionMoney.due(weight, money.powerCu, terms.priceUsd6PerGcums);
        // Both fit: the fold was checked, and neither falls from one segment to the next.
        money.weight = uint64(weight);
        money.seq += uint32(segment.bills.length / PackedBills.BYTES_PER_RECORD);
        uint64 paidUsd6 = money.pay(dueUsd6);
        uint64 feeUsd6 = SessionMoney.fee(paidUsd6, terms.feeBps);
        run.earnedUsd6 += paidUsd6 - feeUsd6;
        run.feeUsd6 += feeUsd6;
        run.lockWei += uint256(paidUsd6) * terms.stakeWeiPerUsd6;
        emit BillsSettled(
            settlement.sessionId,
            settlement.nodeId,
            terms.payer,
            firstSeq,
            money.powerCu,
            terms.priceUsd6PerGcums,
            uint128(dueUsd6),
            paidUsd6,
            feeUsd6,
            uint64(dueUsd6 - money.paidUsd6),
            segment.receiptsRoot,
            segment.bills
        );
    }

    /// @dev One credit and one lock for what a node earned in a row.
    function _payRun(Run memory run) private {
        if (run.earnedUsd6 != 0) {
            paymentVault.payFromHeld(registry.payoutOf(run.nodeId), run.earnedUsd6);
            run.earnedUsd6 = 0;
        }
        if (run.lockWei != 0) {
            stakeVault.lock(run.nodeId, run.lockWei);
            run.lockWei = 0;
        }
    }

    /// @dev Once the session is finished: what it returned, as far as the payer still has it in the vault.
    function _recover(
        SessionTerms memory terms,
        Purse memory purse,
        LaneMoney memory money,
        address payout,
        uint64 owedUsd6
    ) private returns (uint64 recoveredUsd6) {
        uint64 askedUsd6 = _min(owedUsd6, purse.returnedUsd6);
        if (askedUsd6 == 0 || terms.state != SessionState.Finished) return 0;
        // At most what was asked.
        recoveredUsd6 = uint64(paymentVault.collectOwed(terms.payer, payout, askedUsd6));
        purse.recover(money, recoveredUsd6);
    }

    function _min(uint64 a, uint64 b) private pure returns (uint64) {
        return a < b ? a : b;
    }
}
