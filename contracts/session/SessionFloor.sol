// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {ISessionSettlement} from "../interfaces/ISessionSettlement.sol";
import {PackedBills} from "../libraries/PackedBills.sol";
import {SessionLimits} from "../libraries/SessionLimits.sol";
import {SessionMachine} from "../libraries/SessionMachine.sol";
import {SessionMoney} from "../libraries/SessionMoney.sol";
import {SignedMessages} from "../libraries/SignedMessages.sol";
import {VoucherChain} from "../libraries/VoucherChain.sol";
import {FloorState, Lane, LaneMoney, LaneState, Purse, Session, SessionTerms} from "../types/SessionTypes.sol";
import {SlashOrder} from "../types/StakeTypes.sol";
import {Receipt, ReceiptStatus} from "../types/TaskTypes.sol";
import {SessionBase} from "./SessionBase.sol";

/// @title What a node can do when the payer will not co-sign: burn, on both sides, one credit window.
/// @dev A node's own receipts prove nothing to a third party, so they move money to nobody. They make withholding a
///      signature worthless to the payer, and lying about it worthless to the node.
abstract contract SessionFloor is SessionBase {
    using SessionMoney for Purse;

    bytes32 private constant _DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    /// @notice Reason of the slash that goes with a burned floor.
    bytes32 public constant FLOOR_REASON = "SESSION_FLOOR";
    /// @notice Whose credit burned payment tokens become; nobody has its key.
    address public constant BURN_ADDRESS = 0x000000000000000000000000000000000000dEaD;

    /// @inheritdoc ISessionSettlement
    function claimFloor(bytes32 sessionId, uint32 nodeId, Receipt[] calldata receipts, bytes[] calldata signatures)
        external
    {
        Session storage stored = _sessions[sessionId];
        Lane storage itsLane = _existingLane(sessionId, nodeId);
        SessionTerms memory terms = stored.terms;
        uint40 settleUntil = SessionMachine.settleUntil(terms.closesAt, settleWindow);
        if (block.timestamp >= settleUntil) revert SessionWindowOver(sessionId, settleUntil);
        // Receipts are sent to the payer: without this it could spend the node's one claim on its first receipt.
        // Keepers relay the claims of nodes, which need no gas of their own.
        if (!_isNode(nodeId) && !_isKeeper()) revert SessionNotAllowed(sessionId, msg.sender);
        if (itsLane.state == LaneState.Reclaimed) revert SessionLaneWrongState(sessionId, nodeId);
        if (itsLane.floor != FloorState.Unclaimed) {
            revert SessionFloorClaimed(sessionId, nodeId, itsLane.burnableAt + settleWindow);
        }
        bool complete = receipts.length != 0 && receipts.length <= SessionLimits.MAX_CLAIM_RECEIPTS
            && receipts.length == signatures.length;
        if (!complete) revert SessionClaimInvalid();

        LaneMoney memory money = itsLane.money;
        (uint256 weight, bytes32 evidence) = _weighReceipts(sessionId, nodeId, stored.modelId, money, receipts, signatures);
        uint64 claimUsd6 = _burnable(terms, money, weight);
        if (claimUsd6 == 0) revert SessionClaimInvalid();
        uint40 burnableAt = uint40(block.timestamp) + settleWindow;
        itsLane.floor = FloorState.Claimed;
        itsLane.claimSeq = money.seq + uint32(receipts.length);
        itsLane.claimWeight = uint64(weight);
        itsLane.burnableAt = burnableAt;
        itsLane.claimEvidence = evidence;
        emit FloorClaimed(sessionId, nodeId, itsLane.claimSeq, claimUsd6, evidence, burnableAt);
    }

    /// @inheritdoc ISessionSettlement
    function burnFloor(bytes32 sessionId, uint32 nodeId) external nonReentrant {
        Session storage stored = _sessions[sessionId];
        Lane storage itsLane = _existingLane(sessionId, nodeId);
        uint40 lapsesAt = itsLane.burnableAt + settleWindow;
        bool inTime = block.timestamp >= itsLane.burnableAt && block.timestamp < lapsesAt;
        if (itsLane.floor != FloorState.Claimed || !inTime) {
            revert SessionClaimNotBurnable(sessionId, nodeId, itsLane.burnableAt, lapsesAt);
        }
        SessionTerms memory terms = stored.terms;
        LaneMoney memory money = itsLane.money;
        uint64 claimUsd6 = money.seq < itsLane.claimSeq ? _burnable(terms, money, itsLane.claimWeight) : 0;
        itsLane.floor = claimUsd6 == 0 ? FloorState.Covered : FloorState.Burned;
        if (claimUsd6 == 0) {
            emit FloorClaimEnded(sessionId, nodeId);
            return;
        }

        // The stake vault clips; the payer loses no more than the node did, which is at most what was ordered.
        (uint256 slashId, uint256 slashedWei) = stakeVault.slash(nodeId, _order(terms, itsLane, claimUsd6));
        uint64 burnedUsd6 = uint64(slashedWei / terms.stakeWeiPerUsd6);
        Purse memory purse = stored.purse;
        purse.burn(money, burnedUsd6);
        stored.purse = purse;
        itsLane.money = money;
        emit FloorBurned(sessionId, nodeId, burnedUsd6, slashId, slashedWei);
        if (burnedUsd6 != 0) paymentVault.payFromHeld(BURN_ADDRESS, burnedUsd6);
    }

    /// @inheritdoc ISessionSettlement
    function floorOf(bytes32 sessionId, uint32 nodeId) external view returns (uint64) {
        return _floor(_sessions[sessionId].terms, _lanes[sessionId][nodeId].money);
    }

    /// @dev One credit window of the lane, as far as its allotment is unspent.
    function _floor(SessionTerms memory terms, LaneMoney memory money) private pure returns (uint64) {
        uint256 windowUsd6 = SessionMoney.due(
            SessionLimits.CREDIT_WINDOW_MS * PackedBills.EXECUTION_BPS, money.powerCu, terms.priceUsd6PerGcums
        );
        uint64 unspentUsd6 = money.allotmentUsd6 - money.paidUsd6;
        return windowUsd6 < unspentUsd6 ? uint64(windowUsd6) : unspentUsd6;
    }

    /// @dev What the claimed weight comes to beyond what vouchers cover by now, at most the floor.
    function _burnable(SessionTerms memory terms, LaneMoney memory money, uint256 claimWeight)
        private
        pure
        returns (uint64)
    {
        if (claimWeight <= money.weight) return 0;
        uint256 claimUsd6 = SessionMoney.due(claimWeight, money.powerCu, terms.priceUsd6PerGcums)
            - SessionMoney.due(money.weight, money.powerCu, terms.priceUsd6PerGcums);
        uint64 floorUsd6 = _floor(terms, money);
        return claimUsd6 < floorUsd6 ? uint64(claimUsd6) : floorUsd6;
    }

    function _order(SessionTerms memory terms, Lane storage itsLane, uint64 amountUsd6)
        private
        view
        returns (SlashOrder memory order)
    {
        order.amountWei = uint256(amountUsd6) * terms.stakeWeiPerUsd6;
        order.reason = FLOOR_REASON;
        order.evidence = itsLane.claimEvidence;
    }

    function _weighReceipts(
        bytes32 sessionId,
        uint32 nodeId,
        bytes32 modelId,
        LaneMoney memory money,
        Receipt[] calldata receipts,
        bytes[] calldata signatures
    ) private view returns (uint256 weight, bytes32 evidence) {
        weight = money.weight;
        bytes32 domain = _receiptDomain();
        for (uint256 i = 0; i < receipts.length; ++i) {
            Receipt calldata receipt = receipts[i];
            bytes32 structHash = SignedMessages.hash(receipt);
            bytes32 digest = MessageHashUtils.toTypedDataHash(domain, structHash);
            (address signer,,) = ECDSA.tryRecoverCalldata(digest, signatures[i]);
            bool isValid = receipt.taskId == VoucherChain.taskIdOf(sessionId, nodeId, uint64(money.seq) + 1 + uint64(i))
                && receipt.nodeId == nodeId && receipt.modelId == modelId && receipt.powerCu == money.powerCu
                && receipt.status == uint8(ReceiptStatus.Succeeded) && registry.nodeOfOperator(signer) == nodeId;
            if (!isValid) revert SessionReceiptInvalid(i);
            weight += receipt.durationMs * PackedBills.EXECUTION_BPS;
            evidence = keccak256(abi.encode(evidence, structHash));
        }
        if (weight > type(uint64).max) revert SessionClaimInvalid();
    }

    function _receiptDomain() private view returns (bytes32) {
        return keccak256(
            abi.encode(_DOMAIN_TYPEHASH, keccak256("NGPU"), keccak256("1"), block.chainid, taskEscrow)
        );
    }
}
