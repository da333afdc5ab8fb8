// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {VRFConsumerBaseV2Plus} from "@chainlink/contracts/src/v0.8/vrf/dev/VRFConsumerBaseV2Plus.sol";
import {VRFV2PlusClient} from "@chainlink/contracts/src/v0.8/vrf/dev/libraries/VRFV2PlusClient.sol";
import {ISeedSource} from "../interfaces/ISeedSource.sol";
import {SeedRequester} from "./SeedRequester.sol";

/// @title Seeds of Chainlink VRF v2.5.
/// @notice The answer is matched by its request id, the first one stays, nothing can be asked again or taken back, and
///         nothing between request and answer goes into it.
/// @dev Chainlink's base contract has an owner of its own, who may move it to another coordinator; it should be the
///      delayed admin. That is why the consumer stands alone and holds nothing.
contract VrfSeedSource is SeedRequester, VRFConsumerBaseV2Plus {
    /// @notice A seed arrived.
    event SeedAnswered(uint256 indexed requestId, bytes32 seed);

    /// @notice What a request to the coordinator says, fixed at deployment.
    /// @param keyHash Which oracle key answers, and its gas lane.
    /// @param subscriptionId Who pays; this contract must be one of its consumers.
    /// @param requestConfirmations Blocks that the oracle waits.
    /// @param callbackGasLimit Gas of the answer; `fulfillRandomWords` needs less than 60,000.
    /// @param nativePayment True: paid in the chain's own coin, else in LINK.
    struct VrfOptions {
        bytes32 keyHash;
        uint256 subscriptionId;
        uint16 requestConfirmations;
        uint32 callbackGasLimit;
        bool nativePayment;
    }

    bytes32 private immutable _keyHash;
    uint256 private immutable _subscriptionId;
    uint16 private immutable _requestConfirmations;
    uint32 private immutable _callbackGasLimit;
    bool private immutable _nativePayment;

    mapping(uint256 requestId => bool) private _asked;
    mapping(uint256 requestId => bytes32) private _seeds;

    constructor(address coordinator, VrfOptions memory options) VRFConsumerBaseV2Plus(coordinator) {
        _keyHash = options.keyHash;
        _subscriptionId = options.subscriptionId;
        _requestConfirmations = options.requestConfirmations;
        _callbackGasLimit = options.callbackGasLimit;
        _nativePayment = options.nativePayment;
    }

    /// @inheritdoc ISeedSource
    function request() external onlyRequester returns (uint256 requestId) {
        requestId = s_vrfCoordinator.requestRandomWords(
            VRFV2PlusClient.RandomWordsRequest({
                keyHash: _keyHash,
                subId: _subscriptionId,
                requestConfirmations: _requestConfirmations,
                callbackGasLimit: _callbackGasLimit,
                numWords: 1,
                extraArgs: VRFV2PlusClient._argsToBytes(VRFV2PlusClient.ExtraArgsV1(_nativePayment))
            })
        );
        _asked[requestId] = true;
        emit SeedRequested(requestId);
    }

    /// @inheritdoc ISeedSource
    function seedOf(uint256 requestId) external view returns (bytes32) {
        return _seeds[requestId];
    }

    /// @dev Never reverts: an answer that was not asked for, or a second one, changes nothing.
    function fulfillRandomWords(uint256 requestId, uint256[] calldata randomWords) internal override {
        if (!_asked[requestId] || _seeds[requestId] != 0 || randomWords.length == 0) return;
        bytes32 seed = keccak256(abi.encode(requestId, randomWords[0]));
        _seeds[requestId] = seed;
        emit SeedAnswered(requestId, seed);
    }
}
