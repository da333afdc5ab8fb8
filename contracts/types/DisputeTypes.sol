// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Receipt, Settlement, TaskTerms} from "./TaskTypes.sol";

/// @notice What counts as the same result of a model, from its manifest. None: its content cannot be disputed.
enum DeterminismClass {
    None,
    Exact,
    Tolerance,
    TopK
}

/// @notice Where a dispute stands; Closed is terminal, and time alone leads there from every other.
/// @dev Opened → Drawing → Wrapping → Committing → Revealing → Ruled → Closed, with Arbitrating where nobody ruled or
///      somebody appealed.
enum DisputeStage {
    None,
    Opened,
    Drawing,
    Wrapping,
    Committing,
    Revealing,
    Ruled,
    Arbitrating,
    Closed
}

/// @notice How a dispute ends. Lapsed: nobody decided, every bond goes back.
enum Outcome {
    None,
    NodeLoses,
    OpenerLoses,
    Lapsed
}

/// @notice What a judge found. Unreadable: what the opener wrapped for it does not open the committed input.
enum Verdict {
    None,
    NodeRight,
    NodeWrong,
    Unreadable
}

/// @notice One dispute about the content of a result.
/// @param opener Payer of the task, or the keeper that audits it.
/// @param bondWei Opener's bond, in wei of the chain's coin.
/// @param nodeId Who signed the result.
/// @param stage See DisputeStage.
/// @param ruling Of the committee, or of a default; None before.
/// @param outcome How it ended; None while open.
/// @param determinism What counts as the same result, as it was when the dispute was opened.
/// @param deadline Chain time in seconds until which the stage lasts.
/// @param commits Judges that committed a verdict.
/// @param rights Votes for the node.
/// @param wrongs Votes against the node.
/// @param unreadables Votes against the opener's wrapped keys.
/// @param drawBlock The hash of this block draws the committee.
/// @param snapshotWei Slashable stake of the node when the dispute was opened.
/// @param compensated Payer of the task; zero if unknown.
/// @param maxCompensationWei At most so much of a slash goes to the payer.
/// @param appellant Who appealed; zero if nobody.
/// @param appealBondWei Appellant's bond.
/// @param faultId The fault that is alleged; it is punished once, whoever disputes it.
/// @param taskId Task of the receipt.
/// @param outputCommitment As the node signed it.
/// @param claimedBodyHash Hash of the result that the opener computed.
/// @param outputBodyHash Hash of the node's result, once opened.
/// @param wrapsHash Hash of the keys that the opener wrapped for the judges.
struct Dispute {
    address opener;
    uint96 bondWei;
    uint32 nodeId;
    DisputeStage stage;
    Outcome ruling;
    Outcome outcome;
    DeterminismClass determinism;
    uint40 deadline;
    uint8 commits;
    uint8 rights;
    uint8 wrongs;
    uint8 unreadables;
    uint64 drawBlock;
    uint128 snapshotWei;
    address compensated;
    uint128 maxCompensationWei;
    address appellant;
    uint96 appealBondWei;
    bytes32 faultId;
    bytes32 taskId;
    bytes32 outputCommitment;
    bytes32 claimedBodyHash;
    bytes32 outputBodyHash;
    bytes32 wrapsHash;
}

/// @notice What one judge said.
struct Ballot {
    bool seated;
    Verdict verdict;
    bytes32 commitment;
}

/// @notice What an opener brings. The opening of the input's commitment binds what the judges will be given.
/// @param claimedBodyHash Hash of the result it computed itself; decides at once where results must be equal and are.
struct OpenDispute {
    Receipt receipt;
    bytes signature;
    bytes32 inputSalt;
    bytes32 inputBodyHash;
    bytes32 claimedBodyHash;
}

/// @notice Shows whom a wrong receipt harmed: the payer of the settled task of the direct rail that it is about. Words
///         of no such task, or none at all, show nobody, and nobody is compensated.
/// @param terms As in TaskPosted.
/// @param settlement As in TaskSettled.
struct Harm {
    TaskTerms terms;
    Settlement settlement;
}

/// @notice Shows that a receipt was fixed on chain before the seed that samples it was known.
/// @param receiptsRoot Anchored root; the receipt's own struct hash if it was anchored alone.
/// @param proof Merkle proof of the receipt's struct hash in it.
/// @param seedEpoch First epoch whose seed was revealed after the anchor.
struct SampleProof {
    bytes32 receiptsRoot;
    bytes32[] proof;
    uint64 seedEpoch;
}

/// @notice Times, sizes and amounts, fixed at deployment. A change of them is a new contract.
/// @param openSeconds A dispute can be opened for so long after the task's last moment, or the seed's reveal.
/// @param nodeSeconds Time for the node's preimage.
/// @param drawSeconds Time to draw the committee.
/// @param wrapSeconds Time for the opener to wrap the keys.
/// @param commitSeconds Time to commit a verdict.
/// @param revealSeconds Time to reveal it.
/// @param appealSeconds Time to appeal a ruling.
/// @param arbitrationSeconds Time for the arbitrator.
/// @param committeeSize Judges drawn.
/// @param quorum Verdicts needed.
/// @param sampleBps Share of results that may be audited.
/// @param judgeFeeWei Paid to each judge that agrees with the outcome.
/// @param bondWei Bond of an opener, and of an appellant.
/// @param minimumSlashableWei A node with less stake is not worth a dispute.
struct DisputeTerms {
    uint40 openSeconds;
    uint40 nodeSeconds;
    uint40 drawSeconds;
    uint40 wrapSeconds;
    uint40 commitSeconds;
    uint40 revealSeconds;
    uint40 appealSeconds;
    uint40 arbitrationSeconds;
    uint8 committeeSize;
    uint8 quorum;
    uint16 sampleBps;
    uint96 judgeFeeWei;
    uint96 bondWei;
    uint128 minimumSlashableWei;
}
