// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Which results may be audited: keccak256(abi.encode(seed, taskId)) below a share of all hashes.
/// @notice The seed is revealed after the receipt was fixed, so neither node nor auditor chooses.
library AuditSample {
    uint256 private constant BPS = 10_000;

    /// @param shareBps 10,000 samples everything, 0 nothing.
    function includes(bytes32 seed, bytes32 taskId, uint16 shareBps) internal pure returns (bool) {
        if (shareBps >= BPS) return true;
        return uint256(keccak256(abi.encode(seed, taskId))) < (type(uint256).max / BPS) * shareBps;
    }
}
