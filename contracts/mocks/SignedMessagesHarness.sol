// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignedMessages} from "../libraries/SignedMessages.sol";
import {
    BlobAccess,
    BusyCertificate,
    Heartbeat,
    KeyWrap,
    LivenessReply,
    Login,
    OperatorBinding,
    Progress,
    ScoreTranscript,
    Suspicion,
    TransportBinding,
    TransportKey,
    Voucher
} from "../types/MessageTypes.sol";
import {Accept, Receipt} from "../types/TaskTypes.sol";

/// @title Digest of every signed message; each function is named after its key in protocol/src/typedData.ts.
contract SignedMessagesHarness is EIP712 {
    constructor() EIP712("NGPU", "1") {}

    function receipt(Receipt calldata message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function accept(Accept calldata message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function voucher(Voucher calldata message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function heartbeat(Heartbeat calldata message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function progress(Progress calldata message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function livenessReply(LivenessReply calldata message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function busyCertificate(BusyCertificate calldata message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function login(Login calldata message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function transportBinding(TransportBinding calldata message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function scoreTranscript(ScoreTranscript calldata message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function blobAccess(BlobAccess calldata message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function keyWrap(KeyWrap calldata message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function operatorBinding(OperatorBinding memory message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function suspicion(Suspicion memory message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }

    function transportKey(TransportKey calldata message) external view returns (bytes32) {
        return _hashTypedDataV4(SignedMessages.hash(message));
    }
}
