// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ScoreTranscript} from "../types/MessageTypes.sol";
import {Score} from "../types/ScoreTypes.sol";
import {INodeConduct} from "./INodeConduct.sol";

/// @title How fast each node is, as keepers measured it, and how good, as audits found.
/// @notice A score is the median of what at least three of the keepers signed whom the epoch's seed drew for that node.
///         It moves by at most a quarter an epoch and lapses when nobody measures the node any more.
interface IScoreBoard {
    /// @notice A node was measured.
    /// @param epoch Selection epoch of the measurement.
    /// @param formerCu Power before this epoch's measurement.
    /// @param scoreCu Power from now on.
    /// @param medianCu Median of the transcripts, before the step bound.
    /// @param transcripts Keepers behind it.
    /// @param freshUntil Chain time in seconds at which it lapses.
    event ScoreUpdated(
        uint32 indexed nodeId,
        uint40 indexed epoch,
        uint32 formerCu,
        uint32 scoreCu,
        uint32 medianCu,
        uint8 transcripts,
        uint40 freshUntil
    );
    /// @notice Audits changed a node's quality; `cause` names the evidence.
    event QualityChanged(uint32 indexed nodeId, uint16 formerBps, uint16 qualityBps, bytes32 cause);
    /// @notice The selection whose seed draws the keepers is final.
    event ScoreSelectionFixed(address selection);

    /// @notice Whose record of faults counts from now on.
    event ScoreConductChanged(address conduct);

    /// @notice Fewer transcripts than a median needs, more than were drawn, or not one signature each.
    error ScoreTranscriptCount(uint256 transcripts, uint256 signatures, uint256 minimum, uint256 maximum);
    /// @notice A transcript is about another node, epoch or seed than the first one and the epoch of now.
    error ScoreTranscriptMismatch(uint32 nodeId, uint256 index);
    /// @notice The signer is not a bonded keeper that was drawn for this node, or signed twice.
    error ScoreKeeperNotDrawn(uint32 nodeId, uint256 index, address signer);
    /// @notice The epoch has a score of this node by as many keepers already.
    error ScoreNotImproved(uint32 nodeId, uint40 epoch, uint8 transcripts);
    /// @notice A measured power of zero makes no sense.
    error ScoreZero(uint32 nodeId, uint256 index);
    /// @notice A quality is at most 10,000.
    error ScoreQualityInvalid(uint16 qualityBps);
    /// @notice The selection was fixed before, is zero, or the caller may not fix it.
    error ScoreSelectionIsFixed();
    /// @notice An address or time that must not be zero is zero.
    error ScoreZeroParameter();

    /// @notice Record what keepers measured of one node in the epoch of now. Anyone may relay it.
    /// @dev Effects: the node's score becomes the median, bounded to a quarter from what it was before the epoch; a
    ///      later submission with more keepers replaces it, from the same base. Requirements: 3 to 5 transcripts, each
    ///      for this node, epoch and `seedFor`, signed by distinct bonded keepers out of `keepersFor`.
    function submit(ScoreTranscript[] calldata transcripts, bytes[] calldata signatures) external;

    /// @notice Set a node's quality. Requirements: role of those who judge audits; at most 10,000.
    function setQuality(uint32 nodeId, uint16 qualityBps, bytes32 cause) external;

    /// @notice Name the contract whose record of faults counts; zero: none does. Requirement: administrator.
    function setConduct(INodeConduct newConduct) external;

    /// @notice Whose record of faults counts; zero: none does.
    function conduct() external view returns (INodeConduct);

    /// @notice The node's measured power in CU; 0 when it has no score that counts, so that its class's minimum does.
    /// @dev A score lapses by age, unless it lies below the class's minimum: a slow node gains nothing by refusing to
    ///      be measured.
    function powerOf(uint32 nodeId) external view returns (uint32);

    /// @notice `powerOf`, and the node's quality in basis points: what an audit set, or what its age has earned,
    ///         times what its faults leave of it.
    function factorsOf(uint32 nodeId) external view returns (uint32 powerCu, uint16 qualityBps);

    /// @notice The stored record.
    function scoreOf(uint32 nodeId) external view returns (Score memory);

    /// @notice Ids of the keepers that may measure the node in the epoch of now. Reverts unless the epoch is drawable.
    function keepersFor(uint32 nodeId) external view returns (uint32[] memory);

    /// @notice The challenge that the node is measured under in the epoch of now; same requirement.
    function seedFor(uint32 nodeId) external view returns (bytes32);
}
