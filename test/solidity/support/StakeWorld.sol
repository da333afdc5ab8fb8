// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessManager} from "@openzeppelin/contracts/access/manager/AccessManager.sol";
import {NodeRegistry} from "../../../contracts/NodeRegistry.sol";
import {StakeVault} from "../../../contracts/StakeVault.sol";
import {SignedMessages} from "../../../contracts/libraries/SignedMessages.sol";
import {NgpuToken} from "../../../contracts/tokens/NgpuToken.sol";
import {OperatorBinding} from "../../../contracts/types/MessageTypes.sol";
import {NodeClass} from "../../../contracts/types/NodeTypes.sol";
import {StakeTerms} from "../../../contracts/types/StakeTypes.sol";
import {VM} from "./Vm.sol";

/// @title A stake vault with the real registry, access manager and token around it, and three nodes of one owner.
/// @dev Whoever inherits it is the deployer: admin of the access manager and holder of the token supply.
abstract contract StakeWorld {
    uint256 internal constant SUPPLY_WEI = 1_000_000_000 ether;
    uint40 internal constant THAW_S = 300;
    uint40 internal constant DISPUTE_S = 60;
    uint40 internal constant APPEAL_S = 60;
    uint128 internal constant MINIMUM_BUCKET_WEI = 1_000 ether;
    uint32 internal constant NODES = 3;

    address internal immutable OWNER = address(uint160(uint256(keccak256("owner"))));
    address internal immutable STRANGER = address(uint160(uint256(keccak256("stranger"))));
    address internal immutable RAIL = address(uint160(uint256(keccak256("rail"))));
    address internal immutable APPEAL = address(uint160(uint256(keccak256("appeal"))));
    address internal immutable HARMED = address(uint160(uint256(keccak256("harmed"))));
    address internal immutable FINDER = address(uint160(uint256(keccak256("finder"))));

    AccessManager internal manager;
    NodeRegistry internal registry;
    NgpuToken internal token;
    StakeVault internal vault;
    address[2] internal slashers;

    constructor() {
        VM.warp(1_800_000_000);
        manager = new AccessManager(address(this));
        registry = new NodeRegistry(address(manager));
        token = new NgpuToken(address(this), SUPPLY_WEI);
        vault = new StakeVault(
            token, registry, manager, StakeTerms(THAW_S, DISPUTE_S, APPEAL_S, MINIMUM_BUCKET_WEI)
        );
        registry.fixStakeVault(address(vault));
        registry.setNodeClass(0, "cpu", NodeClass(1_000, 100 ether, true));
        address[] memory rails = new address[](1);
        rails[0] = RAIL;
        vault.fixRails(rails);
        for (uint256 i = 0; i < slashers.length; ++i) {
            slashers[i] = address(uint160(uint256(keccak256(abi.encode("slasher", i)))));
            manager.grantRole(vault.SLASHER_ROLE(), slashers[i], 0);
        }
        manager.grantRole(vault.APPEAL_ROLE(), APPEAL, 0);
        for (uint256 i = 1; i <= NODES; ++i) {
            _register(uint256(keccak256(abi.encode("operator", i))));
        }
        VM.prank(OWNER);
        token.approve(address(vault), type(uint256).max);
    }

    function _register(uint256 operatorKey) private {
        address operator = VM.addr(operatorKey);
        bytes32 binding = SignedMessages.hash(OperatorBinding(OWNER, operator, type(uint64).max));
        (uint8 v, bytes32 r, bytes32 s) =
            VM.sign(operatorKey, keccak256(abi.encodePacked("\x19\x01", _domain(), binding)));
        VM.prank(OWNER);
        registry.register(operator, OWNER, 0, type(uint64).max, abi.encodePacked(r, s, v));
    }

    function _domain() private view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("NGPU"),
                keccak256("1"),
                block.chainid,
                address(registry)
            )
        );
    }
}
