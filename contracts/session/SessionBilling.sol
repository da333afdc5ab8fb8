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
        bytes32 sessionId = settlement.sessionId;
        uint32 nodeId = settlement.nodeId;
        SessionTerms memory terms = _sessions[sessionId].terms;
        Lane storage itsLane = _lanes[sessionId][nodeId];
        LaneMoney memory money = itsLane.money;
        VoucherFault fault = _checkLane(terms, money, itsLane);
        if (fault != VoucherFault.None) return _refuse(sessionId, nodeId, fault);

        Segment[] calldata segments = settlement.segments;
        Fold memory fold = Fold(money.weight, money.seq, itsLane.head, new uint256[](segments.length));
        bytes32 structHash;
        (fault, structHash) = _fold(sessionId, nodeId, segments, terms, money.powerCu, fold);
        if (fault == VoucherFault.None && !_isSigned(sessionId, terms.signer, structHash, settlement.signature)) {
            fault = VoucherFault.SignatureInvalid;
        }
        if (fault != VoucherFault.None) return _refuse(sessionId, nodeId, fault);

        if (run.nodeId != nodeId) {
            _payRun(run);
            run.nodeId = nodeId;
        }
        for (uint256 i = 0; i < segments.length; ++i) {
            _bill(sessionId, segments[i], terms, money, fold.weights[i], run);
        }
        itsLane.head = fold.head;
        itsLane.money = money;
    }

    function _refuse(bytes32 sessionId, uint32 nodeId, VoucherFault fault) private {
        emit VoucherRefused(sessionId, nodeId, fault);
    }

    function _checkLane(SessionTerms memory terms, LaneMoney memory money, Lane storage itsLane)
        private
        view
        returns (VoucherFault)
    {
        if (terms.state == SessionState.None) return VoucherFault.SessionUnknown;
        bool inTime = block.timestamp < SessionMachine.settleUntil(terms.closesAt, settleWindow)
            || SessionMachine.isClaimed(itsLane, settleWindow);
        if (!inTime) return VoucherFault.WindowOver;
        if (money.powerCu == 0) return VoucherFault.LaneUnknown;
        return VoucherFault.None;
    }

    /// @dev Folds all segments into `fold` and gives the struct hash of the last voucher. Sequence and sum are computed
    ///      here: a signature over any other does not verify. Nothing here reverts.
    function _fold(
        bytes32 sessionId,
        uint32 nodeId,
        Segment[] calldata segments,
        SessionTerms memory terms,
        uint32 powerCu,
        Fold memory fold
    ) private pure returns (VoucherFault, bytes32) {
        if (segments.length == 0) return (VoucherFault.BillsMalformed, 0);
        bytes32 prevHead;
        bytes32 billsHash;
        bytes32 receiptsRoot;
        for (uint256 i = 0; i < segments.length; ++i) {
            Segment calldata segment = segments[i];
            bytes calldata bills = segment.bills;
            if (!PackedBills.isWellFormed(bills)) return (VoucherFault.BillsMalformed, 0);
            fold.weight += PackedBills.weigh(bills);
            fold.weights[i] = fold.weight;
            fold.seq += bills.length / PackedBills.BYTES_PER_RECORD;
            (prevHead, billsHash, receiptsRoot) = (fold.head, keccak256(bills), segment.receiptsRoot);
            fold.head = VoucherChain.nextHead(prevHead, billsHash, receiptsRoot);
        }
        uint256 dueUsd6 = SessionMoney.due(fold.weight, powerCu, terms.priceUsd6PerGcums);
        bool fits = fold.weight <= type(uint64).max && fold.seq <= type(uint32).max && dueUsd6 <= type(uint64).max;
        if (!fits) return (VoucherFault.TooLarge, 0);
        return (
            VoucherFault.None,
            VoucherChain.voucherHash(
                sessionId, nodeId, uint64(fold.seq), uint128(dueUsd6), prevHead, billsHash, receiptsRoot
            )
        );
    }

    /// @dev High-s and malformed signatures recover to zero, which is nobody's signer.
    function _isSigned(bytes32 sessionId, address signer, bytes32 structHash, bytes calldata signature)
        private
        view
        returns (bool)
    {
        (address recovered,,) = ECDSA.tryRecoverCalldata(_hashTypedDataV4(structHash), signature);
        if (recovered == address(0)) return false;
        if (recovered == signer) return true;
        Session storage stored = _sessions[sessionId];
        return recovered == stored.formerSigner && block.timestamp < stored.formerUntil;
    }

    /// @dev One segment, one event. `money` is the lane's, `weight` its weight after the segment.
    function _bill(
        bytes32 sessionId,
        Segment calldata segment,
        SessionTerms memory terms,
        LaneMoney memory money,
        uint256 weight,
        Run memory run
    ) private {
        bytes calldata bills = segment.bills;
        uint64 firstSeq = uint64(money.seq) + 1;
        uint256 dueUsd6 = SessionMoney.due(weight, money.powerCu, terms.priceUsd6PerGcums);
        // Both fit: the fold was checked, and neither falls from one segment to the next.
        money.weight = uint64(weight);
        money.seq += uint32(bills.length / PackedBills.BYTES_PER_RECORD);
        uint64 paidUsd6 = money.pay(dueUsd6);
        uint64 feeUsd6 = SessionMoney.fee(paidUsd6, terms.feeBps);
        run.earnedUsd6 += paidUsd6 - feeUsd6;
        run.feeUsd6 += feeUsd6;
        run.lockWei += uint256(paidUsd6) * terms.stakeWeiPerUsd6;
        emit BillsSettled(
            sessionId,
            run.nodeId,
            terms.payer,
            firstSeq,
            money.powerCu,
            terms.priceUsd6PerGcums,
            uint128(dueUsd6),
            paidUsd6,
            feeUsd6,
            uint64(dueUsd6 - money.paidUsd6),
            segment.receiptsRoot,
            bills
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
