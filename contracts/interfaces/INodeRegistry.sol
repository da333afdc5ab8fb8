// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Node, NodeClass, NodeState} from "../types/NodeTypes.sol";

/// @title Who serves: identity, keys and hardware class of every node.
/// @notice A node never writes its own power: `powerOf` is its class's minimum until keepers have measured it, and
///         while their measurement is old.
///         An operator address belongs to one node for ever, so a retired key still verifies what it signed.
interface INodeRegistry {
    /// @notice A node was registered under a new id.
    event NodeRegistered(
        uint32 indexed nodeId, address indexed owner, address indexed operator, address payout, uint8 classId, uint32 powerCu
    );
    /// @notice The hot key changed; the former one stays liable for what it signed.
    event OperatorRotated(uint32 indexed nodeId, address indexed oldOperator, address indexed newOperator);
    /// @notice Earnings of tasks settled from now on go to `payout`.
    event PayoutChanged(uint32 indexed nodeId, address payout);
    /// @notice The owner or operator paused (or resumed) new assignments.
    event DrainingChanged(uint32 indexed nodeId, bool draining);
    /// @notice A class was added or changed; tasks already assigned keep the power they froze.
    event NodeClassChanged(uint8 indexed classId, string name, uint32 minimumPowerCu, uint128 minimumStakeWei, bool enabled);
    /// @notice A fault keeps the node out of new tasks until `until`; a time that is past lets it back in.
    event NodeSuspended(uint32 indexed nodeId, uint40 until);
    /// @notice The node says that it serves a model, or no longer does.
    event ModelDeclared(uint32 indexed nodeId, bytes32 indexed modelId, bool serves);

    /// @notice No node has this id.
    error NodeUnknown(uint32 nodeId);
    /// @notice The class does not exist or takes no new nodes.
    error NodeClassUnavailable(uint8 classId);
    /// @notice Only the node's owner may do this.
    error NodeNotOwner(uint32 nodeId, address caller);
    /// @notice This operator key is, or once was, bound to a node.
    error OperatorTaken(address operator, uint32 nodeId);
    /// @notice The operator did not sign this binding, or it has expired.
    error OperatorBindingInvalid(address operator, address owner);
    /// @notice An address that must not be zero is zero.
    error NodeZeroAddress();
    /// @notice A class needs a power and a stake above zero.
    error NodeClassInvalid(uint8 classId);
    /// @notice The node declares as many models as it may.
    error NodeTooManyModels(uint32 nodeId, uint8 maximum);
    /// @notice Only the score board may say what a node measures.
    error NodeNotScoreBoard(address caller);
    /// @notice No model has the id zero.
    error NodeModelInvalid(uint32 nodeId);

    /// @notice Register a machine.
    /// @dev Effects: creates node `nodeId` owned by the caller. Requirements: class enabled; `operator` never bound
    ///      before; `signature` is the operator's EIP-712 OperatorBinding(owner = caller, operator, expiry).
    /// @param operator Hot key of the machine.
    /// @param payout Address credited with earnings.
    /// @param classId Hardware class.
    /// @param expiry Unix seconds until which the binding may be used.
    /// @param signature The operator's consent.
    /// @return nodeId New id, from 1.
    function register(address operator, address payout, uint8 classId, uint64 expiry, bytes calldata signature)
        external
        returns (uint32 nodeId);

    /// @notice Replace the hot key. Requirements: caller is owner; the new operator consents as in `register`.
    function rotateOperator(uint32 nodeId, address operator, uint64 expiry, bytes calldata signature) external;

    /// @notice Change where future earnings are credited. Requirement: caller is owner.
    function setPayout(uint32 nodeId, address payout) external;

    /// @notice Stop (or resume) receiving assignments. Requirement: caller is owner or operator.
    function setDraining(uint32 nodeId, bool draining) external;

    /// @notice Add or change a hardware class. Requirement: policy role.
    function setNodeClass(uint8 classId, string calldata name, NodeClass calldata nodeClass) external;

    /// @notice Say that the node serves a model, or no longer does. Saying it twice changes nothing.
    /// @dev Requirements: caller is owner or operator; at most MAX_MODELS at a time. A draw takes note from the next
    ///      epoch on (ISelection).
    function declareModel(uint32 nodeId, bytes32 modelId, bool serves) external;

    /// @notice Keep a node out of new tasks until `until`, or let it back in by a time that is past.
    /// @dev Effects: nothing that the node works on, earned or staked is touched. A time beyond MAX_SUSPENSION_S from
    ///      now is shortened to that, so no suspension lasts by itself. Requirement: role of those who prove faults.
    function suspend(uint32 nodeId, uint40 until) external;

    /// @notice The node's power is `scoreCu` until `until`. Requirement: caller is the score board.
    function noteScore(uint32 nodeId, uint32 scoreCu, uint40 until) external;

    /// @notice The node's record. Reverts NodeUnknown.
    function node(uint32 nodeId) external view returns (Node memory);

    /// @notice A class's parameters.
    function nodeClass(uint8 classId) external view returns (NodeClass memory);

    /// @notice Number of nodes ever registered; ids are 1 … nodeCount.
    function nodeCount() external view returns (uint32);

    /// @notice Node that `operator` signs, or signed, for; 0 if none ever.
    function nodeOfOperator(address operator) external view returns (uint32);

    /// @notice `nodeOfOperator`, and where that node's earnings are credited now: both questions of a signature in one
    ///         call.
    function signerOf(address operator) external view returns (uint32 nodeId, address payout);

    /// @notice What the node may do now. Reverts NodeUnknown.
    function stateOf(uint32 nodeId) external view returns (NodeState);

    /// @notice True while the node declares that it serves the model.
    function declares(uint32 nodeId, bytes32 modelId) external view returns (bool);

    /// @notice Stake in wei that the node's class demands. Reverts NodeUnknown.
    function minimumStakeOf(uint32 nodeId) external view returns (uint128);

    /// @notice Power in CU used for the next assignment of this node: its score, or its class's minimum.
    function powerOf(uint32 nodeId) external view returns (uint32);

    /// @notice Where the node's earnings are credited now. Reverts NodeUnknown.
    function payoutOf(uint32 nodeId) external view returns (address);

    /// @notice `powerOf` if the node `isEligible`, else 0: both questions of an assignment in one call.
    function eligiblePowerOf(uint32 nodeId) external view returns (uint32);

    /// @notice `eligiblePowerOf`, and the node's active stake in wei, which is also told of a node that may not serve.
    function eligibilityOf(uint32 nodeId) external view returns (uint32 powerCu, uint128 activeStakeWei);

    /// @notice True when the node may be assigned: staked to its class's minimum, not exiting below it, not draining
    ///         and not suspended.
    function isEligible(uint32 nodeId) external view returns (bool);
}
