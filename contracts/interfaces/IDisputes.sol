// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {
    Ballot,
    DeterminismClass,
    Dispute,
    DisputeStage,
    Harm,
    OpenDispute,
    Outcome,
    SampleProof,
    Verdict
} from "../types/DisputeTypes.sol";

/// @title Whether a result is what the model gives.
/// @notice The payer of a settled task, or a keeper whose task the seed sampled, opens with a bond and the opening of
///      the input's commitment. The node opens its output's commitment. A drawn committee runs the model on what the
///      opener wraps for it, commits to verdicts and reveals them; a ruling can be appealed to an arbitrator. Every
///      refusal has a loser, every stage a deadline, and if nobody acts every bond goes back.
interface IDisputes {
    /// @notice The results of a model count as the same by `determinism` in disputes opened from now on.
    event DeterminismChanged(bytes32 indexed modelId, DeterminismClass determinism);
    /// @notice Receipts were fixed on chain: a seed revealed later may sample them.
    event ReceiptsAnchored(bytes32 indexed receiptsRoot);
    /// @notice A dispute was opened; the node must open its output until `deadline`.
    event DisputeOpened(
        bytes32 indexed disputeId,
        uint32 indexed nodeId,
        address indexed opener,
        bytes32 faultId,
        bytes32 taskId,
        DeterminismClass determinism,
        bytes32 claimedBodyHash,
        uint96 bondWei,
        uint128 snapshotWei,
        uint40 deadline
    );
    /// @notice The node's output was opened.
    event OutputRevealed(bytes32 indexed disputeId, bytes32 outputBodyHash);
    /// @notice The committee's block was missed; the hash of `drawBlock` draws now.
    event DrawRepeated(bytes32 indexed disputeId, uint64 drawBlock);
    /// @notice The committee was drawn; the opener must wrap the keys for it until `deadline`.
    event CommitteeDrawn(bytes32 indexed disputeId, address[] judges, uint40 deadline);
    /// @notice The opener wrapped the keys; judges commit until `deadline`.
    event KeysWrapped(bytes32 indexed disputeId, bytes32 wrapsHash, uint40 deadline);
    /// @notice A judge committed to a verdict.
    event VerdictCommitted(bytes32 indexed disputeId, address indexed judge);
    /// @notice A judge revealed its verdict.
    event VerdictRevealed(bytes32 indexed disputeId, address indexed judge, Verdict verdict, bytes32 bodyHash);
    /// @notice A ruling, which stands unless it is appealed until `deadline`.
    event DisputeRuled(bytes32 indexed disputeId, Outcome ruling, uint40 deadline);
    /// @notice The arbitrator decides until `deadline`; otherwise the ruling stands, or without one the dispute lapses.
    event ArbitrationBegun(bytes32 indexed disputeId, address indexed appellant, uint40 deadline);
    /// @notice The dispute ended. `slashId` means nothing while `slashedWei` is 0.
    event DisputeClosed(
        bytes32 indexed disputeId,
        uint32 indexed nodeId,
        Outcome outcome,
        uint256 judgeFeesWei,
        uint256 slashId,
        uint256 slashedWei
    );

    /// @notice Times, sizes or amounts do not fit each other, or an address is zero.
    error DisputeTermsInvalid();
    /// @notice The bond is not what the terms ask for.
    error DisputeBondWrong(uint256 bondWei, uint256 requiredWei);
    /// @notice The node has too little stake to be worth judging.
    error DisputeStakeTooSmall(uint32 nodeId, uint256 slashableWei, uint256 minimumWei);
    /// @notice The model's results are not comparable, or nobody has said how.
    error DisputeNotComparable(bytes32 modelId);
    /// @notice The receipt bills nothing, belongs to another content, or its task has not settled.
    error DisputeReceiptInvalid(bytes32 taskId);
    /// @notice Only the task's payer, or for a sampled task a keeper, may do this.
    error DisputeNotOpener(bytes32 taskId, address caller);
    /// @notice The time to open has passed.
    error DisputeTooLate(bytes32 taskId, uint40 openableUntil);
    /// @notice The receipt was not anchored, or not before that seed, or the seed does not sample it.
    error DisputeNotSampled(bytes32 taskId, uint64 seedEpoch);
    /// @notice What was revealed does not open the commitment.
    error DisputePreimageWrong(bytes32 commitment);
    /// @notice The fault was punished, or this account disputed it before.
    error DisputeKnown(bytes32 id);
    /// @notice The dispute is in another stage.
    error DisputeWrongStage(bytes32 disputeId, DisputeStage stage);
    /// @notice The committee's block is not known yet.
    error DisputeDrawTooEarly(bytes32 disputeId, uint64 drawBlock);
    /// @notice The caller does not sit in the committee, has voted, or reveals another verdict than it committed.
    error DisputeVoteInvalid(bytes32 disputeId, address judge);
    /// @notice The root was anchored before, or is zero.
    error DisputeAnchorInvalid(bytes32 receiptsRoot);
    /// @notice Time has moved the dispute nowhere.
    error DisputeNothingDue(bytes32 disputeId, uint40 deadline);

    /// @notice Say how results of a model are compared. Requirement: policy role. Open disputes keep their class.
    function setDeterminism(bytes32 modelId, DeterminismClass determinism) external;

    /// @notice Fix receipts on chain, so that a seed revealed later may sample them. Anyone may call, once per root.
    /// @param receiptsRoot Root of a Merkle tree (sorted pairs) over receipts' struct hashes, or one such hash.
    function anchorReceipts(bytes32 receiptsRoot) external;

    /// @notice Dispute the result of one's own settled task. Requirements: caller is its payer; bond exact; model
    ///      comparable; within `openSeconds` of the task's last moment.
    /// @param harm Words of the task; DisputeReceiptInvalid if they are another's.
    function openByPayer(OpenDispute calldata params, Harm calldata harm)
        external
        payable
        returns (bytes32 disputeId);

    /// @notice Dispute a sampled result. Requirements: caller is a keeper; the receipt was anchored before the seed
    ///      was revealed and the seed samples its task; the rest as for a payer.
    /// @param harm Words of the task, for its payer's sake.
    function openByAudit(OpenDispute calldata params, SampleProof calldata sample, Harm calldata harm)
        external
        payable
        returns (bytes32 disputeId);

    /// @notice Open the node's output: keccak256(salt ‖ bodyHash) is what it signed. Anyone may relay. Where results
    ///      must be equal and the opener's is, the opener has lost.
    function revealOutput(bytes32 disputeId, bytes32 salt, bytes32 bodyHash) external;

    /// @notice Draw the committee by the hash of a block after the output was opened. Anyone may call.
    function drawCommittee(bytes32 disputeId) external;

    /// @notice The opener wrapped the task's key for every judge; `wrapsHash` names the sealed keys.
    function publishKeys(bytes32 disputeId, bytes32 wrapsHash) external;

    /// @notice Commit to a verdict: keccak256(abi.encode(disputeId, judge, verdict, bodyHash, salt)).
    function commitVerdict(bytes32 disputeId, bytes32 commitment) external;

    /// @notice Reveal it. Where results must be equal, `bodyHash` decides between NodeRight and NodeWrong.
    function revealVerdict(bytes32 disputeId, Verdict verdict, bytes32 bodyHash, bytes32 salt) external;

    /// @notice Bring a ruling before the arbitrator. Requirement: bond exact, appeal window open.
    function appeal(bytes32 disputeId) external payable;

    /// @notice Decide a dispute that was appealed or that nobody ruled on. Requirement: appeal role, in time.
    function arbitrate(bytes32 disputeId, Outcome outcome) external;

    /// @notice Do what time has made due: default, next stage, closing. Anyone may call.
    function advance(bytes32 disputeId) external;

    /// @notice A dispute's record; stage None if it does not exist.
    function dispute(bytes32 disputeId) external view returns (Dispute memory);

    /// @notice A judge's ballot.
    function ballot(bytes32 disputeId, address judge) external view returns (Ballot memory);

    /// @notice How results of a model are compared now.
    function determinismOf(bytes32 modelId) external view returns (DeterminismClass);

    /// @notice Id of the dispute that `opener` has, or would have, about a node's receipt under `conflictKey`.
    function disputeIdOf(uint32 nodeId, bytes32 conflictKey, address opener) external view returns (bytes32);

    /// @notice Longest time from opening to the end if every act is late, in seconds.
    function longestSeconds() external view returns (uint40);
}
