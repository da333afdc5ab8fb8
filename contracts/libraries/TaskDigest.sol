// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Hashes} from "@openzeppelin/contracts/utils/cryptography/Hashes.sol";
import {Assigned, Seat, Settlement, TaskTerms} from "../types/TaskTypes.sol";

/// @title What binds the words of a task to its one storage slot.
/// @notice T = keccak256(abi.encode(terms)) while a task is not assigned; keccak256(abi.encode(T,
///         keccak256(abi.encode(words)))) afterwards, the words being its assignment or its settlement. The slot keeps
///         the first 23 bytes.
/// @dev Mirror of protocol/src/taskDigest.ts; a property test holds the two equal. T is a hash of 256 bytes, every
///      other digest one of 64 bytes, so none can be taken for another.
///      abi.encode of a static struct is its words in a row, which is how calldata and memory hold it already: hashing
///      them in place costs a tenth. Words with dirty high bits hash to a digest that no task has, because what is
///      stored was computed from memory that the compiler had cleaned.
library TaskDigest {
    uint256 private constant TERMS_BYTES = 8 * 32;
    uint256 private constant SETTLEMENT_BYTES = 5 * 32;

    /// @notice T.
    function ofTerms(TaskTerms calldata terms) internal pure returns (bytes32 hash) {
        return _hashOf(_offsetOf(terms), TERMS_BYTES);
    }

    /// @notice T of terms that are being made.
    function ofNewTerms(TaskTerms memory terms) internal pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            hash := keccak256(terms, TERMS_BYTES)
        }
    }

    /// @notice Digest of a task under an assignment.
    function ofAssigned(bytes32 termsHash, Assigned calldata assigned) internal pure returns (bytes23) {
        address assigner = assigned.assigner;
        Seat[] calldata seats = assigned.seats;
        bytes32 hash;
        assembly ("memory-safe") {
            let start := mload(0x40)
            mstore(start, 0x20)
            mstore(add(start, 0x20), assigner)
            mstore(add(start, 0x40), 0x40)
            mstore(add(start, 0x60), seats.length)
            let size := shl(6, seats.length)
            calldatacopy(add(start, 0x80), seats.offset, size)
            hash := keccak256(start, add(0x80, size))
        }
        return _join(termsHash, hash);
    }

    /// @notice Digest of a task under an assignment that is being made.
    function ofNewAssigned(bytes32 termsHash, address assigner, Seat[] memory seats) internal pure returns (bytes23) {
        bytes32 hash;
        assembly ("memory-safe") {
            let start := mload(0x40)
            mstore(start, 0x20)
            mstore(add(start, 0x20), assigner)
            mstore(add(start, 0x40), 0x40)
            let length := mload(seats)
            mstore(add(start, 0x60), length)
            let next := add(start, 0x80)
            for { let i := 0 } lt(i, length) { i := add(i, 1) } {
                seats := add(seats, 0x20)
                mcopy(next, mload(seats), 0x40)
                next := add(next, 0x40)
            }
            hash := keccak256(start, sub(next, start))
        }
        return _join(termsHash, hash);
    }

    /// @notice Digest of a settled task.
    function ofSettlement(bytes32 termsHash, Settlement calldata settlement) internal pure returns (bytes23) {
        return _join(termsHash, _hashOf(_offsetOf(settlement), SETTLEMENT_BYTES));
    }

    /// @notice Digest of a task that is being settled.
    function ofNewSettlement(bytes32 termsHash, Settlement memory settlement) internal pure returns (bytes23) {
        bytes32 hash;
        assembly ("memory-safe") {
            hash := keccak256(settlement, SETTLEMENT_BYTES)
        }
        return _join(termsHash, hash);
    }

    function _join(bytes32 termsHash, bytes32 wordsHash) private pure returns (bytes23) {
        return bytes23(Hashes.efficientKeccak256(termsHash, wordsHash));
    }

    function _offsetOf(TaskTerms calldata terms) private pure returns (uint256 offset) {
        assembly ("memory-safe") {
            offset := terms
        }
    }

    function _offsetOf(Settlement calldata settlement) private pure returns (uint256 offset) {
        assembly ("memory-safe") {
            offset := settlement
        }
    }

    /// @dev Hash of `size` bytes of calldata.
    function _hashOf(uint256 offset, uint256 size) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            let start := mload(0x40)
            calldatacopy(start, offset, size)
            hash := keccak256(start, size)
        }
    }
}
