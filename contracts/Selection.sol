// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAuditSeeds} from "./interfaces/IAuditSeeds.sol";
import {IKeeperBonds} from "./interfaces/IKeeperBonds.sol";
import {INodeRegistry} from "./interfaces/INodeRegistry.sol";
import {IScoreBoard} from "./interfaces/IScoreBoard.sol";
import {ISeedSource} from "./interfaces/ISeedSource.sol";
import {ISelection} from "./interfaces/ISelection.sol";
import {IStakeVault} from "./interfaces/IStakeVault.sol";
import {Draw} from "./libraries/Draw.sol";
import {NodeWeight} from "./libraries/NodeWeight.sol";
import {WeightTree} from "./libraries/WeightTree.sol";
import {Phase, PhaseLengths} from "./types/SelectionTypes.sol";

/// @title Selection
/// @notice Holds no money and knows no role: whoever calls, only time, stake, scores and the seed source decide.
/// @dev The trees are the snapshot: they change in the update phase alone. The seed source is called without a catch,
///      so nobody can make a request fail by starving it of gas; a source that always fails costs the epoch its seed
///      and the network the time-out, no more.
contract Selection is ISelection, IAuditSeeds {
    using WeightTree for WeightTree.Tree;

    /// @notice Pool of the keepers; every other pool is named by a model.
    bytes32 public constant KEEPER_POOL = bytes32(0);

    struct Change {
        bytes32 pool;
        uint32 member;
    }

    struct Revealed {
        bytes32 seed;
        uint40 askedAt;
    }

    /// @notice Says which nodes may serve, and which models.
    INodeRegistry public immutable registry;
    /// @notice Says what is staked for a node.
    IStakeVault public immutable stakeVault;
    /// @notice Says how fast and how good a node is.
    IScoreBoard public immutable scoreBoard;
    /// @notice Says what a keeper has at stake.
    IKeeperBonds public immutable bonds;
    /// @notice Gives one seed an epoch.
    ISeedSource public immutable seedSource;
    /// @notice Stake in wei of one node that counts; more of it adds nothing.
    uint128 public immutable maxStakeWei;
    /// @inheritdoc ISelection
    uint40 public immutable challengeS;
    uint40 private immutable _openS;
    uint40 private immutable _updateS;
    uint40 private immutable _seedTimeoutS;

    /// @inheritdoc ISelection
    uint40 public epoch;
    /// @inheritdoc ISelection
    uint40 public phaseSince;
    /// @inheritdoc ISelection
    Phase public phase;
    uint40 private _askedAt;
    /// @notice Request whose answer is this epoch's seed; 0 when none was taken.
    uint256 public requestId;
    /// @inheritdoc ISelection
    bytes32 public seed;

    mapping(bytes32 pool => WeightTree.Tree) private _trees;
    mapping(bytes32 pool => mapping(uint32 member => bool)) private _queued;
    Change[] private _queue;
    mapping(uint64 epoch => Revealed) private _revealed;

    constructor(
        INodeRegistry registry_,
        IStakeVault stakeVault_,
        IScoreBoard scoreBoard_,
        IKeeperBonds bonds_,
        ISeedSource seedSource_,
        uint128 maxStakeWei_,
        PhaseLengths memory lengths_
    ) {
        bool complete = address(registry_) != address(0) && address(stakeVault_) != address(0)
            && address(scoreBoard_) != address(0) && address(bonds_) != address(0)
            && address(seedSource_) != address(0) && maxStakeWei_ != 0;
        bool timely = lengths_.challengeS != 0 && lengths_.openS > lengths_.challengeS && lengths_.openS <= 7 days
            && lengths_.updateS != 0 && lengths_.updateS <= 1 days && lengths_.seedTimeoutS != 0
            && lengths_.seedTimeoutS <= 1 days && lengths_.challengeS < bonds_.exitDelayS();
        if (!complete || !timely) revert SelectionParameterInvalid();
        registry = registry_;
        stakeVault = stakeVault_;
        scoreBoard = scoreBoard_;
        bonds = bonds_;
        seedSource = seedSource_;
        maxStakeWei = maxStakeWei_;
        challengeS = lengths_.challengeS;
        _openS = lengths_.openS;
        _updateS = lengths_.updateS;
        _seedTimeoutS = lengths_.seedTimeoutS;
        _enter(Phase.Update);
    }

    /// @inheritdoc ISelection
    function advance() external {
        Phase phase_ = phase;
        if (phase_ == Phase.Open) _leaveOpen();
        else if (phase_ == Phase.Update) _leaveUpdate();
        else _leaveSeeding();
    }

    /// @inheritdoc ISelection
    function openWithoutSeed() external {
        if (phase != Phase.Update) revert SelectionNotUpdating(phase);
        _checkOver(Phase.Update, phaseSince + _updateS + _seedTimeoutS);
        _open(0);
    }

    /// @inheritdoc ISelection
    function refresh(bytes32 pool, uint32 member) external {
        if (phase == Phase.Update) {
            _apply(pool, member);
            return;
        }
        if (_queued[pool][member] || currentWeightOf(pool, member) == _trees[pool].weightOf(member)) return;
        _queued[pool][member] = true;
        _queue.push(Change(pool, member));
        emit WeightQueued(pool, member);
    }

    /// @inheritdoc ISelection
    function applyQueued(uint256 most) external returns (uint256 applied) {
        if (phase != Phase.Update) revert SelectionNotUpdating(phase);
        uint256 length = _queue.length;
        applied = most < length ? most : length;
        for (uint256 i; i < applied; ++i) {
            Change memory change = _queue[--length];
            _queue.pop();
            delete _queued[change.pool][change.member];
            _apply(change.pool, change.member);
        }
    }

    /// @inheritdoc ISelection
    function draw(bytes32 pool, bytes32 subject, uint256 count) external view returns (uint32[] memory) {
        bytes32 seed_ = seed;
        if (phase != Phase.Open || seed_ == 0) revert SelectionNotDrawable(phase, epoch);
        return Draw.distinct(_trees[pool], seed_, subject, count);
    }

    /// @inheritdoc ISelection
    function weightOf(bytes32 pool, uint32 member) external view returns (uint32) {
        return _trees[pool].weightOf(member);
    }

    /// @inheritdoc ISelection
    function totalWeightOf(bytes32 pool) external view returns (uint32) {
        return _trees[pool].total;
    }

    /// @inheritdoc ISelection
    function queueLength() external view returns (uint256) {
        return _queue.length;
    }

    /// @inheritdoc ISelection
    function postableUntil() external view returns (uint40) {
        return phase == Phase.Open && seed != 0 ? phaseSince + _openS - challengeS : 0;
    }

    /// @inheritdoc IAuditSeeds
    function seedOf(uint64 epoch_) external view returns (bytes32, uint40) {
        Revealed storage revealed = _revealed[epoch_];
        return (revealed.seed, revealed.askedAt);
    }

    /// @inheritdoc ISelection
    function lengths() external view returns (PhaseLengths memory) {
        return PhaseLengths(_openS, _updateS, _seedTimeoutS, challengeS);
    }

    /// @inheritdoc ISelection
    function currentWeightOf(bytes32 pool, uint32 member) public view returns (uint32) {
        return pool == KEEPER_POOL ? bonds.weightOf(member) : _nodeWeightOf(pool, member);
    }

    /// @dev A node that nobody has measured lately counts with its class's minimum of power and of stake: what it
    ///      stakes beyond that weighs only once keepers have seen what it can do.
    function _nodeWeightOf(bytes32 modelId, uint32 nodeId) private view returns (uint32) {
        if (!registry.declares(nodeId, modelId)) return 0;
        uint32 powerCu = registry.eligiblePowerOf(nodeId);
        if (powerCu == 0) return 0;
        (uint32 scoreCu, uint16 qualityBps) = scoreBoard.factorsOf(nodeId);
        uint128 stakeWei = stakeVault.activeStakeOf(nodeId);
        uint128 mostWei = scoreCu == 0 ? registry.minimumStakeOf(nodeId) : maxStakeWei;
        return NodeWeight.weightOf(stakeWei < mostWei ? stakeWei : mostWei, powerCu, qualityBps);
    }

    function _apply(bytes32 pool, uint32 member) private {
        WeightTree.Tree storage tree = _trees[pool];
        uint32 former = tree.weightOf(member);
        (uint32 position, uint32 weight) = tree.set(member, currentWeightOf(pool, member));
        if (weight != former) emit WeightChanged(pool, member, position, former, weight);
    }

    function _leaveOpen() private {
        if (seed == 0) {
            bytes32 late = _answer();
            if (late != 0) {
                seed = late;
                _revealed[epoch] = Revealed(late, _askedAt);
                emit EpochSeeded(epoch, late);
                return;
            }
        }
        _checkOver(Phase.Open, phaseSince + _openS);
        seed = 0;
        requestId = 0;
        _enter(Phase.Update);
        emit UpdateBegun(epoch);
    }

    /// @dev The phase changes before the source is called: it cannot come back into a tree that still changes.
    function _leaveUpdate() private {
        _checkOver(Phase.Update, phaseSince + _updateS);
        _enter(Phase.Seeding);
        uint256 requestId_ = seedSource.request();
        requestId = requestId_;
        _askedAt = uint40(block.timestamp);
        emit SeedAwaited(epoch + 1, requestId_);
    }

    function _leaveSeeding() private {
        bytes32 answer = _answer();
        if (answer == 0) _checkOver(Phase.Seeding, phaseSince + _seedTimeoutS);
        _open(answer);
    }

    function _open(bytes32 seed_) private {
        uint40 opened = ++epoch;
        seed = seed_;
        _revealed[opened] = Revealed(seed_, seed_ == 0 ? _revealed[opened - 1].askedAt : _askedAt);
        _enter(Phase.Open);
        emit EpochOpened(opened, seed_);
    }

    function _enter(Phase phase_) private {
        phase = phase_;
        phaseSince = uint40(block.timestamp);
    }

    function _answer() private view returns (bytes32) {
        uint256 requestId_ = requestId;
        return requestId_ == 0 ? bytes32(0) : seedSource.seedOf(requestId_);
    }

    function _checkOver(Phase phase_, uint40 until) private view {
        if (block.timestamp < until) revert SelectionPhaseNotOver(phase_, until);
    }
}
