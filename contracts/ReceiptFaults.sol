// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {INodeRegistry} from "./interfaces/INodeRegistry.sol";
import {IReceiptFaults} from "./interfaces/IReceiptFaults.sol";
import {ISlasherTarget} from "./interfaces/ISlasherTarget.sol";
import {ITaskEscrow} from "./interfaces/ITaskEscrow.sol";
import {Billing} from "./libraries/Billing.sol";
import {FaultIds} from "./libraries/FaultIds.sol";
import {NodeSignatures} from "./libraries/NodeSignatures.sol";
import {SignedMessages} from "./libraries/SignedMessages.sol";
import {SlashCall} from "./libraries/SlashCall.sol";
import {SlashCap} from "./libraries/SlashCap.sol";
import {SlotIntervals} from "./libraries/SlotIntervals.sol";
import {Harm} from "./types/DisputeTypes.sol";
import {Receipt, TaskTerms} from "./types/TaskTypes.sol";
import {SlashOrder} from "./types/StakeTypes.sol";

/// @title ReceiptFaults
/// @notice The part of Disputes that needs no judge, and the slashing that both parts share.
abstract contract ReceiptFaults is IReceiptFaults {
    using SlashCap for SlashCap.Meter;

    /// @notice Two receipts under one conflict key are a lie by intent: 10 %.
    uint256 public constant CONFLICT_BPS = 1_000;
    /// @notice The same time billed twice: 5 %.
    uint256 public constant OVERLAP_BPS = 500;
    /// @notice All faults of a node together take at most so much of its stake in a day.
    uint256 public constant DAY_CAP_BPS = 3_000;
    uint256 public constant COMPENSATION_BPS = 4_000;
    uint256 public constant CHALLENGER_BPS = 1_000;
    uint256 internal constant BPS = 10_000;

    INodeRegistry public immutable registry;
    ITaskEscrow public immutable escrow;
    ISlasherTarget public immutable stakeVault;

    mapping(bytes32 commitment => uint256 blockNumber) private _committedAt;
    mapping(bytes32 faultId => bool) internal _punished;
    mapping(bytes32 receiptHash => bool) private _overlapPunished;
    mapping(uint32 nodeId => SlashCap.Meter) private _meters;
    mapping(bytes32 taskId => uint256) private _compensatedWei;

    /// @dev A fault that is to be punished.
    struct Punishment {
        bytes32 faultId;
        bytes32 reason;
        uint32 nodeId;
        bytes32 taskId;
        address compensated;
        uint256 maxCompensationWei;
        address challenger;
    }

    constructor(INodeRegistry registry_, ITaskEscrow escrow_, ISlasherTarget stakeVault_) {
        registry = registry_;
        escrow = escrow_;
        stakeVault = stakeVault_;
    }

    /// @inheritdoc IReceiptFaults
    function commitEvidence(bytes32 commitment) external {
        if (_committedAt[commitment] != 0) revert EvidenceCommittedBefore(commitment);
        _committedAt[commitment] = block.number;
        emit EvidenceCommitted(commitment, msg.sender);
    }

    /// @inheritdoc IReceiptFaults
    function proveConflict(
        Receipt calldata a,
        bytes calldata signatureA,
        Receipt calldata b,
        bytes calldata signatureB,
        bytes32 salt,
        Harm calldata harm
    ) external {
        (bytes32 hashA, bytes32 hashB) = (_signedHash(a, signatureA), _signedHash(b, signatureB));
        bytes32 key = SlotIntervals.conflictKey(a);
        bool conflicting = a.nodeId == b.nodeId && key == SlotIntervals.conflictKey(b) && hashA != hashB;
        if (!conflicting) revert ReceiptsNoFault(hashA, hashB);
        bytes32 faultId = FaultIds.conflict(a.nodeId, key);
        if (_punished[faultId]) revert ReceiptFaultKnown(faultId);

        address claimant = _claimant(hashA, hashB, salt);
        Punishment memory punishment = _punishment(faultId, FaultIds.CONFLICT, a, claimant, harm);
        _prove(ReceiptFault.Conflict, punishment, hashA, hashB, CONFLICT_BPS);
    }

    /// @inheritdoc IReceiptFaults
    function proveOverlap(
        Receipt calldata a,
        bytes calldata signatureA,
        Receipt calldata b,
        bytes calldata signatureB,
        bytes32 salt,
        Harm calldata harm
    ) external {
        (bytes32 hashA, bytes32 hashB) = (_signedHash(a, signatureA), _signedHash(b, signatureB));
        (bytes32 keyA, bytes32 keyB) = (SlotIntervals.conflictKey(a), SlotIntervals.conflictKey(b));
        // Under one key the same receipt is no fault, and two different ones are a conflict.
        if (keyA == keyB || !SlotIntervals.overlap(a, b)) revert ReceiptsNoFault(hashA, hashB);
        bytes32 faultId = FaultIds.overlap(a.nodeId, keyA, keyB);
        if (_overlapPunished[hashA] && _overlapPunished[hashB]) revert ReceiptFaultKnown(faultId);
        _overlapPunished[hashA] = true;
        _overlapPunished[hashB] = true;

        // The receipt that starts later bills the time that was billed already.
        Receipt calldata later = a.startMs > b.startMs ? a : b;
        address claimant = _claimant(hashA, hashB, salt);
        Punishment memory punishment = _punishment(faultId, FaultIds.OVERLAP, later, claimant, harm);
        _prove(ReceiptFault.Overlap, punishment, hashA, hashB, OVERLAP_BPS);
    }

    function _prove(
        ReceiptFault kind,
        Punishment memory punishment,
        bytes32 hashA,
        bytes32 hashB,
        uint256 shareBps
    ) private {
        uint32 nodeId = punishment.nodeId;
        _punished[punishment.faultId] = true;
        uint256 stakeWei = stakeVault.slashableOf(nodeId);
        uint256 amountWei = _meters[nodeId].allow(_day(), stakeWei, shareBps, DAY_CAP_BPS);
        (uint256 slashId, uint256 slashedWei) = _slash(punishment, amountWei);
        // Nothing taken (an empty bucket, a cap that is reached): the evidence must not be used up.
        if (slashedWei == 0) revert ReceiptFaultUnpunished(punishment.faultId);
        emit FaultProved(
            punishment.faultId, nodeId, kind, hashA, hashB, punishment.challenger, slashId, slashedWei
        );
    }

    /// @dev Slashes at most what the day's cap leaves of `amountWei`, a share of an earlier snapshot.
    function _punish(Punishment memory punishment, uint256 amountWei)
        internal
        returns (uint256 slashId, uint256 slashedWei)
    {
        uint256 stakeWei = stakeVault.slashableOf(punishment.nodeId);
        uint256 allowedWei = _meters[punishment.nodeId].allowAmount(_day(), stakeWei, amountWei, DAY_CAP_BPS);
        return _slash(punishment, allowedWei);
    }

    function _slash(Punishment memory punishment, uint256 amountWei)
        private
        returns (uint256 slashId, uint256 slashedWei)
    {
        uint256 leftWei = Math.saturatingSub(punishment.maxCompensationWei, _compensatedWei[punishment.taskId]);
        SlashOrder memory order = SlashOrder({
            amountWei: amountWei,
            reason: punishment.reason,
            evidence: punishment.faultId,
            compensated: punishment.compensated,
            compensationWei: Math.min(leftWei, amountWei * COMPENSATION_BPS / BPS),
            challenger: punishment.challenger,
            challengerWei: punishment.challenger == address(0) ? 0 : amountWei * CHALLENGER_BPS / BPS
        });
        (slashId, slashedWei) = SlashCall.trySlash(stakeVault, punishment.nodeId, order);
        _meters[punishment.nodeId].taken(slashedWei);
        _compensatedWei[punishment.taskId] += Math.min(leftWei, slashedWei * COMPENSATION_BPS / BPS);
    }

    /// @dev Who is harmed: the payer of a settled task of the direct rail, up to what the task could cost.
    function _harmed(bytes32 taskId, Harm calldata harm) internal view returns (address payer, uint256 maxWei) {
        TaskTerms calldata terms = harm.terms;
        if (!escrow.isSettlementOf(taskId, terms, harm.settlement)) return (address(0), 0);
        uint256 maxUsd6 = Billing.maxAmount(terms.workCums, terms.priceUsd6PerGcums, terms.backups);
        return (terms.payer, maxUsd6 * terms.stakeWeiPerUsd6);
    }

    /// @dev Struct hash of a receipt that a key of its node signed, now or ever.
    function _signedHash(Receipt calldata receipt, bytes calldata signature) internal view returns (bytes32 hash) {
        hash = SignedMessages.hash(receipt);
        address signer = NodeSignatures.signerOf(address(escrow), hash, signature);
        // A key that was never bound belongs to node 0, and so does nobody.
        if (receipt.nodeId == 0 || signer == address(0) || registry.nodeOfOperator(signer) != receipt.nodeId) {
            revert ReceiptSignerInvalid(receipt.nodeId, signer);
        }
    }

    function _punishment(
        bytes32 faultId,
        bytes32 reason,
        Receipt calldata receipt,
        address claimant,
        Harm calldata harm
    ) private view returns (Punishment memory) {
        (address payer, uint256 maxWei) = _harmed(receipt.taskId, harm);
        return Punishment(faultId, reason, receipt.nodeId, receipt.taskId, payer, maxWei, claimant);
    }

    function _claimant(bytes32 hashA, bytes32 hashB, bytes32 salt) private view returns (address) {
        (bytes32 low, bytes32 high) = hashA < hashB ? (hashA, hashB) : (hashB, hashA);
        bytes32 evidence = keccak256(abi.encode(low, high));
        uint256 committedAt = _committedAt[keccak256(abi.encode(msg.sender, evidence, salt))];
        return committedAt != 0 && committedAt < block.number ? msg.sender : address(0);
    }

    function _day() private view returns (uint64) {
        return uint64(block.timestamp / 1 days);
    }
}
