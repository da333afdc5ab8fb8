// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAccessManager} from "@openzeppelin/contracts/access/manager/IAccessManager.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IBurnable} from "./interfaces/IBurnable.sol";
import {INodeRegistry} from "./interfaces/INodeRegistry.sol";
import {IStakeVault} from "./interfaces/IStakeVault.sol";
import {FeeLocks} from "./libraries/FeeLocks.sol";
import {Roles} from "./libraries/Roles.sol";
import {SlashBucket} from "./libraries/SlashBucket.sol";
import {SlashSplit} from "./libraries/SlashSplit.sol";
import {ThawPool} from "./libraries/ThawPool.sol";
import {HeldSlash, PendingExit, SlashOrder, Stake, StakeTerms} from "./types/StakeTypes.sol";

/// @title StakeVault
/// @notice Immutable. Two roles reach it, and neither can pay itself: a slasher takes a bounded amount a day into a
///      held slash, an appeal gives that back before it is paid. Everything else leaves by time alone.
/// @dev The access manager is asked who holds a role, never whether a call may pass, so that its pauses and delays do
///      not reach the vault. Whatever touches the token is guarded; the rest calls nothing that can call back.
contract StakeVault is IStakeVault, ReentrancyGuardTransient {
    using FeeLocks for FeeLocks.Lock;
    using SafeCast for uint256;
    using SafeERC20 for IERC20;
    using SlashBucket for SlashBucket.Bucket;
    using ThawPool for ThawPool.Pool;

    /// @notice Role that may slash.
    uint64 public constant SLASHER_ROLE = Roles.SLASHER;
    /// @notice Role that may reverse a slash.
    uint64 public constant APPEAL_ROLE = Roles.APPEAL;
    /// @notice Shortest thaw that may be fixed, in seconds.
    uint40 public constant MIN_THAW_PERIOD = 1 minutes;
    /// @notice Longest thaw that may be fixed, in seconds.
    uint40 public constant MAX_THAW_PERIOD = 28 days;
    /// @notice Where burned stake goes if the token cannot burn.
    address public constant BURN_ADDRESS = 0x000000000000000000000000000000000000dEaD;

    /// @notice The stake token.
    IERC20 public immutable token;
    /// @notice Names the owner of each node.
    INodeRegistry public immutable registry;
    /// @notice Names the holders of the two roles.
    IAccessManager public immutable authority;
    /// @inheritdoc IStakeVault
    uint40 public immutable thawPeriod;
    /// @inheritdoc IStakeVault
    uint40 public immutable disputeWindow;
    /// @inheritdoc IStakeVault
    uint40 public immutable appealWindow;
    /// @notice Least that a full bucket holds, in wei.
    uint128 public immutable minimumBucketWei;

    address private immutable _deployer;

    /// @inheritdoc IStakeVault
    uint128 public totalStakedWei;
    /// @inheritdoc IStakeVault
    uint128 public slashCount;
    /// @inheritdoc IStakeVault
    mapping(address account => uint256) public creditOf;
    /// @inheritdoc IStakeVault
    mapping(address rail => bool) public isRail;

    bool private _railsFixed;
    mapping(uint32 nodeId => ThawPool.Pool) private _pools;
    mapping(uint32 nodeId => FeeLocks.Lock) private _locks;
    mapping(address slasher => SlashBucket.Bucket) private _buckets;
    mapping(uint256 slashId => HeldSlash) private _slashes;

    constructor(IERC20 token_, INodeRegistry registry_, IAccessManager authority_, StakeTerms memory terms) {
        if (address(token_) == address(0) || address(registry_) == address(0) || address(authority_) == address(0)) {
            revert StakeZeroAddress();
        }
        if (terms.minimumBucketWei == 0) revert StakeZeroAmount();
        _checkWindows(terms);
        token = token_;
        registry = registry_;
        authority = authority_;
        thawPeriod = terms.thawPeriodSeconds;
        disputeWindow = terms.disputeWindowSeconds;
        appealWindow = terms.appealWindowSeconds;
        minimumBucketWei = terms.minimumBucketWei;
        _deployer = msg.sender;
    }

    modifier onlyNodeOwner(uint32 nodeId) {
        if (registry.node(nodeId).owner != msg.sender) revert StakeNotOwner(nodeId, msg.sender);
        _;
    }

    modifier onlyRail() {
        if (!isRail[msg.sender]) revert StakeNotRail(msg.sender);
        _;
    }

    modifier onlyHolderOf(uint64 role) {
        (bool isHolder,) = authority.hasRole(role, msg.sender);
        if (!isHolder) revert StakeRoleMissing(role, msg.sender);
        _;
    }

    /// @notice Name the contracts that may lock stake. Requirement: caller is the deployer; once.
    function fixRails(address[] calldata rails) external {
        if (_railsFixed || msg.sender != _deployer) revert StakeRailsFixed();
        if (rails.length == 0) revert StakeZeroAddress();
        _railsFixed = true;
        for (uint256 i = 0; i < rails.length; ++i) {
            if (rails[i] == address(0)) revert StakeZeroAddress();
            isRail[rails[i]] = true;
        }
        emit RailsFixed(rails);
    }

    /* THE OWNER */

    /// @inheritdoc IStakeVault
    function stake(uint32 nodeId, uint128 amountWei) external nonReentrant onlyNodeOwner(nodeId) {
        _stake(nodeId, amountWei);
    }

    /// @inheritdoc IStakeVault
    function stakeWithPermit(uint32 nodeId, uint128 amountWei, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
        nonReentrant
        onlyNodeOwner(nodeId)
    {
        // A permit that somebody submitted earlier has left its allowance behind; one that never was valid fails in
        // the pull.
        try IERC20Permit(address(token)).permit(msg.sender, address(this), amountWei, deadline, v, r, s) {} catch {}
        _stake(nodeId, amountWei);
    }

    /// @inheritdoc IStakeVault
    function beginExit(uint32 nodeId, uint128 amountWei) external onlyNodeOwner(nodeId) {
        ThawPool.Pool storage pool = _pools[nodeId];
        if (amountWei == 0) revert StakeZeroAmount();
        if (pool.pending() == ThawPool.MAX_EXITS) revert ExitPending(nodeId, pool.earliest());
        uint128 activeWei = activeStakeOf(nodeId);
        if (amountWei > activeWei) revert StakeInsufficient(nodeId, activeWei, amountWei);
        uint128 freeWei = activeWei - lockedOf(nodeId);
        if (amountWei > freeWei) revert StakeStillLocked(nodeId, freeWei, amountWei);

        uint40 unlockAt = uint40(block.timestamp) + thawPeriod;
        pool.begin(amountWei, unlockAt);
        emit ExitBegun(nodeId, amountWei, unlockAt);
    }

    /// @inheritdoc IStakeVault
    function cancelExit(uint32 nodeId) external onlyNodeOwner(nodeId) {
        ThawPool.Pool storage pool = _pools[nodeId];
        if (pool.pending() == 0) revert ExitNotBegun(nodeId);
        emit ExitCancelled(nodeId, pool.cancel());
    }

    /// @inheritdoc IStakeVault
    function withdraw(uint32 nodeId) external nonReentrant {
        ThawPool.Pool storage pool = _pools[nodeId];
        uint40 unlockAt = pool.earliest();
        if (unlockAt == 0) revert ExitNotBegun(nodeId);
        if (block.timestamp < unlockAt) revert ExitStillThawing(nodeId, unlockAt);

        uint128 amountWei = pool.takeDue(block.timestamp);
        totalStakedWei -= amountWei;
        address owner = registry.node(nodeId).owner;
        emit StakeWithdrawn(nodeId, owner, amountWei, pool.stakedWei);
        token.safeTransfer(owner, amountWei);
    }

    /* RAILS */

    /// @inheritdoc IStakeVault
    function lock(uint32 nodeId, uint256 amountWei) external onlyRail {
        uint256 lockedWei = _locks[nodeId].add(_period(), amountWei, activeStakeOf(nodeId));
        if (lockedWei < amountWei) emit StakeLockShort(nodeId, amountWei, lockedWei);
    }

    /* FAULTS */

    /// @inheritdoc IStakeVault
    function slash(uint32 nodeId, SlashOrder calldata order)
        external
        onlyHolderOf(SLASHER_ROLE)
        returns (uint256 slashId, uint256 slashedWei)
    {
        slashedWei = _takeStake(nodeId, order.amountWei);
        uint40 payableAt = uint40(block.timestamp) + appealWindow;
        // Fits: at most what the node has staked.
        HeldSlash memory held = SlashSplit.held(order, nodeId, uint128(slashedWei), payableAt);
        if (slashedWei != 0) {
            slashId = ++slashCount;
            _slashes[slashId] = held;
        }
        emit StakeSlashed(
            slashId,
            nodeId,
            msg.sender,
            order.reason,
            order.evidence,
            order.amountWei,
            slashedWei,
            held.compensationWei,
            held.challengerWei,
            payableAt
        );
    }

    /// @inheritdoc IStakeVault
    function finishSlash(uint256 slashId) external nonReentrant {
        HeldSlash memory held = _held(slashId);
        if (block.timestamp < held.payableAt) revert SlashNotPayable(slashId, held.payableAt);

        delete _slashes[slashId];
        if (held.compensationWei != 0) creditOf[held.compensated] += held.compensationWei;
        if (held.challengerWei != 0) creditOf[held.challenger] += held.challengerWei;
        uint256 burnedWei = SlashSplit.burned(held);
        emit SlashFinished(
            slashId, held.compensated, held.compensationWei, held.challenger, held.challengerWei, burnedWei
        );
        _burn(burnedWei);
    }

    /// @inheritdoc IStakeVault
    function reverseSlash(uint256 slashId) external onlyHolderOf(APPEAL_ROLE) {
        HeldSlash memory held = _held(slashId);
        if (block.timestamp >= held.payableAt) revert SlashFinal(slashId, held.payableAt);

        delete _slashes[slashId];
        uint128 stakedWei = _pools[held.nodeId].stakedWei + held.slashedWei;
        _pools[held.nodeId].stakedWei = stakedWei;
        totalStakedWei += held.slashedWei;
        emit SlashReversed(slashId, held.nodeId, held.slashedWei, stakedWei);
    }

    /// @inheritdoc IStakeVault
    function payCredit(address account) external nonReentrant {
        uint256 amountWei = creditOf[account];
        if (amountWei == 0) revert StakeZeroAmount();

        creditOf[account] = 0;
        emit StakeCreditPaid(account, amountWei);
        token.safeTransfer(account, amountWei);
    }

    /* VIEWS */

    /// @inheritdoc IStakeVault
    function stakeOf(uint32 nodeId) external view returns (Stake memory) {
        ThawPool.Pool storage pool = _pools[nodeId];
        return Stake(pool.stakedWei, pool.thawingWei, pool.earliest());
    }

    /// @inheritdoc IStakeVault
    function activeStakeOf(uint32 nodeId) public view returns (uint128) {
        ThawPool.Pool storage pool = _pools[nodeId];
        return pool.stakedWei - pool.thawingWei;
    }

    /// @inheritdoc IStakeVault
    function slashableOf(uint32 nodeId) external view returns (uint128) {
        return _pools[nodeId].stakedWei;
    }

    /// @inheritdoc IStakeVault
    function lockedOf(uint32 nodeId) public view returns (uint128) {
        // A slash may have left less active stake than was locked. Fits: at most the active stake.
        return uint128(Math.min(_locks[nodeId].lockedIn(_period()), activeStakeOf(nodeId)));
    }

    /// @inheritdoc IStakeVault
    function exitsOf(uint32 nodeId) external view returns (PendingExit[] memory) {
        return _pools[nodeId].list();
    }

    /// @inheritdoc IStakeVault
    function slashOf(uint256 slashId) external view returns (HeldSlash memory) {
        return _slashes[slashId];
    }

    /// @inheritdoc IStakeVault
    function bucketOf(address slasher) external view returns (uint256 availableWei, uint256 capacityWei) {
        capacityWei = _bucketCapacity();
        availableWei = _buckets[slasher].available(capacityWei, block.timestamp);
    }

    /* PRIVATE */

    /// @dev INV-5: a fault is found within two dispute windows and appealed within the appeal window; all of that fits
    ///      into the thaw.
    function _checkWindows(StakeTerms memory terms) private pure {
        (uint40 thaw, uint40 dispute, uint40 appeal) =
            (terms.thawPeriodSeconds, terms.disputeWindowSeconds, terms.appealWindowSeconds);
        if (thaw < MIN_THAW_PERIOD || thaw > MAX_THAW_PERIOD) {
            revert ThawPeriodOutOfBounds(thaw, MIN_THAW_PERIOD, MAX_THAW_PERIOD);
        }
        if (dispute == 0 || appeal == 0 || uint256(dispute) * 2 + appeal > thaw) {
            revert StakeWindowsOutOfBounds(dispute, appeal, thaw);
        }
    }

    function _stake(uint32 nodeId, uint128 amountWei) private {
        if (amountWei == 0) revert StakeZeroAmount();

        uint128 stakedWei = _pools[nodeId].stakedWei + amountWei;
        _pools[nodeId].stakedWei = stakedWei;
        totalStakedWei += amountWei;
        emit StakeDeposited(nodeId, msg.sender, amountWei, stakedWei);

        uint256 before = token.balanceOf(address(this));
        token.safeTransferFrom(msg.sender, address(this), amountWei);
        uint256 receivedWei = token.balanceOf(address(this)) - before;
        if (receivedWei < amountWei) revert StakeTokenShort(amountWei, receivedWei);
    }

    /// @dev Takes `askedWei` from the node, or as much as its stake and the caller's bucket have.
    function _takeStake(uint32 nodeId, uint256 askedWei) private returns (uint256 takenWei) {
        ThawPool.Pool storage pool = _pools[nodeId];
        uint256 withinStakeWei = Math.min(askedWei, pool.stakedWei);
        takenWei = _buckets[msg.sender].take(withinStakeWei, _bucketCapacity(), block.timestamp);
        if (takenWei == 0) return 0;

        totalStakedWei -= takenWei.toUint128();
        (uint128 takenFromThawingWei, uint128 thawingWei) = pool.slash(takenWei.toUint128());
        if (takenFromThawingWei != 0) emit ExitsSlashed(nodeId, takenFromThawingWei, thawingWei);
    }

    /// @dev The vault's tokens may leave for the burn address where the token cannot burn; either way nobody has them.
    function _burn(uint256 amountWei) private {
        try IBurnable(address(token)).burn(amountWei) {}
        catch {
            token.safeTransfer(BURN_ADDRESS, amountWei);
        }
    }

    function _held(uint256 slashId) private view returns (HeldSlash memory held) {
        held = _slashes[slashId];
        if (held.slashedWei == 0) revert SlashNotHeld(slashId);
    }

    function _bucketCapacity() private view returns (uint256) {
        return SlashBucket.capacity(totalStakedWei, minimumBucketWei);
    }

    /// @dev Dispute windows since 1970. Fits until 2106, even with a window of one second.
    function _period() private view returns (uint32) {
        return uint32(block.timestamp / disputeWindow);
    }
}
