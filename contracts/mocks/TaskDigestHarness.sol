// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TaskDigest} from "../libraries/TaskDigest.sol";
import {Assigned, Settlement, TaskTerms} from "../types/TaskTypes.sol";

/// @title Digests of a task's words, out of calldata and out of memory, and as abi.encode says them.
contract TaskDigestHarness {
    function ofTerms(TaskTerms calldata terms) external pure returns (bytes32, bytes32, bytes32) {
        return (TaskDigest.ofTerms(terms), TaskDigest.ofNewTerms(terms), keccak256(abi.encode(terms)));
    }

    function ofAssigned(TaskTerms calldata terms, Assigned calldata assigned)
        external
        pure
        returns (bytes23, bytes23, bytes23)
    {
        bytes32 termsHash = TaskDigest.ofTerms(terms);
        return (
            TaskDigest.ofAssigned(termsHash, assigned),
            TaskDigest.ofNewAssigned(termsHash, assigned.assigner, assigned.seats),
            bytes23(keccak256(abi.encode(keccak256(abi.encode(terms)), keccak256(abi.encode(assigned)))))
        );
    }

    /// @dev Nothing here decodes a field, so nothing refuses one with dirty high bits.
    function ofRawSettlement(TaskTerms calldata terms, Settlement calldata settlement) external pure returns (bytes23) {
        return TaskDigest.ofSettlement(TaskDigest.ofTerms(terms), settlement);
    }

    function ofSettlement(TaskTerms calldata terms, Settlement calldata settlement)
        external
        pure
        returns (bytes23, bytes23, bytes23)
    {
        bytes32 termsHash = TaskDigest.ofTerms(terms);
        return (
            TaskDigest.ofSettlement(termsHash, settlement),
            TaskDigest.ofNewSettlement(termsHash, settlement),
            bytes23(keccak256(abi.encode(keccak256(abi.encode(terms)), keccak256(abi.encode(settlement)))))
        );
    }
}
