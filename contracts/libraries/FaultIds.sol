// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Ids of faults, challenges and disputes.
/// @notice Every id begins with its kind, so ids of different kinds never meet; it names the fault and not the
///      evidence, so one fault has one id and a second, different one has another.
library FaultIds {
    bytes32 internal constant SILENCE = "ngpu.silence";
    bytes32 internal constant MISSED_TASK = "ngpu.missedTask";
    bytes32 internal constant CONFLICT = "ngpu.conflict";
    bytes32 internal constant OVERLAP = "ngpu.overlap";
    bytes32 internal constant WRONG_RESULT = "ngpu.wrongResult";
    bytes32 internal constant DISPUTE = "ngpu.dispute";

    function silence(uint32 nodeId, uint64 epoch) internal view returns (bytes32) {
        return keccak256(abi.encode(SILENCE, block.chainid, address(this), nodeId, epoch));
    }

    function missedTask(bytes32 taskId, uint32 nodeId) internal view returns (bytes32) {
        return keccak256(abi.encode(MISSED_TASK, block.chainid, address(this), taskId, nodeId));
    }

    /// @dev `key` is the receipts' conflict key.
    function conflict(uint32 nodeId, bytes32 key) internal view returns (bytes32) {
        return keccak256(abi.encode(CONFLICT, block.chainid, address(this), nodeId, key));
    }

    /// @dev The pair is ordered, so that it has one id whichever receipt is named first.
    function overlap(uint32 nodeId, bytes32 keyA, bytes32 keyB) internal view returns (bytes32) {
        (bytes32 low, bytes32 high) = keyA < keyB ? (keyA, keyB) : (keyB, keyA);
        return keccak256(abi.encode(OVERLAP, block.chainid, address(this), nodeId, low, high));
    }

    /// @dev `key` is the receipt's conflict key.
    function wrongResult(uint32 nodeId, bytes32 key) internal view returns (bytes32) {
        return keccak256(abi.encode(WRONG_RESULT, block.chainid, address(this), nodeId, key));
    }

    /// @dev One per fault and opener: whoever loses a dispute on purpose shields the node from nobody else's.
    function dispute(bytes32 faultId, address opener) internal view returns (bytes32) {
        return keccak256(abi.encode(DISPUTE, block.chainid, address(this), faultId, opener));
    }
}
