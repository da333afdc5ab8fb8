// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessManaged} from "@openzeppelin/contracts/access/manager/AccessManaged.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {INodeRegistry} from "./interfaces/INodeRegistry.sol";
import {IScoreBoard} from "./interfaces/IScoreBoard.sol";
import {IStakeVault} from "./interfaces/IStakeVault.sol";
import {SignedMessages} from "./libraries/SignedMessages.sol";
import {OperatorBinding} from "./types/MessageTypes.sol";
import {Node, NodeClass, NodeState} from "./types/NodeTypes.sol";

/// @title NodeRegistry
/// @notice Holds no money. The policy role can add and change classes, those who prove faults can suspend a node for a
///         while; neither can touch a node's keys or payout.
/// @dev The registry needs the vault (eligibility) and the vault needs the registry (owners), so the deployer names
///      the vault once, after both exist; until then no node is eligible. The same goes for the score board; until it
///      is named every node has its class's minimum power.
contract NodeRegistry is INodeRegistry, AccessManaged, EIP712 {
    /// @notice The stake vault is final.
    event StakeVaultFixed(address stakeVault);

    /// @notice The score board is final.
    event ScoreBoardFixed(address scoreBoard);

    /// @notice The stake vault was fixed before, is zero, or the caller may not fix it.
    error RegistryStakeVaultFixed();
    /// @notice The score board was fixed before, is zero, or the caller may not fix it.
    error RegistryScoreBoardFixed();

    /// @notice Models that a node may declare at a time.
    uint8 public constant MAX_MODELS = 32;
    /// @notice Longest suspension from now, in seconds.
    uint40 public constant MAX_SUSPENSION_S = 7 days;

    /// @notice Where nodes' stake is read from; zero until fixed.
    IStakeVault public stakeVault;
    /// @notice Who notes nodes' measured power; zero until fixed.
    IScoreBoard public scoreBoard;
    /// @inheritdoc INodeRegistry
    uint32 public nodeCount;

    /// @dev A node as it is kept: all that an assignment asks of it is in the first slot.
    /// @param scoreCu Power that the score board noted last, which counts until `scoreUntil`.
    struct Record {
        uint40 registeredAt;
        uint8 classId;
        bool draining;
        uint40 suspendedUntil;
        uint32 scoreCu;
        uint40 scoreUntil;
        address owner;
        address operator;
        address payout;
    }

    address private immutable _deployer;
    mapping(uint32 nodeId => Record) private _nodes;
    mapping(uint8 classId => NodeClass) private _classes;
    mapping(address operator => uint32 nodeId) private _nodeOfOperator;
    mapping(uint32 nodeId => mapping(bytes32 modelId => bool)) private _declares;
    mapping(uint32 nodeId => uint8) private _modelCount;

    constructor(address authority_) AccessManaged(authority_) EIP712("NGPU", "1") {
        _deployer = msg.sender;
    }

    modifier onlyNodeOwner(uint32 nodeId) {
        if (_existing(nodeId).owner != msg.sender) revert NodeNotOwner(nodeId, msg.sender);
        _;
    }

    modifier onlyOwnerOrOperator(uint32 nodeId) {
        Record storage stored = _existing(nodeId);
        if (msg.sender != stored.owner && msg.sender != stored.operator) revert NodeNotOwner(nodeId, msg.sender);
        _;
    }

    /// @notice Name the stake vault. Requirement: caller is the deployer; once.
    function fixStakeVault(address stakeVault_) external {
        if (msg.sender != _deployer || address(stakeVault) != address(0) || stakeVault_ == address(0)) {
            revert RegistryStakeVaultFixed();
        }
        stakeVault = IStakeVault(stakeVault_);
        emit StakeVaultFixed(stakeVault_);
    }

    /// @notice Name the score board. Requirement: caller is the deployer; once.
    function fixScoreBoard(address scoreBoard_) external {
        if (msg.sender != _deployer || address(scoreBoard) != address(0) || scoreBoard_ == address(0)) {
            revert RegistryScoreBoardFixed();
        }
        scoreBoard = IScoreBoard(scoreBoard_);
        emit ScoreBoardFixed(scoreBoard_);
    }

    /// @inheritdoc INodeRegistry
    function register(address operator, address payout, uint8 classId, uint64 expiry, bytes calldata signature)
        external
        returns (uint32 nodeId)
    {
        if (payout == address(0)) revert NodeZeroAddress();
        if (!_classes[classId].enabled) revert NodeClassUnavailable(classId);

        nodeId = ++nodeCount;
        _bindOperator(nodeId, operator, expiry, signature);
        Record storage stored = _nodes[nodeId];
        (stored.registeredAt, stored.classId) = (uint40(block.timestamp), classId);
        (stored.owner, stored.operator, stored.payout) = (msg.sender, operator, payout);
        emit NodeRegistered(nodeId, msg.sender, operator, payout, classId, _classes[classId].minimumPowerCu);
    }

    /// @inheritdoc INodeRegistry
    function rotateOperator(uint32 nodeId, address operator, uint64 expiry, bytes calldata signature)
        external
        onlyNodeOwner(nodeId)
    {
        address former = _nodes[nodeId].operator;
        _bindOperator(nodeId, operator, expiry, signature);
        _nodes[nodeId].operator = operator;
        emit OperatorRotated(nodeId, former, operator);
    }

    /// @inheritdoc INodeRegistry
    function setPayout(uint32 nodeId, address payout) external onlyNodeOwner(nodeId) {
        if (payout == address(0)) revert NodeZeroAddress();
        _nodes[nodeId].payout = payout;
        emit PayoutChanged(nodeId, payout);
    }

    /// @inheritdoc INodeRegistry
    function setDraining(uint32 nodeId, bool draining) external onlyOwnerOrOperator(nodeId) {
        _nodes[nodeId].draining = draining;
        emit DrainingChanged(nodeId, draining);
    }

    /// @inheritdoc INodeRegistry
    function declareModel(uint32 nodeId, bytes32 modelId, bool serves) external onlyOwnerOrOperator(nodeId) {
        if (modelId == 0) revert NodeModelInvalid(nodeId);
        if (_declares[nodeId][modelId] == serves) return;
        uint8 count = _modelCount[nodeId];
        if (serves && count == MAX_MODELS) revert NodeTooManyModels(nodeId, MAX_MODELS);
        _modelCount[nodeId] = serves ? count + 1 : count - 1;
        _declares[nodeId][modelId] = serves;
        emit ModelDeclared(nodeId, modelId, serves);
    }

    /// @inheritdoc INodeRegistry
    function suspend(uint32 nodeId, uint40 until) external restricted {
        Record storage stored = _existing(nodeId);
        uint40 latest = uint40(block.timestamp) + MAX_SUSPENSION_S;
        if (until > latest) until = latest;
        stored.suspendedUntil = until;
        emit NodeSuspended(nodeId, until);
    }

    /// @inheritdoc INodeRegistry
    function setNodeClass(uint8 classId, string calldata name, NodeClass calldata nodeClass_) external restricted {
        if (nodeClass_.minimumPowerCu == 0 || nodeClass_.minimumStakeWei == 0) revert NodeClassInvalid(classId);
        _classes[classId] = nodeClass_;
        emit NodeClassChanged(
            classId, name, nodeClass_.minimumPowerCu, nodeClass_.minimumStakeWei, nodeClass_.enabled
        );
    }

    /// @inheritdoc INodeRegistry
    function noteScore(uint32 nodeId, uint32 scoreCu, uint40 until) external {
        if (msg.sender != address(scoreBoard)) revert NodeNotScoreBoard(msg.sender);
        Record storage stored = _existing(nodeId);
        (stored.scoreCu, stored.scoreUntil) = (scoreCu, until);
    }

    /// @inheritdoc INodeRegistry
    function node(uint32 nodeId) external view returns (Node memory) {
        Record storage stored = _existing(nodeId);
        return Node({
            owner: stored.owner,
            registeredAt: stored.registeredAt,
            classId: stored.classId,
            draining: stored.draining,
            suspendedUntil: stored.suspendedUntil,
            operator: stored.operator,
            payout: stored.payout
        });
    }

    /// @inheritdoc INodeRegistry
    function nodeClass(uint8 classId) external view returns (NodeClass memory) {
        return _classes[classId];
    }

    /// @inheritdoc INodeRegistry
    function nodeOfOperator(address operator) external view returns (uint32) {
        return _nodeOfOperator[operator];
    }

    /// @inheritdoc INodeRegistry
    function signerOf(address operator) external view returns (uint32 nodeId, address payout) {
        nodeId = _nodeOfOperator[operator];
        payout = _nodes[nodeId].payout;
    }

    /// @inheritdoc INodeRegistry
    function stateOf(uint32 nodeId) external view returns (NodeState) {
        Record storage stored = _existing(nodeId);
        return _stateOf(stored, _activeStakeOf(nodeId), _classes[stored.classId].minimumStakeWei);
    }

    /// @inheritdoc INodeRegistry
    function declares(uint32 nodeId, bytes32 modelId) external view returns (bool) {
        return _declares[nodeId][modelId];
    }

    /// @inheritdoc INodeRegistry
    function minimumStakeOf(uint32 nodeId) external view returns (uint128) {
        return _classes[_existing(nodeId).classId].minimumStakeWei;
    }

    /// @inheritdoc INodeRegistry
    function powerOf(uint32 nodeId) external view returns (uint32) {
        Record storage stored = _existing(nodeId);
        return _powerOf(stored, _classes[stored.classId].minimumPowerCu);
    }

    /// @inheritdoc INodeRegistry
    function payoutOf(uint32 nodeId) external view returns (address payout) {
        payout = _nodes[nodeId].payout;
        if (payout == address(0)) revert NodeUnknown(nodeId);
    }

    /// @inheritdoc INodeRegistry
    function isEligible(uint32 nodeId) external view returns (bool) {
        return eligiblePowerOf(nodeId) != 0;
    }

    /// @inheritdoc INodeRegistry
    function eligiblePowerOf(uint32 nodeId) public view returns (uint32 powerCu) {
        (powerCu,) = eligibilityOf(nodeId);
    }

    /// @inheritdoc INodeRegistry
    function eligibilityOf(uint32 nodeId) public view returns (uint32 powerCu, uint128 activeStakeWei) {
        Record storage stored = _nodes[nodeId];
        if (stored.registeredAt == 0) return (0, 0);
        NodeClass storage class = _classes[stored.classId];
        activeStakeWei = _activeStakeOf(nodeId);
        if (_stateOf(stored, activeStakeWei, class.minimumStakeWei) != NodeState.Active) return (0, activeStakeWei);
        powerCu = _powerOf(stored, class.minimumPowerCu);
    }

    /// @dev Zero while there is no vault, which is below every class's minimum.
    function _activeStakeOf(uint32 nodeId) private view returns (uint128) {
        IStakeVault vault = stakeVault;
        return address(vault) == address(0) ? 0 : vault.activeStakeOf(nodeId);
    }

    function _stateOf(Record storage stored, uint128 activeStakeWei, uint128 minimumStakeWei)
        private
        view
        returns (NodeState)
    {
        if (activeStakeWei < minimumStakeWei) return NodeState.Exiting;
        if (stored.suspendedUntil > block.timestamp) return NodeState.Suspended;
        return stored.draining ? NodeState.Draining : NodeState.Active;
    }

    function _powerOf(Record storage stored, uint32 minimumPowerCu) private view returns (uint32) {
        return block.timestamp < stored.scoreUntil ? stored.scoreCu : minimumPowerCu;
    }

    /// @dev Checks the operator's consent to serve the caller and binds it to the node for ever.
    function _bindOperator(uint32 nodeId, address operator, uint64 expiry, bytes calldata signature) private {
        if (operator == address(0)) revert NodeZeroAddress();
        if (_nodeOfOperator[operator] != 0) revert OperatorTaken(operator, _nodeOfOperator[operator]);

        bytes32 binding = SignedMessages.hash(OperatorBinding(msg.sender, operator, expiry));
        (address signer, ECDSA.RecoverError error_,) =
            ECDSA.tryRecoverCalldata(_hashTypedDataV4(binding), signature);
        if (error_ != ECDSA.RecoverError.NoError || signer != operator || block.timestamp > expiry) {
            revert OperatorBindingInvalid(operator, msg.sender);
        }
        _nodeOfOperator[operator] = nodeId;
    }

    function _existing(uint32 nodeId) private view returns (Record storage stored) {
        stored = _nodes[nodeId];
        if (stored.registeredAt == 0) revert NodeUnknown(nodeId);
    }
}
