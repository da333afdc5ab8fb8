// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IKeeperBonds} from "../../contracts/interfaces/IKeeperBonds.sol";
import {INodeRegistry} from "../../contracts/interfaces/INodeRegistry.sol";
import {IScoreBoard} from "../../contracts/interfaces/IScoreBoard.sol";
import {ISeedSource} from "../../contracts/interfaces/ISeedSource.sol";
import {IStakeVault} from "../../contracts/interfaces/IStakeVault.sol";
import {KeeperBonds} from "../../contracts/KeeperBonds.sol";
import {Lanes} from "../../contracts/libraries/Lanes.sol";
import {WeightTree} from "../../contracts/libraries/WeightTree.sol";
import {Selection} from "../../contracts/Selection.sol";
import {NgpuToken} from "../../contracts/tokens/NgpuToken.sol";
import {Phase, PhaseLengths} from "../../contracts/types/SelectionTypes.sol";

/// @dev The cheats that these tests use.
interface Vm {
    function warp(uint256 timestamp) external;
    function prank(address sender) external;
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

/// @title Everything that a selection asks, answered as a test says.
contract Surroundings {
    uint40 public constant exitDelayS = 1_000;
    mapping(uint32 member => uint128) public activeStakeOf;
    mapping(uint32 member => uint32) public eligiblePowerOf;
    mapping(uint32 member => uint16) private _quality;
    bytes32 private _seed;

    function put(uint32 member, uint128 stakeWei, uint32 powerCu, uint16 qualityBps) external {
        activeStakeOf[member] = stakeWei;
        eligiblePowerOf[member] = powerCu;
        _quality[member] = qualityBps;
    }

    function answer(bytes32 seed) external {
        _seed = seed;
    }

    function declares(uint32, bytes32) external pure returns (bool) {
        return true;
    }

    function minimumStakeOf(uint32) external pure returns (uint128) {
        return 100 ether;
    }

    function factorsOf(uint32 member) external view returns (uint32, uint16) {
        return (eligiblePowerOf[member], _quality[member]);
    }

    function weightOf(uint32) external pure returns (uint32) {
        return 0;
    }

    function request() external pure returns (uint256) {
        return 1;
    }

    function seedOf(uint256) external view returns (bytes32) {
        return _seed;
    }
}

/// @notice INV-11: a draw is a function of snapshot and seed.
contract DrawTest {
    bytes32 private constant POOL = keccak256("model");
    uint32 private constant MEMBERS = 12;

    Surroundings private _world;
    Selection private _selection;

    function setUp() public {
        (_world, _selection) = _deploy();
    }

    function testFuzz_INV11_nothingAfterTheSnapshotChangesADraw(
        uint256 before,
        uint256 afterwards,
        bytes32 seed,
        bytes32 subject,
        uint8 count
    ) public {
        if (seed == 0) return;
        _open(_world, _selection, before, seed);
        uint32[] memory drawn = _selection.draw(POOL, subject, count);
        _change(_world, _selection, afterwards);
        require(_same(drawn, _selection.draw(POOL, subject, count)), "another draw");
    }

    function testFuzz_INV11_equalSnapshotsAndSeedsDrawAlike(uint256 history, bytes32 seed, bytes32 subject) public {
        if (seed == 0) return;
        (Surroundings world, Selection selection) = _deploy();
        _open(_world, _selection, history, seed);
        _open(world, selection, history, seed);
        require(_same(_selection.draw(POOL, subject, 5), selection.draw(POOL, subject, 5)), "they differ");
    }

    function testFuzz_bugClass29_parametersAreFixed(uint256 history, bytes32 seed) public {
        PhaseLengths memory lengths = _selection.lengths();
        _open(_world, _selection, history, seed == 0 ? bytes32(uint256(1)) : seed);
        require(keccak256(abi.encode(lengths)) == keccak256(abi.encode(_selection.lengths())), "they moved");
    }

    function _deploy() private returns (Surroundings world, Selection selection) {
        world = new Surroundings();
        selection = new Selection(
            INodeRegistry(address(world)),
            IStakeVault(address(world)),
            IScoreBoard(address(world)),
            IKeeperBonds(address(world)),
            ISeedSource(address(world)),
            10_000 ether,
            PhaseLengths(300, 30, 60, 60)
        );
    }

    function _open(Surroundings world, Selection selection, uint256 history, bytes32 seed) private {
        _change(world, selection, history);
        vm.warp(block.timestamp + 30);
        selection.advance();
        world.answer(seed);
        selection.advance();
        require(selection.phase() == Phase.Open, "not open");
    }

    function _change(Surroundings world, Selection selection, uint256 entropy) private {
        for (uint32 member = 1; member <= MEMBERS; ++member) {
            uint256 word = uint256(keccak256(abi.encode(entropy, member)));
            uint32 powerCu = word % 3 == 0 ? 0 : uint32(word >> 8) % 20_000;
            world.put(member, uint128(word >> 64) % 20_000 ether, powerCu, uint16(word >> 200) % 10_001);
            selection.refresh(POOL, member);
        }
    }

    function _same(uint32[] memory a, uint32[] memory b) private pure returns (bool) {
        return keccak256(abi.encode(a)) == keccak256(abi.encode(b));
    }
}

/// @title A tree beside the plainest list that could replace it.
contract TreeHandler {
    using Lanes for uint256;
    using WeightTree for WeightTree.Tree;

    uint32 private constant MEMBERS = 600;
    WeightTree.Tree private _tree;
    mapping(uint32 member => uint32) private _weights;
    uint32[] private _known;
    uint256 private _sum;

    function set(uint32 member, uint32 weight) public {
        member = 1 + member % MEMBERS;
        if (_weights[member] == 0 && weight != 0) _known.push(member);
        (, uint32 applied) = _tree.set(member, weight);
        _sum = _sum - _weights[member] + applied;
        _weights[member] = applied;
    }

    function remove(uint256 which) external {
        if (_known.length != 0) set(_known[which % _known.length] - 1, 0);
    }

    /// @dev What must hold for a draw to be proportional: sums, members and places agree.
    function check(uint256 entropy) external view {
        require(_tree.total == _sum, "total is not the sum");
        uint256 root;
        for (uint256 lane; lane < 8 && _tree.depth != 0; ++lane) {
            root += _tree.words[uint256(_tree.depth - 1) << 32].get(lane);
        }
        require(root == _sum, "root is not the sum");
        for (uint256 i; i < 8 && i < _known.length; ++i) {
            uint32 member = _known[uint256(keccak256(abi.encode(entropy, i))) % _known.length];
            require(_tree.weightOf(member) == _weights[member], "a weight is lost");
        }
        if (_sum == 0) return;
        uint256 point = entropy % _sum;
        WeightTree.Hit memory hit = _tree.hitAt(point);
        require(hit.start <= point && point < uint256(hit.start) + hit.weight, "hit does not cover its point");
        require(hit.weight == _weights[hit.member], "hit has another weight");
        require(_tree.hitAt(hit.start).member == hit.member, "start is another's");
        if (hit.start != 0) require(_tree.hitAt(hit.start - 1).member != hit.member, "start is not the first");
    }
}

contract WeightTreeInvariantTest {
    TreeHandler private _handler;

    function setUp() public {
        _handler = new TreeHandler();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    function invariant_everyPointBelongsToAMemberOfItsWeight() public view {
        _handler.check(uint256(keccak256(abi.encode(block.timestamp, gasleft()))));
    }
}

/// @title Keepers, an assignment contract and time, in any order.
/// @dev An act that the contract refuses changes nothing, so it is simply the next one's turn.
contract BondsHandler {
    NgpuToken public immutable token;
    KeeperBonds public immutable bonds;
    address[3] private _keepers = [address(0xA1), address(0xB2), address(0xC3)];
    uint256 public lastExit;

    constructor() {
        token = new NgpuToken(address(this), 1e27);
        bonds = new KeeperBonds(token, 100 ether, 60, 300);
        bonds.fixAssignment(address(this));
        for (uint256 i; i < 3; ++i) {
            token.transfer(_keepers[i], 1e25);
            vm.prank(_keepers[i]);
            token.approve(address(bonds), type(uint256).max);
        }
    }

    function bond(uint256 who, uint96 amountWei) external {
        vm.prank(_keepers[who % 3]);
        try bonds.bond(amountWei % 300 ether) {} catch {}
    }

    function beginExit(uint256 who, uint96 amountWei) external {
        vm.prank(_keepers[who % 3]);
        try bonds.beginExit(amountWei % 300 ether) {
            lastExit = block.timestamp;
        } catch {}
    }

    function withdraw(uint32 who) external {
        try bonds.withdraw(1 + who % 3) {} catch {}
    }

    function withdrawCredit(uint256 who) external {
        try bonds.withdrawCredit(_keepers[who % 3]) {} catch {}
    }

    function lock(uint256 who, uint96 amountWei) external {
        try bonds.lock(_keepers[who % 3], amountWei % 100 ether) {} catch {}
    }

    function slash(uint256 who, uint256 to, uint96 amountWei) external {
        try bonds.slash(_keepers[who % 3], amountWei, _keepers[to % 3]) {} catch {}
    }

    function takeFrom(uint256 who, uint256 to, uint96 amountWei) external {
        try bonds.takeFrom(_keepers[who % 3], amountWei % 50 ether, _keepers[to % 3]) {} catch {}
    }

    function wait_(uint16 s) external {
        vm.warp(block.timestamp + s % 400);
    }

    function check() external view {
        uint256 owedWei;
        for (uint32 i; i < 3; ++i) {
            IKeeperBonds.Keeper memory keeper = bonds.keeper(i + 1);
            require(keeper.exitingWei <= keeper.bondWei, "more leaves than is there");
            require(keeper.unlockAt <= lastExit + 300, "a bond leaves later than its delay");
            owedWei += keeper.bondWei + bonds.creditOf(_keepers[i]);
        }
        require(token.balanceOf(address(bonds)) == owedWei, "tokens are not the liabilities");
        require(token.totalSupply() == 1e27, "supply");
    }
}

contract KeeperBondsInvariantTest {
    BondsHandler private _handler;

    function setUp() public {
        _handler = new BondsHandler();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    /// @notice INV-1, INV-4 and INV-8 for bonds.
    function invariant_INV1_INV4_INV8_bondsAreCoveredAndLeaveByTime() public view {
        _handler.check();
    }
}
