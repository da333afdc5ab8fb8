// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {
    AutomationCompatibleInterface
} from "@chainlink/contracts/src/v0.8/automation/interfaces/AutomationCompatibleInterface.sol";
import {AccessManaged} from "@openzeppelin/contracts/access/manager/AccessManaged.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {BondLedger} from "./BondLedger.sol";
import {IAvailability} from "./interfaces/IAvailability.sol";
import {INodeConduct} from "./interfaces/INodeConduct.sol";
import {INodeRegistry} from "./interfaces/INodeRegistry.sol";
import {INodeSuspender} from "./interfaces/INodeSuspender.sol";
import {ISlasherTarget} from "./interfaces/ISlasherTarget.sol";
import {ITaskEscrow} from "./interfaces/ITaskEscrow.sol";
import {Billing} from "./libraries/Billing.sol";
import {FaultIds} from "./libraries/FaultIds.sol";
import {Limits} from "./libraries/Limits.sol";
import {NodeSignatures} from "./libraries/NodeSignatures.sol";
import {PenaltyLadder} from "./libraries/PenaltyLadder.sol";
import {SignedMessages} from "./libraries/SignedMessages.sol";
import {SlashCall} from "./libraries/SlashCall.sol";
import {SlashCap} from "./libraries/SlashCap.sol";
import {TaskMachine} from "./libraries/TaskMachine.sol";
import {
    AvailabilityTerms,
    Challenge,
    ChallengeStatus,
    Fault,
    FaultKind,
    MissedTask,
    Standing
} from "./types/AvailabilityTypes.sol";
import {LivenessReply} from "./types/MessageTypes.sol";
import {Seat, TaskState, TaskStatus, TaskTerms} from "./types/TaskTypes.sol";
import {SlashOrder} from "./types/StakeTypes.sol";

/// @title Availability
/// @notice Replaceable policy: its terms never change, another contract with others may take its slasher role over.
///      The only role here can take a penalty back; none can impose one or move a bond.
/// @dev Windows are numbered by `timestamp ÷ replyWindow`. A challenge of window w is answered in w or w + 1 and can be
///      closed from w + 2 on: by then every challenge of w is answered or silent for good, so how much stake was silent
///      in w does not depend on the order of closing, and no pending challenge counts.
contract Availability is IAvailability, AutomationCompatibleInterface, BondLedger, AccessManaged {
    using PenaltyLadder for Standing;
    using SafeCast for uint256;
    using SlashCall for ISlasherTarget;
    using SlashCall for INodeSuspender;
    using SlashCap for SlashCap.Meter;

    /// @dev Gas of relaying an answer, measured; half of it more is the relayer's reward.
    uint256 public constant ANSWER_GAS = 120_000;
    uint256 public constant RELAY_FACTOR_BPS = 15_000;
    /// @dev No relayer is paid for more than the base fee and this tip.
    uint256 public constant MAX_TIP_WEI = 2 gwei;
    /// @dev A bond pays the relayer even when the base fee has grown by this factor.
    uint256 public constant BOND_HEADROOM = 4;
    /// @dev Burned of what the relayer left, so that challenging a living node, or oneself, is never free.
    uint256 public constant BURN_BPS = 5_000;
    /// @dev With more of the stake silent than this, nobody is punished.
    uint256 public constant BREAKER_BPS = 2_000;
    uint256 public constant COMPENSATION_BPS = 4_000;
    uint256 public constant CHALLENGER_BPS = 1_000;
    /// @dev Items of one upkeep, and entries of the queue looked at for it.
    uint256 public constant MAX_BATCH = 16;
    uint256 public constant MAX_SCAN = 256;
    uint256 private constant BPS = 10_000;

    INodeRegistry public immutable registry;
    ITaskEscrow public immutable escrow;
    ISlasherTarget public immutable stakeVault;
    uint40 public immutable epochSeconds;
    uint40 public immutable replyWindowSeconds;
    uint40 public immutable reportWindowSeconds;
    uint40 public immutable decaySeconds;
    uint40 public immutable banSeconds;
    uint40 public immutable appealWindowSeconds;
    uint96 public immutable minimumBondWei;

    mapping(bytes32 challengeId => Challenge) private _challenges;
    mapping(bytes32 faultId => Fault) private _faults;
    mapping(uint32 nodeId => Standing) private _standings;
    mapping(uint32 nodeId => SlashCap.Meter) private _meters;
    mapping(bytes32 taskId => uint256) private _compensatedWei;
    mapping(uint40 window => uint256) private _silentWei;
    mapping(uint40 window => mapping(uint32 nodeId => bool)) private _countedSilent;
    /// @dev Challenges in order of opening, which is the order of `closableAt`; `_queueHead` is the first that may be
    ///      open.
    bytes32[] private _queue;
    uint256 private _queueHead;

    /// @dev Who is to be paid out of a slash.
    struct Claim {
        bytes32 taskId;
        address compensated;
        uint256 maxCompensationWei;
        address challenger;
    }

    constructor(
        address authority_,
        INodeRegistry registry_,
        ITaskEscrow escrow_,
        ISlasherTarget stakeVault_,
        AvailabilityTerms memory terms
    ) AccessManaged(authority_) {
        bool sound = terms.replyWindowSeconds != 0 && terms.epochSeconds >= 2 * terms.replyWindowSeconds
            && terms.reportWindowSeconds != 0 && terms.decaySeconds != 0 && terms.banSeconds != 0
            && terms.appealWindowSeconds != 0 && terms.minimumBondWei != 0
            && 2 * terms.replyWindowSeconds <= stakeVault_.thawPeriod()
            && terms.reportWindowSeconds <= stakeVault_.thawPeriod();
        if (!sound) revert AvailabilityTermsInvalid();
        registry = registry_;
        escrow = escrow_;
        stakeVault = stakeVault_;
        epochSeconds = terms.epochSeconds;
        replyWindowSeconds = terms.replyWindowSeconds;
        reportWindowSeconds = terms.reportWindowSeconds;
        decaySeconds = terms.decaySeconds;
        banSeconds = terms.banSeconds;
        appealWindowSeconds = terms.appealWindowSeconds;
        minimumBondWei = terms.minimumBondWei;
    }

    /* LIVENESS */

    /// @inheritdoc IAvailability
    function challengeLiveness(uint32 nodeId) external payable returns (bytes32 challengeId) {
        if (!registry.isEligible(nodeId) || block.timestamp < _standings[nodeId].suspendedUntil) {
            revert AvailabilityNodeNotActive(nodeId);
        }
        uint256 requiredWei = requiredBondWei();
        if (msg.value < requiredWei) revert AvailabilityBondTooSmall(msg.value, requiredWei);
        uint64 epoch = _epoch();
        challengeId = challengeIdOf(nodeId, epoch);
        Challenge storage stored = _challenges[challengeId];
        if (stored.status != ChallengeStatus.None) revert AvailabilityChallengedBefore(nodeId, epoch);

        stored.challenger = msg.sender;
        stored.bondWei = msg.value.toUint96();
        stored.nodeId = nodeId;
        stored.challengedAt = _now();
        stored.challengedBlock = uint64(block.number);
        stored.status = ChallengeStatus.Open;
        stored.snapshotWei = stakeVault.slashableOf(nodeId).toUint128();
        stored.counted = _countSilent(_windowOf(_now()), nodeId, stored.snapshotWei);
        _queue.push(challengeId);
        emit LivenessChallenged(
            challengeId,
            nodeId,
            msg.sender,
            epoch,
            _now() + replyWindowSeconds,
            _closableAt(stored),
            stored.bondWei,
            stored.snapshotWei
        );
    }

    /// @inheritdoc IAvailability
    function answer(LivenessReply calldata message, uint256 blockNumber, bytes calldata signature) external {
        Challenge storage stored = _challenges[message.challengeId];
        _checkAnswer(stored, message, blockNumber, signature);

        stored.status = ChallengeStatus.Answered;
        if (stored.counted) _uncountSilent(stored);
        uint256 relayWei = Math.min(_relayWei(), stored.bondWei);
        uint256 burnedWei = (stored.bondWei - relayWei) * BURN_BPS / BPS;
        uint256 returnedWei = stored.bondWei - relayWei - burnedWei;
        emit LivenessAnswered(message.challengeId, message.nodeId, msg.sender, relayWei, burnedWei, returnedWei);
        _credit(msg.sender, relayWei);
        _credit(BURN, burnedWei);
        _credit(stored.challenger, returnedWei);
    }

    /// @inheritdoc IAvailability
    function closeChallenge(bytes32 challengeId) external {
        Challenge storage stored = _challenges[challengeId];
        if (stored.status != ChallengeStatus.Open) revert AvailabilityChallengeNotOpen(challengeId);
        if (!_isDue(stored)) revert AvailabilityNotDue(challengeId, _closableAt(stored));
        _close(challengeId, stored);
    }

    /* MISSED TASKS */

    /// @inheritdoc IAvailability
    function reportMissedTask(MissedTask calldata missed) external {
        if (!_tryReport(missed, msg.sender)) revert AvailabilityNoMiss(missed.taskId, missed.nodeId);
    }

    /* UPKEEP */

    /// @inheritdoc AutomationCompatibleInterface
    /// @dev Neither reads `checkData` nor knows who asks. performData = abi.encode(bytes32[] challengeIds, MissedTask[]);
    ///      a keeper that watches tasks fills in the second list.
    function checkUpkeep(bytes calldata) external view returns (bool upkeepNeeded, bytes memory performData) {
        bytes32[] memory due = new bytes32[](MAX_BATCH);
        uint256 count;
        uint256 end = Math.min(_queue.length, _queueHead + MAX_SCAN);
        for (uint256 i = _queueHead; i < end && count < MAX_BATCH; ++i) {
            Challenge storage stored = _challenges[_queue[i]];
            if (stored.status != ChallengeStatus.Open) continue;
            if (!_isDue(stored)) break;
            due[count++] = _queue[i];
        }
        bytes32[] memory challengeIds = new bytes32[](count);
        for (uint256 i; i < count; ++i) challengeIds[i] = due[i];
        return (count != 0, abi.encode(challengeIds, new MissedTask[](0)));
    }

    /// @inheritdoc AutomationCompatibleInterface
    /// @dev Whoever calls with whatever: each item is checked as if it came alone, and one that is not due is passed
    ///      over. Nobody is rewarded for a report that comes this way.
    function performUpkeep(bytes calldata performData) external {
        (bytes32[] memory challengeIds, MissedTask[] memory missed) =
            abi.decode(performData, (bytes32[], MissedTask[]));
        uint256 items = challengeIds.length + missed.length;
        if (items > MAX_BATCH) revert AvailabilityBatchTooLong(items, MAX_BATCH);

        for (uint256 i; i < challengeIds.length; ++i) {
            Challenge storage stored = _challenges[challengeIds[i]];
            if (stored.status == ChallengeStatus.Open && _isDue(stored)) _close(challengeIds[i], stored);
        }
        for (uint256 i; i < missed.length; ++i) _tryReport(missed[i], address(0));
        _advanceQueue();
    }

    /* APPEAL */

    /// @inheritdoc IAvailability
    function overturn(bytes32 faultId) external restricted {
        Fault storage stored = _faults[faultId];
        bool appealable = stored.nodeId != 0 && !stored.overturned
            && block.timestamp <= uint256(stored.recordedAt) + appealWindowSeconds;
        if (!appealable) revert AvailabilityNotAppealable(faultId);

        stored.overturned = true;
        uint32 nodeId = stored.nodeId;
        if (stored.excused) --_standings[nodeId].excused;
        else _standings[nodeId].forgive();
        emit FaultOverturned(faultId, nodeId, stored.slashedWei);
        if (stored.slashedWei != 0) {
            _meters[nodeId].returned(uint64(stored.recordedAt / epochSeconds), stored.slashedWei);
            stakeVault.reverseSlash(stored.slashId);
        }
        INodeSuspender(address(registry)).trySuspend(nodeId, _standings[nodeId].suspendedUntil);
    }

    /* VIEWS */

    /// @inheritdoc IAvailability
    function challenge(bytes32 challengeId) external view returns (Challenge memory) {
        return _challenges[challengeId];
    }

    /// @inheritdoc IAvailability
    function fault(bytes32 faultId) external view returns (Fault memory) {
        return _faults[faultId];
    }

    /// @inheritdoc IAvailability
    function standingOf(uint32 nodeId) public view returns (Standing memory standing) {
        standing = _standings[nodeId];
        standing.strikes = standing.strikesAt(_now(), decaySeconds);
    }

    /// @inheritdoc INodeConduct
    function qualityBpsOf(uint32 nodeId) external view returns (uint16) {
        Standing memory standing = standingOf(nodeId);
        return block.timestamp < standing.bannedUntil ? 0 : PenaltyLadder.qualityBps(standing.strikes);
    }

    /// @inheritdoc IAvailability
    function requiredBondWei() public view returns (uint256) {
        return Math.max(minimumBondWei, ANSWER_GAS * block.basefee * RELAY_FACTOR_BPS * BOND_HEADROOM / BPS);
    }

    /// @inheritdoc IAvailability
    function silentStakeWei(uint40 timestamp) external view returns (uint256) {
        return _silentAround(_windowOf(timestamp));
    }

    /// @inheritdoc IAvailability
    function challengeIdOf(uint32 nodeId, uint64 epoch) public view returns (bytes32) {
        return FaultIds.silence(nodeId, epoch);
    }

    /// @inheritdoc IAvailability
    function missedTaskIdOf(bytes32 taskId, uint32 nodeId) public view returns (bytes32) {
        return FaultIds.missedTask(taskId, nodeId);
    }

    /* PRIVATE: FACTS */

    function _checkAnswer(
        Challenge storage stored,
        LivenessReply calldata message,
        uint256 blockNumber,
        bytes calldata signature
    ) private view {
        if (stored.status != ChallengeStatus.Open || stored.nodeId != message.nodeId) {
            revert AvailabilityChallengeNotOpen(message.challengeId);
        }
        uint40 replyBy = stored.challengedAt + replyWindowSeconds;
        if (block.timestamp > replyBy) revert AvailabilityReplyLate(message.challengeId, replyBy);
        bool known = blockNumber >= stored.challengedBlock && blockhash(blockNumber) != 0
            && blockhash(blockNumber) == message.blockHash;
        if (!known) revert AvailabilityBlockUnknown(message.challengeId, blockNumber);
        address signer = NodeSignatures.signerOf(address(escrow), SignedMessages.hash(message), signature);
        // A retired key stays liable for what it signed, but it does not show that the node is there.
        if (signer == address(0) || signer != registry.node(message.nodeId).operator) {
            revert AvailabilitySignerInvalid(message.nodeId, signer);
        }
    }

    function _close(bytes32 challengeId, Challenge storage stored) private {
        uint32 nodeId = stored.nodeId;
        bool excused = _record(challengeId, nodeId, FaultKind.Silence, _windowOf(stored.challengedAt));
        stored.status = excused ? ChallengeStatus.Excused : ChallengeStatus.Silent;
        _credit(stored.challenger, stored.bondWei);
        if (excused) return;
        Claim memory claim = Claim(0, address(0), 0, stored.challenger);
        _punish(challengeId, nodeId, FaultKind.Silence, false, stored.snapshotWei, claim);
    }

    function _tryReport(MissedTask memory report, address reporter) private returns (bool) {
        (bytes32 taskId, uint32 nodeId) = (report.taskId, report.nodeId);
        bytes32 faultId = missedTaskIdOf(taskId, nodeId);
        if (_faults[faultId].nodeId != 0) return false;
        (bool missed, bool joint) = _missOf(report);
        if (!missed) return false;

        uint256 stakeWei = stakeVault.slashableOf(nodeId);
        TaskTerms memory terms = report.terms;
        uint40 window = _windowOf(terms.deadline + Limits.SETTLE_GRACE_S);
        _countSilent(window, nodeId, stakeWei);
        if (_record(faultId, nodeId, FaultKind.MissedTask, window)) return true;
        uint256 maxUsd6 = Billing.maxAmount(terms.workCums, terms.priceUsd6PerGcums, terms.backups);
        uint256 leftWei = Math.saturatingSub(maxUsd6 * terms.stakeWeiPerUsd6, _compensatedWei[taskId]);
        _punish(faultId, nodeId, FaultKind.MissedTask, joint, stakeWei, Claim(taskId, terms.payer, leftWei, reporter));
        return true;
    }

    /// @dev Accepted by this node, no receipt of it, and the task ended by time: a task that ended because all its
    ///      nodes had signed a failure has every mask bit of an accept in `failedMask` too. Joint: more than one node
    ///      failed so.
    function _missOf(MissedTask memory report) private view returns (bool missed, bool joint) {
        TaskState memory state = escrow.stateOf(report.taskId);
        if (state.status != TaskStatus.Refunded || report.nodeId == 0) return (false, false);
        if (block.timestamp > uint256(report.terms.deadline) + Limits.SETTLE_GRACE_S + reportWindowSeconds) {
            return (false, false);
        }
        if (!escrow.isAssignmentOf(report.taskId, report.terms, report.standing)) return (false, false);
        uint256 failing = state.acceptedMask & ~state.failedMask;
        if (failing == 0) return (false, false);
        Seat[] memory seats = report.standing.seats;
        for (uint256 i; i < seats.length; ++i) {
            if (seats[i].nodeId == report.nodeId) missed = failing & TaskMachine.bitOf(i) != 0;
        }
        joint = failing & (failing - 1) != 0;
    }

    /* PRIVATE: PENALTIES */

    function _record(bytes32 faultId, uint32 nodeId, FaultKind kind, uint40 window) private returns (bool excused) {
        uint256 silentWei = _silentAround(window);
        uint256 totalWei = stakeVault.totalStakedWei();
        excused = silentWei * BPS > totalWei * BREAKER_BPS;
        Standing storage standing = _standings[nodeId];
        uint8 strikes;
        if (excused) {
            strikes = standing.strikesAt(_now(), decaySeconds);
            ++standing.excused;
        } else {
            strikes = standing.strike(_now(), decaySeconds, _suspensionEnd(), _now() + banSeconds);
        }
        _faults[faultId] = Fault(nodeId, _now(), excused, false, 0, 0);
        emit FaultRecorded(faultId, nodeId, kind, strikes, excused, silentWei, totalWei);
    }

    function _punish(
        bytes32 faultId,
        uint32 nodeId,
        FaultKind kind,
        bool joint,
        uint256 stakeWei,
        Claim memory claim
    ) private {
        Standing storage standing = _standings[nodeId];
        uint256 shareBps = PenaltyLadder.slashBps(kind, standing.strikes, joint);
        uint256 slashId;
        uint256 slashedWei;
        if (shareBps != 0) {
            SlashCap.Meter storage meter = _meters[nodeId];
            uint256 amountWei = meter.allow(_epoch(), stakeWei, shareBps, PenaltyLadder.EPOCH_CAP_BPS);
            (slashId, slashedWei) = stakeVault.trySlash(nodeId, _order(faultId, kind, amountWei, claim));
            meter.taken(slashedWei);
            _compensatedWei[claim.taskId] += Math.min(claim.maxCompensationWei, slashedWei * COMPENSATION_BPS / BPS);
            Fault storage stored = _faults[faultId];
            (stored.slashId, stored.slashedWei) = (slashId, slashedWei.toUint128());
        }
        emit PenaltyApplied(
            faultId,
            nodeId,
            standing.suspendedUntil,
            standing.bannedUntil,
            PenaltyLadder.qualityBps(standing.strikes),
            slashId,
            slashedWei
        );
        INodeSuspender(address(registry)).trySuspend(nodeId, standing.suspendedUntil);
    }

    function _order(bytes32 faultId, FaultKind kind, uint256 amountWei, Claim memory claim)
        private
        pure
        returns (SlashOrder memory)
    {
        return SlashOrder({
            amountWei: amountWei,
            reason: kind == FaultKind.Silence ? FaultIds.SILENCE : FaultIds.MISSED_TASK,
            evidence: faultId,
            compensated: claim.compensated,
            compensationWei: Math.min(claim.maxCompensationWei, amountWei * COMPENSATION_BPS / BPS),
            challenger: claim.challenger,
            challengerWei: claim.challenger == address(0) ? 0 : amountWei * CHALLENGER_BPS / BPS
        });
    }

    /// @dev To the end of the epoch, but half an epoch at least.
    function _suspensionEnd() private view returns (uint40) {
        uint40 epochEnd = uint40((_epoch() + 1) * epochSeconds);
        uint40 earliest = _now() + epochSeconds / 2;
        return epochEnd > earliest ? epochEnd : earliest;
    }

    /* PRIVATE: WINDOWS */

    function _countSilent(uint40 window, uint32 nodeId, uint256 stakeWei) private returns (bool counted) {
        if (_countedSilent[window][nodeId]) return false;
        _countedSilent[window][nodeId] = true;
        _silentWei[window] += stakeWei;
        return true;
    }

    function _uncountSilent(Challenge storage stored) private {
        uint40 window = _windowOf(stored.challengedAt);
        stored.counted = false;
        _countedSilent[window][stored.nodeId] = false;
        _silentWei[window] -= stored.snapshotWei;
    }

    function _silentAround(uint40 window) private view returns (uint256) {
        return _silentWei[window] + (window == 0 ? 0 : _silentWei[window - 1]);
    }

    function _advanceQueue() private {
        uint256 head = _queueHead;
        uint256 end = Math.min(_queue.length, head + MAX_SCAN);
        while (head < end && _challenges[_queue[head]].status != ChallengeStatus.Open) ++head;
        _queueHead = head;
    }

    function _isDue(Challenge storage stored) private view returns (bool) {
        return block.timestamp >= _closableAt(stored);
    }

    function _closableAt(Challenge storage stored) private view returns (uint40) {
        return (_windowOf(stored.challengedAt) + 2) * replyWindowSeconds;
    }

    function _windowOf(uint40 timestamp) private view returns (uint40) {
        return timestamp / replyWindowSeconds;
    }

    function _relayWei() private view returns (uint256) {
        uint256 priceWei = Math.min(tx.gasprice, block.basefee + MAX_TIP_WEI);
        return ANSWER_GAS * priceWei * RELAY_FACTOR_BPS / BPS;
    }

    function _epoch() private view returns (uint64) {
        return uint64(block.timestamp / epochSeconds);
    }

    function _now() private view returns (uint40) {
        return uint40(block.timestamp);
    }
}
