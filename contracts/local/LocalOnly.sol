// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What only ever exists on the local chain.
/// @notice Free money and hand-made prices cannot be deployed anywhere else by mistake.
abstract contract LocalOnly {
    /// @notice This contract may not exist on this chain.
    error LocalChainOnly(uint256 chainId);

    uint256 private constant LOCAL_CHAIN_ID = 31337;

    constructor() {
        if (block.chainid != LOCAL_CHAIN_ID) revert LocalChainOnly(block.chainid);
    }
}
