// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";

/// @title Digest of a message signed under another contract's EIP-712 domain.
/// @notice Nodes and keepers sign under the TaskEscrow's domain (docs/PROTOCOL.md §3), whoever reads the message.
/// @dev The chain id is read each time, so that a signature of one side of a fork is worth nothing on the other.
library EscrowDomain {
    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant NAME_HASH = keccak256("NGPU");
    bytes32 private constant VERSION_HASH = keccak256("1");

    function digest(address escrow, bytes32 structHash) internal view returns (bytes32) {
        bytes32 separator = keccak256(abi.encode(DOMAIN_TYPEHASH, NAME_HASH, VERSION_HASH, block.chainid, escrow));
        return MessageHashUtils.toTypedDataHash(separator, structHash);
    }
}
