// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAccessManager} from "@openzeppelin/contracts/access/manager/IAccessManager.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {INodeRegistry} from "../interfaces/INodeRegistry.sol";
import {IPaymentVault} from "../interfaces/IPaymentVault.sol";
import {IPriceOracle} from "../interfaces/IPriceOracle.sol";
import {ISessionSettlement} from "../interfaces/ISessionSettlement.sol";
import {IStakeRail} from "../interfaces/IStakeRail.sol";
import {Roles} from "../libraries/Roles.sol";
import {SessionLimits} from "../libraries/SessionLimits.sol";
import {SessionMoney} from "../libraries/SessionMoney.sol";
import {VoucherChain} from "../libraries/VoucherChain.sol";
import {Node} from "../types/NodeTypes.sol";
import {Lane, LaneMoney, LaneState, Session, SessionTerms} from "../types/SessionTypes.sol";

/// @notice What a deployment fixes for ever.
/// @param taskEscrow Verifying contract of the receipts' EIP-712 domain.
/// @param treasury Credited with the fee.
struct SessionParts {
    IAccessManager authority;
    INodeRegistry registry;
    IPaymentVault paymentVault;
    IStakeRail stakeVault;
    IPriceOracle priceOracle;
    address taskEscrow;
    address treasury;
    uint16 feeBps;
    uint40 settleWindow;
}

/// @title What every part of the SessionSettlement stands on: its neighbours, its records and who may do what.
abstract contract SessionBase is ISessionSettlement, EIP712, ReentrancyGuardTransient {
    /// @notice Role of the AccessManager whose members may assign and release.
    uint64 public constant KEEPER_ROLE = Roles.KEEPER;

    IAccessManager public immutable authority;
    INodeRegistry public immutable registry;
    IPaymentVault public immutable paymentVault;
    IStakeRail public immutable stakeVault;
    IPriceOracle public immutable priceOracle;
    address public immutable taskEscrow;
    address public immutable treasury;
    /// @notice Treasury fee of sessions opened here, in basis points of what is paid.
    uint16 public immutable feeBps;
    /// @inheritdoc ISessionSettlement
    uint40 public immutable settleWindow;

    mapping(bytes32 sessionId => Session) internal _sessions;
    mapping(bytes32 sessionId => mapping(uint32 nodeId => Lane)) internal _lanes;

    constructor(SessionParts memory parts) EIP712("NGPU", "1") {
        if (
            address(parts.authority) == address(0) || address(parts.registry) == address(0)
                || address(parts.paymentVault) == address(0) || address(parts.stakeVault) == address(0)
                || address(parts.priceOracle) == address(0) || parts.taskEscrow == address(0)
                || parts.treasury == address(0)
        ) revert SessionZeroAddress();
        if (
            parts.feeBps > SessionLimits.MAX_FEE_BPS || parts.settleWindow < SessionLimits.MIN_SETTLE_WINDOW_S
                || parts.settleWindow > SessionLimits.MAX_SETTLE_WINDOW_S
        ) revert SessionParameterInvalid();
        authority = parts.authority;
        registry = parts.registry;
        paymentVault = parts.paymentVault;
        stakeVault = parts.stakeVault;
        priceOracle = parts.priceOracle;
        taskEscrow = parts.taskEscrow;
        treasury = parts.treasury;
        feeBps = parts.feeBps;
        settleWindow = parts.settleWindow;
    }

    /// @inheritdoc ISessionSettlement
    function session(bytes32 sessionId) external view returns (Session memory) {
        return _sessions[sessionId];
    }

    /// @inheritdoc ISessionSettlement
    function lane(bytes32 sessionId, uint32 nodeId) external view returns (Lane memory) {
        return _lanes[sessionId][nodeId];
    }

    /// @inheritdoc ISessionSettlement
    function owedOf(bytes32 sessionId, uint32 nodeId) external view returns (uint64) {
        return _owed(_sessions[sessionId].terms, _lanes[sessionId][nodeId].money);
    }

    /// @inheritdoc ISessionSettlement
    function sessionIdOf(address payer, bytes32 clientNonce, bytes32 modelId) public view returns (bytes32) {
        return VoucherChain.sessionIdOf(address(this), payer, clientNonce, modelId);
    }

    /// @dev No voucher settles whose sum does not fit 64 bits, so the difference does.
    function _owed(SessionTerms memory terms, LaneMoney memory money) internal pure returns (uint64) {
        return uint64(SessionMoney.due(money.weight, money.powerCu, terms.priceUsd6PerGcums) - money.paidUsd6);
    }

    function _existingLane(bytes32 sessionId, uint32 nodeId) internal view returns (Lane storage stored) {
        stored = _lanes[sessionId][nodeId];
        if (stored.state == LaneState.None) revert SessionLaneWrongState(sessionId, nodeId);
    }

    function _isPayerSide(address payer) internal view returns (bool) {
        return msg.sender == payer || paymentVault.isKeyValid(payer, msg.sender);
    }

    /// @dev A retired operator key may neither end a lane nor claim for it, so only the one of now counts.
    function _isNode(uint32 nodeId) internal view returns (bool) {
        Node memory node = registry.node(nodeId);
        return msg.sender == node.owner || msg.sender == node.operator;
    }

    function _isKeeper() internal view returns (bool isKeeper) {
        (isKeeper,) = authority.hasRole(KEEPER_ROLE, msg.sender);
    }

    /// @dev Whoever may give lanes to nodes and take them away.
    function _checkAssigner(bytes32 sessionId, address payer) internal view {
        if (!_isKeeper() && !_isPayerSide(payer)) revert SessionNotAllowed(sessionId, msg.sender);
    }
}
