// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";

/// @title Who signed a message of a node, in the domain that docs/PROTOCOL.md §3 gives it: TaskEscrow's.
/// @dev The chain id is read at each call, so a signature of a fork counts on that fork alone.
library NodeSignatures {
    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant NAME_HASH = keccak256("NGPU");
    bytes32 private constant VERSION_HASH = keccak256("1");

    /// @notice Signer of `structHash`; zero if the signature is malformed or not canonical.
    function signerOf(address escrow, bytes32 structHash, bytes calldata signature)
        internal
        view
        returns (address signer)
    {
        bytes32 domain = keccak256(abi.encode(DOMAIN_TYPEHASH, NAME_HASH, VERSION_HASH, block.chainid, escrow));
        (signer,,) = ECDSA.tryRecoverCalldata(MessageHashUtils.toTypedDataHash(domain, structHash), signature);
    }
}
