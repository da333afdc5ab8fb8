// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Harm} from "../types/DisputeTypes.sol";
import {Receipt} from "../types/TaskTypes.sol";

/// @title Faults that two signatures prove and nobody has to judge.
/// @notice Receipts of both rails count: they are signed in one domain. Whoever holds both receipts may bring them;
///      the challenger's part of the slash goes only to somebody who committed to them in an earlier block, so copying
///      a proof out of the queue of transactions earns nothing.
interface IReceiptFaults {
    /// @notice Kinds of self-proving faults.
    enum ReceiptFault {
        Conflict,
        Overlap
    }

    /// @notice Somebody says to hold evidence, without showing it.
    event EvidenceCommitted(bytes32 indexed commitment, address indexed claimant);
    /// @notice A fault was proved and punished. `claimant` is zero if nobody had committed to the evidence.
    event FaultProved(
        bytes32 indexed faultId,
        uint32 indexed nodeId,
        ReceiptFault kind,
        bytes32 receiptA,
        bytes32 receiptB,
        address claimant,
        uint256 slashId,
        uint256 slashedWei
    );

    /// @notice The receipt was not signed by a key of the node that it names.
    error ReceiptSignerInvalid(uint32 nodeId, address signer);
    /// @notice The two receipts do not contradict each other.
    error ReceiptsNoFault(bytes32 receiptA, bytes32 receiptB);
    /// @notice This fault was punished before.
    error ReceiptFaultKnown(bytes32 faultId);
    /// @notice Nothing can be taken now: the day's cap is reached, the slasher's bucket is empty, or there is no stake.
    error ReceiptFaultUnpunished(bytes32 faultId);
    /// @notice The commitment exists.
    error EvidenceCommittedBefore(bytes32 commitment);

    /// @notice Commit to evidence: keccak256(abi.encode(claimant, evidence, salt)), evidence =
    ///      keccak256(abi.encode(lower receipt hash, higher receipt hash)), each hash being EIP-712's struct hash.
    function commitEvidence(bytes32 commitment) external;

    /// @notice Two different receipts of one node under one conflict key. Effects: slashes 10 % of its stake.
    /// @param salt Of the caller's commitment; anything without one.
    /// @param harm Words of their task, for its payer's sake.
    function proveConflict(
        Receipt calldata a,
        bytes calldata signatureA,
        Receipt calldata b,
        bytes calldata signatureB,
        bytes32 salt,
        Harm calldata harm
    ) external;

    /// @notice Two receipts that bill the same milliseconds of one slot of a node. Effects: slashes 5 % of its stake.
    ///         Of receipts that all overlap, each is punished with one other.
    /// @param harm Words of the task whose receipt starts later.
    function proveOverlap(
        Receipt calldata a,
        bytes calldata signatureA,
        Receipt calldata b,
        bytes calldata signatureB,
        bytes32 salt,
        Harm calldata harm
    ) external;
}
