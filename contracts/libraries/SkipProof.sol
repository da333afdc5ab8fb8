// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IKeeperBonds} from "../interfaces/IKeeperBonds.sol";
import {INodeRegistry} from "../interfaces/INodeRegistry.sol";
import {Skip, SkipKind} from "../types/AssignmentTypes.sol";
import {BusyCertificate, Suspicion} from "../types/MessageTypes.sol";
import {EscrowDomain} from "./EscrowDomain.sol";
import {SignedMessages} from "./SignedMessages.sol";

/// @title Whether a drawn node may be passed over.
/// @notice A certificate is about one task and one node and expires: it proves nothing about another task, and nothing
///         later. Two keepers' word is enough, because passing over costs the node one task and nobody any money.
library SkipProof {
    /// @dev Longest life of a certificate, in seconds from when it is used.
    uint256 internal constant MAX_LIFE_S = 10 minutes;
    /// @dev Bonded keepers behind a suspicion, at least and at most.
    uint256 internal constant MIN_SUSPECTING = 2;
    uint256 internal constant MAX_SUSPECTING = 8;

    /// @notice Who is asked.
    struct Parties {
        INodeRegistry registry;
        IKeeperBonds bonds;
        address escrow;
    }

    function holds(Parties memory parties, bytes32 taskId, uint32 nodeId, Skip calldata skip)
        internal
        view
        returns (bool)
    {
        if (skip.kind == SkipKind.Ineligible) return parties.registry.eligiblePowerOf(nodeId) == 0;
        if (skip.expiry < block.timestamp || skip.expiry > block.timestamp + MAX_LIFE_S) return false;
        if (skip.kind == SkipKind.Busy) return _busy(parties, taskId, nodeId, skip);
        return _suspected(parties, taskId, nodeId, skip);
    }

    /// @dev Only the operator of now: whoever holds a retired key could otherwise pass the node over.
    function _busy(Parties memory parties, bytes32 taskId, uint32 nodeId, Skip calldata skip)
        private
        view
        returns (bool)
    {
        if (skip.signatures.length != 1) return false;
        bytes32 structHash =
            SignedMessages.hash(BusyCertificate(taskId, nodeId, skip.slots, skip.timeMs, skip.expiry));
        return _signer(parties, structHash, skip.signatures[0]) == parties.registry.node(nodeId).operator;
    }

    function _suspected(Parties memory parties, bytes32 taskId, uint32 nodeId, Skip calldata skip)
        private
        view
        returns (bool)
    {
        uint256 count = skip.signatures.length;
        if (count < MIN_SUSPECTING || count > MAX_SUSPECTING) return false;
        bytes32 structHash = SignedMessages.hash(Suspicion(taskId, nodeId, skip.timeMs, skip.expiry));
        uint32 former;
        for (uint256 i; i < count; ++i) {
            uint32 keeperId = parties.bonds.bondedIdOf(_signer(parties, structHash, skip.signatures[i]));
            if (keeperId <= former) return false;
            former = keeperId;
        }
        return true;
    }

    /// @dev Zero for a malformed signature, which is nobody's operator and no keeper.
    function _signer(Parties memory parties, bytes32 structHash, bytes calldata signature)
        private
        view
        returns (address signer)
    {
        (signer,,) = ECDSA.tryRecoverCalldata(EscrowDomain.digest(parties.escrow, structHash), signature);
    }
}
