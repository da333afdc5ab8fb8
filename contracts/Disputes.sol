// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessManaged} from "@openzeppelin/contracts/access/manager/AccessManaged.sol";
import {IAccessManager} from "@openzeppelin/contracts/access/manager/IAccessManager.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {BondLedger} from "./BondLedger.sol";
import {IAuditSeeds} from "./interfaces/IAuditSeeds.sol";
import {ICommittee} from "./interfaces/ICommittee.sol";
import {IDisputes} from "./interfaces/IDisputes.sol";
import {INodeRegistry} from "./interfaces/INodeRegistry.sol";
import {ISlasherTarget} from "./interfaces/ISlasherTarget.sol";
import {ITaskEscrow} from "./interfaces/ITaskEscrow.sol";
import {AuditSample} from "./libraries/AuditSample.sol";
import {DisputeMachine} from "./libraries/DisputeMachine.sol";
import {FaultIds} from "./libraries/FaultIds.sol";
import {Limits} from "./libraries/Limits.sol";
import {Roles} from "./libraries/Roles.sol";
import {SlashCap} from "./libraries/SlashCap.sol";
import {SlotIntervals} from "./libraries/SlotIntervals.sol";
import {TaskMachine} from "./libraries/TaskMachine.sol";
import {ReceiptFaults} from "./ReceiptFaults.sol";
import {
    Ballot,
    DeterminismClass,
    Dispute,
    DisputeStage,
    DisputeTerms,
    Harm,
    OpenDispute,
    Outcome,
    SampleProof,
    Verdict
} from "./types/DisputeTypes.sol";
import {Node} from "./types/NodeTypes.sol";
import {Receipt, ReceiptStatus} from "./types/TaskTypes.sol";

/// @title Disputes
/// @notice Replaceable policy with terms that never change: another contract with others may take its slasher role
///      over, and what is open here ends here. Roles say how a model's results compare and decide what nobody else
///      did, within the same caps; no role can move a bond.
/// @dev INV-8: from every stage `advance` leads to Closed by time alone, in at most four calls.
contract Disputes is IDisputes, ReceiptFaults, BondLedger, AccessManaged {
    using DisputeMachine for Dispute;
    using SafeCast for uint256;

    /// @notice Role of the AccessManager whose members audit.
    uint64 public constant KEEPER_ROLE = Roles.KEEPER;
    /// @notice What a wrong result costs: 5 % of the stake.
    uint256 public constant RESULT_BPS = 500;
    /// @notice What it costs if the arbitrator alone found it: as much, or bribing a committee would save the rest.
    uint256 public constant ARBITRATED_BPS = 500;
    /// @dev The committee is drawn by the hash of a block this far ahead.
    uint64 private constant DRAW_BLOCKS = 2;
    uint8 private constant MAX_COMMITTEE = 15;

    ICommittee public immutable committee;
    IAuditSeeds public immutable seeds;

    DisputeTerms private _terms;
    mapping(bytes32 modelId => DeterminismClass) private _classes;
    mapping(bytes32 receiptsRoot => uint40) private _anchoredAt;
    mapping(bytes32 disputeId => Dispute) private _disputes;
    mapping(bytes32 disputeId => address[]) private _judges;
    mapping(bytes32 disputeId => mapping(address judge => Ballot)) private _ballots;

    constructor(
        address authority_,
        INodeRegistry registry_,
        ITaskEscrow escrow_,
        ISlasherTarget stakeVault_,
        ICommittee committee_,
        IAuditSeeds seeds_,
        DisputeTerms memory terms_
    ) AccessManaged(authority_) ReceiptFaults(registry_, escrow_, stakeVault_) {
        committee = committee_;
        seeds = seeds_;
        _terms = terms_;
        bool sound = terms_.committeeSize != 0 && terms_.committeeSize <= MAX_COMMITTEE && terms_.quorum != 0
            && terms_.quorum <= terms_.committeeSize && terms_.minimumSlashableWei != 0 && terms_.judgeFeeWei != 0
            && terms_.bondWei >= 2 * uint256(terms_.committeeSize) * terms_.judgeFeeWei && terms_.openSeconds != 0
            && terms_.nodeSeconds != 0 && terms_.drawSeconds != 0 && terms_.wrapSeconds != 0
            && terms_.commitSeconds != 0 && terms_.revealSeconds != 0 && terms_.appealSeconds != 0
            && terms_.arbitrationSeconds != 0 && terms_.sampleBps <= BPS && address(committee_) != address(0) && address(seeds_) != address(0)
            && longestSeconds() <= stakeVault_.thawPeriod();
        if (!sound) revert DisputeTermsInvalid();
    }

    /* POLICY */

    /// @inheritdoc IDisputes
    function setDeterminism(bytes32 modelId, DeterminismClass determinism) external restricted {
        _classes[modelId] = determinism;
        emit DeterminismChanged(modelId, determinism);
    }

    /* OPENING */

    /// @inheritdoc IDisputes
    function anchorReceipts(bytes32 receiptsRoot) external {
        if (receiptsRoot == 0 || _anchoredAt[receiptsRoot] != 0) revert DisputeAnchorInvalid(receiptsRoot);
        _anchoredAt[receiptsRoot] = uint40(block.timestamp);
        emit ReceiptsAnchored(receiptsRoot);
    }

    /// @inheritdoc IDisputes
    function openByPayer(OpenDispute calldata params, Harm calldata harm)
        external
        payable
        returns (bytes32 disputeId)
    {
        Receipt calldata receipt = params.receipt;
        (address payer, uint256 maxWei) = _harmed(receipt.taskId, harm);
        bytes32 contentHash = TaskMachine.contentHashOf(receipt.modelId, receipt.inputCommitment);
        if (payer == address(0) || contentHash != harm.terms.contentHash) revert DisputeReceiptInvalid(receipt.taskId);
        if (payer != msg.sender) revert DisputeNotOpener(receipt.taskId, msg.sender);
        uint40 openableUntil = harm.terms.deadline + Limits.SETTLE_GRACE_S + _terms.openSeconds;
        if (block.timestamp > openableUntil) revert DisputeTooLate(receipt.taskId, openableUntil);
        _signedHash(receipt, params.signature);
        return _open(params, payer, maxWei);
    }

    /// @inheritdoc IDisputes
    function openByAudit(OpenDispute calldata params, SampleProof calldata sample, Harm calldata harm)
        external
        payable
        returns (bytes32 disputeId)
    {
        bytes32 taskId = params.receipt.taskId;
        (bool isKeeper,) = IAccessManager(authority()).hasRole(KEEPER_ROLE, msg.sender);
        if (!isKeeper) revert DisputeNotOpener(taskId, msg.sender);
        uint40 revealedAt = _checkSample(taskId, _signedHash(params.receipt, params.signature), sample);
        uint40 openableUntil = revealedAt + _terms.openSeconds;
        if (block.timestamp > openableUntil) revert DisputeTooLate(taskId, openableUntil);
        (address payer, uint256 maxWei) = _harmed(taskId, harm);
        return _open(params, payer, maxWei);
    }

    /* PREIMAGES */

    /// @inheritdoc IDisputes
    function revealOutput(bytes32 disputeId, bytes32 salt, bytes32 bodyHash) external {
        Dispute storage stored = _inStage(disputeId, DisputeStage.Opened);
        if (keccak256(abi.encode(salt, bodyHash)) != stored.outputCommitment) {
            revert DisputePreimageWrong(stored.outputCommitment);
        }
        stored.outputRevealed(bodyHash, uint64(block.number) + DRAW_BLOCKS, _terms);
        emit OutputRevealed(disputeId, bodyHash);
        if (stored.determinism == DeterminismClass.Exact && bodyHash == stored.claimedBodyHash) {
            stored.rule(Outcome.OpenerLoses, _terms);
            _announce(disputeId, stored);
        }
    }

    /// @inheritdoc IDisputes
    function publishKeys(bytes32 disputeId, bytes32 wrapsHash) external {
        Dispute storage stored = _inStage(disputeId, DisputeStage.Wrapping);
        if (msg.sender != stored.opener) revert DisputeNotOpener(stored.taskId, msg.sender);
        stored.wrapped(wrapsHash, _terms);
        emit KeysWrapped(disputeId, wrapsHash, stored.deadline);
    }

    /* COMMITTEE */

    /// @inheritdoc IDisputes
    /// @dev A chain forgets its blocks' hashes: a draw that comes too late is armed again, and if that goes on until
    ///      the deadline, the arbitrator has it.
    function drawCommittee(bytes32 disputeId) external {
        Dispute storage stored = _inStage(disputeId, DisputeStage.Drawing);
        if (block.number <= stored.drawBlock) revert DisputeDrawTooEarly(disputeId, stored.drawBlock);
        bytes32 blockHash = blockhash(stored.drawBlock);
        if (blockHash == 0) {
            stored.drawBlock = uint64(block.number) + DRAW_BLOCKS;
            emit DrawRepeated(disputeId, stored.drawBlock);
            return;
        }
        uint256 seated = _seat(disputeId, stored, keccak256(abi.encode(blockHash, disputeId)));
        if (seated < _terms.quorum) {
            stored.toArbitrator(_terms);
            _announce(disputeId, stored);
            return;
        }
        stored.drawn(_terms);
        emit CommitteeDrawn(disputeId, _judges[disputeId], stored.deadline);
    }

    /// @inheritdoc IDisputes
    function commitVerdict(bytes32 disputeId, bytes32 commitment) external {
        Dispute storage stored = _inStage(disputeId, DisputeStage.Committing);
        Ballot storage cast = _ballots[disputeId][msg.sender];
        if (!cast.seated || cast.commitment != 0 || commitment == 0) revert DisputeVoteInvalid(disputeId, msg.sender);
        cast.commitment = commitment;
        ++stored.commits;
        emit VerdictCommitted(disputeId, msg.sender);
    }

    /// @inheritdoc IDisputes
    function revealVerdict(bytes32 disputeId, Verdict verdict, bytes32 bodyHash, bytes32 salt) external {
        Dispute storage stored = _inStage(disputeId, DisputeStage.Revealing);
        Ballot storage cast = _ballots[disputeId][msg.sender];
        bytes32 commitment = keccak256(abi.encode(disputeId, msg.sender, verdict, bodyHash, salt));
        bool valid = cast.commitment == commitment && cast.verdict == Verdict.None && verdict != Verdict.None;
        if (!valid) revert DisputeVoteInvalid(disputeId, msg.sender);

        if (stored.determinism == DeterminismClass.Exact && verdict != Verdict.Unreadable) {
            verdict = bodyHash == stored.outputBodyHash ? Verdict.NodeRight : Verdict.NodeWrong;
        }
        cast.verdict = verdict;
        stored.count(verdict);
        emit VerdictRevealed(disputeId, msg.sender, verdict, bodyHash);
    }

    /* APPEAL AND END */

    /// @inheritdoc IDisputes
    function appeal(bytes32 disputeId) external payable {
        Dispute storage stored = _inStage(disputeId, DisputeStage.Ruled);
        if (block.timestamp > stored.deadline) revert DisputeWrongStage(disputeId, DisputeStage.Ruled);
        _checkBond();
        stored.appellant = msg.sender;
        stored.appealBondWei = msg.value.toUint96();
        stored.toArbitrator(_terms);
        _announce(disputeId, stored);
    }

    /// @inheritdoc IDisputes
    function arbitrate(bytes32 disputeId, Outcome outcome) external restricted {
        Dispute storage stored = _inStage(disputeId, DisputeStage.Arbitrating);
        if (block.timestamp > stored.deadline || outcome == Outcome.None) {
            revert DisputeWrongStage(disputeId, DisputeStage.Arbitrating);
        }
        _close(disputeId, stored, outcome);
    }

    /// @inheritdoc IDisputes
    function advance(bytes32 disputeId) external {
        Dispute storage stored = _disputes[disputeId];
        bool moved = _catchUp(disputeId, stored);
        bool waiting = stored.stage == DisputeStage.Ruled || stored.stage == DisputeStage.Arbitrating;
        if (waiting && block.timestamp > stored.deadline) {
            // An arbitrator who is silent leaves the ruling as it was; without one nobody has decided.
            _close(disputeId, stored, stored.ruling == Outcome.None ? Outcome.Lapsed : stored.ruling);
        } else if (!moved) {
            revert DisputeNothingDue(disputeId, stored.deadline);
        }
    }

    /* VIEWS */

    /// @inheritdoc IDisputes
    function dispute(bytes32 disputeId) external view returns (Dispute memory) {
        return _disputes[disputeId];
    }

    /// @inheritdoc IDisputes
    function ballot(bytes32 disputeId, address judge) external view returns (Ballot memory) {
        return _ballots[disputeId][judge];
    }

    /// @inheritdoc IDisputes
    function determinismOf(bytes32 modelId) external view returns (DeterminismClass) {
        return _classes[modelId];
    }

    /// @inheritdoc IDisputes
    function disputeIdOf(uint32 nodeId, bytes32 conflictKey, address opener) external view returns (bytes32) {
        return FaultIds.dispute(FaultIds.wrongResult(nodeId, conflictKey), opener);
    }

    /// @inheritdoc IDisputes
    function longestSeconds() public view returns (uint40) {
        DisputeTerms storage fixed_ = _terms;
        return fixed_.openSeconds + fixed_.nodeSeconds + fixed_.drawSeconds + fixed_.wrapSeconds + fixed_.commitSeconds
            + fixed_.revealSeconds + fixed_.appealSeconds + fixed_.arbitrationSeconds;
    }

    /// @notice Times, sizes and amounts of every dispute of this contract.
    function terms() external view returns (DisputeTerms memory) {
        return _terms;
    }

    /* PRIVATE */

    /// @dev Who may open and until when has been checked, and who signed. `payer` is compensated with `maxWei` at most.
    function _open(OpenDispute calldata params, address payer, uint256 maxWei) private returns (bytes32 disputeId) {
        Receipt calldata receipt = params.receipt;
        _checkBond();
        if (receipt.status != uint8(ReceiptStatus.Succeeded)) revert DisputeReceiptInvalid(receipt.taskId);
        if (keccak256(abi.encode(params.inputSalt, params.inputBodyHash)) != receipt.inputCommitment) {
            revert DisputePreimageWrong(receipt.inputCommitment);
        }
        DeterminismClass determinism = _classes[receipt.modelId];
        if (determinism == DeterminismClass.None) revert DisputeNotComparable(receipt.modelId);
        uint256 slashableWei = stakeVault.slashableOf(receipt.nodeId);
        if (slashableWei < _terms.minimumSlashableWei) {
            revert DisputeStakeTooSmall(receipt.nodeId, slashableWei, _terms.minimumSlashableWei);
        }
        bytes32 faultId = FaultIds.wrongResult(receipt.nodeId, SlotIntervals.conflictKey(receipt));
        if (_punished[faultId]) revert DisputeKnown(faultId);
        disputeId = FaultIds.dispute(faultId, msg.sender);
        Dispute storage stored = _disputes[disputeId];
        if (stored.stage != DisputeStage.None) revert DisputeKnown(disputeId);

        stored.opener = msg.sender;
        stored.bondWei = _terms.bondWei;
        stored.nodeId = receipt.nodeId;
        stored.stage = DisputeStage.Opened;
        stored.determinism = determinism;
        stored.deadline = uint40(block.timestamp) + _terms.nodeSeconds;
        stored.snapshotWei = slashableWei.toUint128();
        stored.compensated = payer;
        stored.maxCompensationWei = maxWei.toUint128();
        stored.faultId = faultId;
        stored.taskId = receipt.taskId;
        stored.outputCommitment = receipt.outputCommitment;
        stored.claimedBodyHash = params.claimedBodyHash;
        emit DisputeOpened(
            disputeId,
            receipt.nodeId,
            msg.sender,
            faultId,
            receipt.taskId,
            determinism,
            params.claimedBodyHash,
            stored.bondWei,
            stored.snapshotWei,
            stored.deadline
        );
    }

    /// @dev The seed that counts is the first that was revealed after the anchor, so waiting for a better one is no
    ///      use.
    function _checkSample(bytes32 taskId, bytes32 receiptHash, SampleProof calldata sample)
        private
        view
        returns (uint40 revealedAt)
    {
        uint40 anchoredAt = _anchoredAt[sample.receiptsRoot];
        bytes32 seed;
        (seed, revealedAt) = seeds.seedOf(sample.seedEpoch);
        uint40 formerAt;
        if (sample.seedEpoch != 0) (, formerAt) = seeds.seedOf(sample.seedEpoch - 1);
        bool sampled = anchoredAt != 0 && anchoredAt < revealedAt && anchoredAt >= formerAt
            && MerkleProof.verifyCalldata(sample.proof, sample.receiptsRoot, receiptHash)
            && AuditSample.includes(seed, taskId, _terms.sampleBps);
        if (!sampled) revert DisputeNotSampled(taskId, sample.seedEpoch);
    }

    /// @dev Seats whom the seed draws, but no party to the dispute.
    function _seat(bytes32 disputeId, Dispute storage stored, bytes32 seed) private returns (uint256 seated) {
        address[] memory drawn = committee.drawKeepers(seed, _terms.committeeSize);
        Node memory node = registry.node(stored.nodeId);
        for (uint256 i; i < drawn.length && seated < _terms.committeeSize; ++i) {
            address judge = drawn[i];
            bool party = judge == stored.opener || judge == stored.compensated || judge == node.owner
                || judge == node.operator || judge == node.payout;
            if (party || judge == address(0) || _ballots[disputeId][judge].seated) continue;
            _ballots[disputeId][judge].seated = true;
            _judges[disputeId].push(judge);
            ++seated;
        }
    }

    /// @dev The dispute after all that time has made due, if it then is in `stage`.
    function _inStage(bytes32 disputeId, DisputeStage stage) private returns (Dispute storage stored) {
        stored = _disputes[disputeId];
        _catchUp(disputeId, stored);
        if (stored.stage != stage) revert DisputeWrongStage(disputeId, stored.stage);
    }

    function _catchUp(bytes32 disputeId, Dispute storage stored) private returns (bool moved) {
        while (stored.step(_terms)) moved = true;
        if (moved) _announce(disputeId, stored);
    }

    function _announce(bytes32 disputeId, Dispute storage stored) private {
        if (stored.stage == DisputeStage.Ruled) {
            emit DisputeRuled(disputeId, stored.ruling, stored.deadline);
        } else if (stored.stage == DisputeStage.Arbitrating) {
            emit ArbitrationBegun(disputeId, stored.appellant, stored.deadline);
        }
    }

    function _close(bytes32 disputeId, Dispute storage stored, Outcome outcome) private {
        stored.close(outcome);
        uint256 feesWei = _payJudges(disputeId, outcome);
        uint256 restWei = stored.bondWei - feesWei;
        _credit(outcome == Outcome.OpenerLoses ? BURN : stored.opener, restWei);
        // Appealing a ruling that stands costs the bond, unless it stands because the arbitrator was silent.
        bool confirmed = outcome == stored.ruling && block.timestamp <= stored.deadline;
        if (stored.appealBondWei != 0) _credit(confirmed ? BURN : stored.appellant, stored.appealBondWei);

        uint256 slashId;
        uint256 slashedWei;
        if (outcome == Outcome.NodeLoses && !_punished[stored.faultId]) {
            (slashId, slashedWei) = _punishNode(stored);
            _punished[stored.faultId] = slashedWei != 0;
        }
        emit DisputeClosed(disputeId, stored.nodeId, outcome, feesWei, slashId, slashedWei);
    }

    function _punishNode(Dispute storage stored) private returns (uint256 slashId, uint256 slashedWei) {
        uint256 shareBps = stored.ruling == Outcome.NodeLoses ? RESULT_BPS : ARBITRATED_BPS;
        return _punish(
            Punishment({
                faultId: stored.faultId,
                reason: FaultIds.WRONG_RESULT,
                nodeId: stored.nodeId,
                taskId: stored.taskId,
                compensated: stored.compensated,
                maxCompensationWei: stored.maxCompensationWei,
                challenger: stored.opener
            }),
            SlashCap.shareOf(stored.snapshotWei, shareBps)
        );
    }

    /// @dev Whoever voted for the outcome is paid out of the opener's bond, which covers all judges twice.
    function _payJudges(bytes32 disputeId, Outcome outcome) private returns (uint256 feesWei) {
        if (outcome == Outcome.Lapsed) return 0;
        address[] storage judges = _judges[disputeId];
        for (uint256 i; i < judges.length; ++i) {
            if (DisputeMachine.outcomeOf(_ballots[disputeId][judges[i]].verdict) != outcome) continue;
            feesWei += _terms.judgeFeeWei;
            _credit(judges[i], _terms.judgeFeeWei);
        }
    }

    function _checkBond() private view {
        if (msg.value != _terms.bondWei) revert DisputeBondWrong(msg.value, _terms.bondWei);
    }
}
