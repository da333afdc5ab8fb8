// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessManaged} from "@openzeppelin/contracts/access/manager/AccessManaged.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IKeeperBonds} from "./interfaces/IKeeperBonds.sol";
import {INodeConduct} from "./interfaces/INodeConduct.sol";
import {INodeRegistry} from "./interfaces/INodeRegistry.sol";
import {IScoreBoard} from "./interfaces/IScoreBoard.sol";
import {ISelection} from "./interfaces/ISelection.sol";
import {EscrowDomain} from "./libraries/EscrowDomain.sol";
import {Median} from "./libraries/Median.sol";
import {Quality} from "./libraries/Quality.sol";
import {ScoreStep} from "./libraries/ScoreStep.sol";
import {SignedMessages} from "./libraries/SignedMessages.sol";
import {ScoreTranscript} from "./types/MessageTypes.sol";
import {Score} from "./types/ScoreTypes.sol";

/// @title ScoreBoard
/// @notice Holds no money. A role of contracts that judge audits sets qualities, the administrator names whose record of
///         faults counts; nobody sets a score.
/// @dev The selection reads scores and the board reads the selection's seed, so the deployer names the selection once,
///      after both exist; until then nothing can be submitted.
contract ScoreBoard is IScoreBoard, AccessManaged {
    /// @notice Transcripts that make a median.
    uint256 public constant MIN_TRANSCRIPTS = 3;
    /// @notice Keepers drawn for a node and epoch.
    uint256 public constant KEEPERS_DRAWN = 5;
    /// @notice Quality of a node that no audit has rated and that has just come: time brings the rest.
    uint16 public constant NEWCOMER_QUALITY_BPS = Quality.NEWCOMER_BPS;
    uint256 private constant BPS = 10_000;

    /// @notice Says which nodes exist and what their class demands.
    INodeRegistry public immutable registry;
    /// @notice Says who is a bonded keeper.
    IKeeperBonds public immutable bonds;
    /// @notice Contract whose EIP-712 domain keepers sign under.
    address public immutable escrow;
    /// @notice Age in seconds at which a score lapses.
    uint40 public immutable freshnessS;
    /// @notice A node that nobody rated gains a quarter of quality in each such time, in seconds.
    uint40 public immutable ripeningS;
    /// @notice Draws the keepers; zero until fixed.
    ISelection public selection;
    /// @inheritdoc IScoreBoard
    INodeConduct public conduct;

    address private immutable _deployer;
    mapping(uint32 nodeId => Score) private _scores;

    constructor(
        address authority_,
        INodeRegistry registry_,
        IKeeperBonds bonds_,
        address escrow_,
        uint40 freshnessS_,
        uint40 ripeningS_
    ) AccessManaged(authority_) {
        if (
            address(registry_) == address(0) || address(bonds_) == address(0) || escrow_ == address(0)
                || freshnessS_ == 0 || ripeningS_ == 0
        ) revert ScoreZeroParameter();
        registry = registry_;
        bonds = bonds_;
        escrow = escrow_;
        freshnessS = freshnessS_;
        ripeningS = ripeningS_;
        _deployer = msg.sender;
    }

    /// @notice Name the selection. Requirement: caller is the deployer; once.
    function fixSelection(ISelection selection_) external {
        if (msg.sender != _deployer || address(selection) != address(0) || address(selection_) == address(0)) {
            revert ScoreSelectionIsFixed();
        }
        selection = selection_;
        emit ScoreSelectionFixed(address(selection_));
    }

    /// @inheritdoc IScoreBoard
    function submit(ScoreTranscript[] calldata transcripts, bytes[] calldata signatures) external {
        uint256 count = transcripts.length;
        if (count < MIN_TRANSCRIPTS || count > KEEPERS_DRAWN || count != signatures.length) {
            revert ScoreTranscriptCount(count, signatures.length, MIN_TRANSCRIPTS, KEEPERS_DRAWN);
        }
        uint32 nodeId = transcripts[0].nodeId;
        uint40 epoch = selection.epoch();
        _checkTranscripts(transcripts, signatures, nodeId, epoch);
        _record(nodeId, epoch, _medianOf(transcripts), uint8(count));
    }

    /// @inheritdoc IScoreBoard
    function setConduct(INodeConduct conduct_) external restricted {
        conduct = conduct_;
        emit ScoreConductChanged(address(conduct_));
    }

    /// @inheritdoc IScoreBoard
    function setQuality(uint32 nodeId, uint16 qualityBps, bytes32 cause) external restricted {
        if (qualityBps > BPS) revert ScoreQualityInvalid(qualityBps);
        Score storage stored = _scores[nodeId];
        uint16 formerBps = _earnedQualityOf(nodeId, stored); // reverts for a node that does not exist
        stored.rated = true;
        stored.qualityBps = qualityBps;
        emit QualityChanged(nodeId, formerBps, qualityBps, cause);
    }

    /// @inheritdoc IScoreBoard
    function powerOf(uint32 nodeId) external view returns (uint32) {
        return _powerOf(_scores[nodeId]);
    }

    /// @inheritdoc IScoreBoard
    function factorsOf(uint32 nodeId) external view returns (uint32 powerCu, uint16 qualityBps) {
        Score storage stored = _scores[nodeId];
        return (_powerOf(stored), _qualityOf(nodeId, stored));
    }

    /// @inheritdoc IScoreBoard
    function scoreOf(uint32 nodeId) external view returns (Score memory) {
        return _scores[nodeId];
    }

    /// @inheritdoc IScoreBoard
    function keepersFor(uint32 nodeId) public view returns (uint32[] memory) {
        return selection.draw(bytes32(0), _subjectOf(nodeId), KEEPERS_DRAWN);
    }

    /// @inheritdoc IScoreBoard
    function seedFor(uint32 nodeId) public view returns (bytes32) {
        return keccak256(abi.encode(selection.seed(), _subjectOf(nodeId)));
    }

    function _checkTranscripts(
        ScoreTranscript[] calldata transcripts,
        bytes[] calldata signatures,
        uint32 nodeId,
        uint40 epoch
    ) private view {
        uint32[] memory drawn = keepersFor(nodeId);
        bytes32 seed = seedFor(nodeId);
        uint256 seen;
        for (uint256 i; i < transcripts.length; ++i) {
            ScoreTranscript calldata transcript = transcripts[i];
            if (transcript.nodeId != nodeId || transcript.epoch != epoch || transcript.seed != seed) {
                revert ScoreTranscriptMismatch(nodeId, i);
            }
            if (transcript.scoreCu == 0) revert ScoreZero(nodeId, i);
            bytes32 digest = EscrowDomain.digest(escrow, SignedMessages.hash(transcript));
            (address signer,,) = ECDSA.tryRecoverCalldata(digest, signatures[i]);
            uint256 bit = _bitOf(signer, drawn);
            if (bit == 0 || seen & bit != 0) revert ScoreKeeperNotDrawn(nodeId, i, signer);
            seen |= bit;
        }
    }

    /// @dev One bit for each drawn keeper; 0 for everybody else, and for a keeper whose bond has gone.
    function _bitOf(address signer, uint32[] memory drawn) private view returns (uint256) {
        uint32 keeperId = bonds.bondedIdOf(signer);
        if (keeperId == 0) return 0;
        for (uint256 i; i < drawn.length; ++i) {
            if (drawn[i] == keeperId) return 1 << i;
        }
        return 0;
    }

    function _medianOf(ScoreTranscript[] calldata transcripts) private pure returns (uint32) {
        uint32[] memory values = new uint32[](transcripts.length);
        for (uint256 i; i < values.length; ++i) {
            values[i] = transcripts[i].scoreCu;
        }
        return Median.middleOf(values);
    }

    /// @dev A lapsed score counts as none, so the step begins at the class's minimum again.
    function _record(uint32 nodeId, uint40 epoch, uint32 medianCu, uint8 count) private {
        Score storage stored = _scores[nodeId];
        bool again = stored.transcripts != 0 && stored.epoch == epoch;
        if (again && count <= stored.transcripts) revert ScoreNotImproved(nodeId, epoch, stored.transcripts);

        uint32 classCu = registry.nodeClass(registry.node(nodeId).classId).minimumPowerCu;
        uint32 baseCu = again ? stored.baseCu : _powerOf(stored);
        if (baseCu == 0) baseCu = classCu;
        uint32 scoreCu = ScoreStep.bounded(baseCu, medianCu);
        stored.scoreCu = scoreCu;
        stored.baseCu = baseCu;
        stored.epoch = epoch;
        stored.scoredAt = uint40(block.timestamp);
        stored.transcripts = count;
        stored.belowClass = scoreCu < classCu;
        uint40 freshUntil = uint40(block.timestamp) + freshnessS;
        emit ScoreUpdated(nodeId, epoch, baseCu, scoreCu, medianCu, count, freshUntil);
        // An assignment asks the registry alone.
        registry.noteScore(nodeId, scoreCu, scoreCu < classCu ? type(uint40).max : freshUntil);
    }

    function _powerOf(Score storage stored) private view returns (uint32) {
        bool counts = stored.belowClass || block.timestamp < uint256(stored.scoredAt) + freshnessS;
        return counts ? stored.scoreCu : 0;
    }

    function _qualityOf(uint32 nodeId, Score storage stored) private view returns (uint16) {
        uint256 earnedBps = _earnedQualityOf(nodeId, stored);
        INodeConduct conduct_ = conduct;
        if (address(conduct_) == address(0)) return uint16(earnedBps);
        return uint16(earnedBps * conduct_.qualityBpsOf(nodeId) / BPS);
    }

    /// @dev By audits, or by age where there was none.
    function _earnedQualityOf(uint32 nodeId, Score storage stored) private view returns (uint16) {
        uint40 registeredAt = registry.node(nodeId).registeredAt;
        return stored.rated ? stored.qualityBps : Quality.ripened(registeredAt, uint40(block.timestamp), ripeningS);
    }

    function _subjectOf(uint32 nodeId) private pure returns (bytes32) {
        return keccak256(abi.encode("score", nodeId));
    }
}
