// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Assigned, Settlement, TaskTerms} from "../types/TaskTypes.sol";

/// @title What binds the words of a task to its one storage slot.
/// @notice T = keccak256(abi.encode(terms)) while a task is not assigned; keccak256(abi.encode(T,
///         keccak256(abi.encode(words)))) afterwards, the words being its assignment or its settlement. The slot keeps
///         the first 23 bytes.
/// @dev Mirror of protocol/src/taskDigest.ts; a property test holds the two equal. T is a hash of 256 bytes, every other
///      digest one of 64 bytes, so none can be taken for another.
library TaskDigest {
    /// @notice T.
    function ofTerms(TaskTerms memory terms) internal pure returns (bytes32) {
        return keccak256(abi.encode(terms));
    }

    /// @notice Digest of a task under an assignment.
    function ofAssigned(bytes32 termsHash, Assigned memory assigned) internal pure returns (bytes23) {
        return _join(termsHash, keccak256(abi.encode(assigned)));
    }

    /// @notice Digest of a settled task.
    function ofSettlement(bytes32 termsHash, Settlement memory settlement) internal pure returns (bytes23) {
        return _join(termsHash, keccak256(abi.encode(settlement)));
    }

    function _join(bytes32 termsHash, bytes32 wordsHash) private pure returns (bytes23) {
        return bytes23(keccak256(abi.encode(termsHash, wordsHash)));
    }
}
