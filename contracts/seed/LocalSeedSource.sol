// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISeedSource} from "../interfaces/ISeedSource.sol";
import {LocalOnly} from "../local/LocalOnly.sol";
import {SeedRequester} from "./SeedRequester.sol";

/// @title Seeds of the local chain: the hash of the block after the request.
/// @notice WEAK: whoever makes the blocks can choose it, and it is forgotten after 256 blocks. It therefore exists on
///         the local chain alone; anywhere else use VrfSeedSource.
contract LocalSeedSource is LocalOnly, SeedRequester {
    uint256 private _requests;
    mapping(uint256 requestId => uint256) private _blockOf;

    /// @inheritdoc ISeedSource
    function request() external onlyRequester returns (uint256 requestId) {
        requestId = ++_requests;
        _blockOf[requestId] = block.number + 1;
        emit SeedRequested(requestId);
    }

    /// @inheritdoc ISeedSource
    function seedOf(uint256 requestId) external view returns (bytes32) {
        uint256 number = _blockOf[requestId];
        // `blockhash` is zero for a block that is not over and for one that is forgotten.
        bytes32 hash = number == 0 ? bytes32(0) : blockhash(number);
        return hash == 0 ? bytes32(0) : keccak256(abi.encode(requestId, hash));
    }
}
