// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessManager} from "@openzeppelin/contracts/access/manager/AccessManager.sol";
import {AggregatorV3Interface} from "@chainlink/contracts/src/v0.8/shared/interfaces/AggregatorV3Interface.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {NodeRegistry} from "../../../contracts/NodeRegistry.sol";
import {PaymentVault} from "../../../contracts/PaymentVault.sol";
import {PriceOracle} from "../../../contracts/PriceOracle.sol";
import {SessionSettlement} from "../../../contracts/SessionSettlement.sol";
import {SignedMessages} from "../../../contracts/libraries/SignedMessages.sol";
import {FeeLockVault} from "../../../contracts/mocks/FeeLockVault.sol";
import {HostileToken} from "../../../contracts/mocks/HostileToken.sol";
import {ScriptedFeed} from "../../../contracts/mocks/ScriptedFeed.sol";
import {SessionParts} from "../../../contracts/session/SessionBase.sol";
import {OperatorBinding} from "../../../contracts/types/MessageTypes.sol";
import {NodeClass} from "../../../contracts/types/NodeTypes.sol";
import {VM} from "./Vm.sol";

/// @title The session rail on a hostile token, with three payers, four nodes, a keeper and a stranger.
abstract contract SessionStage {
    uint40 internal constant WINDOW_S = 60;
    uint256 internal constant PAYERS = 3;
    uint32 internal constant NODES = 4;
    uint64 internal constant START_USD6 = 1_000_000_000;
    /// @dev Stands for TaskEscrow: only its address counts here, as the receipts' domain.
    address internal constant ESCROW = address(0xE5C);
    address internal constant TREASURY = address(0x7EA);
    address internal constant KEEPER = address(0x4EE);
    address internal constant STRANGER = address(0x574);
    address internal constant BURNED = 0x000000000000000000000000000000000000dEaD;
    uint256 internal constant SIGNER = 0x51;
    uint256 internal constant SECOND_SIGNER = 0x52;

    AccessManager internal immutable _authority;
    NodeRegistry internal immutable _registry;
    PriceOracle internal immutable _oracle;
    ScriptedFeed internal immutable _feed;
    FeeLockVault internal immutable _stakes;
    HostileToken public immutable token;
    PaymentVault public immutable vault;
    SessionSettlement public immutable settlement;

    constructor() {
        VM.warp(1_800_000_000);
        _authority = new AccessManager(address(this));
        _registry = new NodeRegistry(address(_authority));
        _stakes = new FeeLockVault(WINDOW_S);
        _registry.fixStakeVault(address(_stakes));
        _feed = new ScriptedFeed(8);
        answer(50_000_000);
        _oracle = new PriceOracle(
            address(_authority),
            AggregatorV3Interface(address(_feed)),
            3_600,
            10_000,
            1e12,
            1_000,
            10_000_000,
            100_000,
            AggregatorV3Interface(address(0)),
            0,
            7_200
        );
        token = new HostileToken(address(this), START_USD6 * (PAYERS + 1));
        vault = new PaymentVault(token, WINDOW_S, WINDOW_S);
        settlement = new SessionSettlement(
            SessionParts({
                authority: _authority,
                registry: _registry,
                paymentVault: vault,
                stakeVault: _stakes,
                priceOracle: _oracle,
                taskEscrow: ESCROW,
                treasury: TREASURY,
                feeBps: 100,
                settleWindow: WINDOW_S
            })
        );
        address[] memory rails = new address[](2);
        (rails[0], rails[1]) = (address(settlement), address(this));
        vault.fixRails(rails);
        _stakes.setRail(address(settlement));
        _authority.grantRole(1, KEEPER, 0);
        _registry.setNodeClass(0, "any", NodeClass({minimumPowerCu: 1_000, minimumStakeWei: 1, enabled: true}));
        for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) _register(nodeId);
        for (uint256 i = 0; i < PAYERS; ++i) {
            token.transfer(payerAt(i), START_USD6);
            VM.prank(payerAt(i));
            token.approve(address(vault), type(uint256).max);
            VM.prank(payerAt(i));
            vault.authorizeKey(keyAt(i), 100_000_000, type(uint40).max);
        }
    }

    function payerAt(uint256 index) public pure returns (address) {
        return address(uint160(0xA000 + (index % PAYERS)));
    }

    function keyAt(uint256 index) public pure returns (address) {
        return address(uint160(0xB000 + (index % PAYERS)));
    }

    function ownerAt(uint32 nodeId) public pure returns (address) {
        return address(uint160(0xC000 + nodeId));
    }

    function payoutAt(uint32 nodeId) public pure returns (address) {
        return address(uint160(0xD000 + nodeId));
    }

    /// @notice A fresh answer of the price feed.
    function answer(int256 value) internal {
        _feed.script(1, value, block.timestamp, 1);
    }

    function _operatorKey(uint32 nodeId) internal pure returns (uint256) {
        return 0x7000 + uint256(nodeId);
    }

    function _sign(uint256 key, address verifier, bytes32 structHash) internal view returns (bytes memory) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("NGPU"),
                keccak256("1"),
                block.chainid,
                verifier
            )
        );
        (uint8 v, bytes32 r, bytes32 s) = VM.sign(key, MessageHashUtils.toTypedDataHash(domain, structHash));
        return abi.encodePacked(r, s, v);
    }

    function _register(uint32 nodeId) private {
        address operator = VM.addr(_operatorKey(nodeId));
        OperatorBinding memory binding = OperatorBinding(ownerAt(nodeId), operator, type(uint64).max);
        bytes memory signature = _sign(
            _operatorKey(nodeId),
            address(_registry),
            keccak256(abi.encode(SignedMessages.OPERATOR_BINDING_TYPEHASH, binding))
        );
        VM.prank(ownerAt(nodeId));
        _registry.register(operator, payoutAt(nodeId), 0, type(uint64).max, signature);
        _stakes.setStake(nodeId, 1e24);
    }
}
