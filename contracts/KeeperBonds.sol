// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IKeeperBonds} from "./interfaces/IKeeperBonds.sol";

/// @title KeeperBonds
/// @notice Immutable and without roles: a bond leaves to its keeper by time alone, or is taken by the one assignment
///         contract that the deployer named once.
/// @dev Its balance covers all bonds and credits (INV-1). Half of what is taken is burned, so that a keeper who
///      challenges itself still loses half.
contract KeeperBonds is IKeeperBonds, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @notice Where burned tokens go: nobody has its key.
    address public constant BURN_ADDRESS = 0x000000000000000000000000000000000000dEaD;
    uint32 private constant WEIGHT_OF_MINIMUM = 100;
    uint32 private constant MAX_WEIGHT = 10_000;

    /// @dev Posted draws lock bonds by period: all that was locked in this one and the one before. No list, no unlock.
    struct Locks {
        uint40 period;
        uint96 currentWei;
        uint96 previousWei;
    }

    /// @notice The stake token.
    IERC20 public immutable token;
    /// @inheritdoc IKeeperBonds
    uint96 public immutable minimumBondWei;
    /// @inheritdoc IKeeperBonds
    uint40 public immutable lockPeriodS;
    /// @inheritdoc IKeeperBonds
    uint40 public immutable exitDelayS;
    /// @notice Who may lock and take; zero until fixed.
    address public assignment;
    /// @notice Keepers ever; ids are 1 … keeperCount.
    uint32 public keeperCount;

    address private immutable _deployer;
    /// @inheritdoc IKeeperBonds
    mapping(address account => uint32) public idOf;
    /// @inheritdoc IKeeperBonds
    mapping(address account => uint256) public creditOf;
    mapping(uint32 keeperId => Keeper) private _keepers;
    mapping(uint32 keeperId => Locks) private _locks;

    constructor(IERC20 token_, uint96 minimumBondWei_, uint40 lockPeriodS_, uint40 exitDelayS_) {
        bool sound = address(token_) != address(0) && minimumBondWei_ >= WEIGHT_OF_MINIMUM && lockPeriodS_ != 0
            && exitDelayS_ <= 28 days && exitDelayS_ >= 2 * uint256(lockPeriodS_);
        if (!sound) revert BondParameterInvalid();
        token = token_;
        minimumBondWei = minimumBondWei_;
        lockPeriodS = lockPeriodS_;
        exitDelayS = exitDelayS_;
        _deployer = msg.sender;
    }

    modifier onlyAssignment() {
        if (msg.sender != assignment) revert BondNotAssignment(msg.sender);
        _;
    }

    /// @notice Name the assignment contract. Requirement: caller is the deployer; once.
    function fixAssignment(address assignment_) external {
        if (msg.sender != _deployer || assignment != address(0) || assignment_ == address(0)) {
            revert BondAssignmentIsFixed();
        }
        assignment = assignment_;
        emit BondAssignmentFixed(assignment_);
    }

    /// @inheritdoc IKeeperBonds
    function bond(uint96 amountWei) external nonReentrant returns (uint32 keeperId) {
        if (amountWei == 0) revert BondZeroAmount();
        keeperId = idOf[msg.sender];
        if (keeperId == 0) {
            keeperId = ++keeperCount;
            idOf[msg.sender] = keeperId;
            _keepers[keeperId].account = msg.sender;
        }
        Keeper storage stored = _keepers[keeperId];
        uint96 bondWei = stored.bondWei + amountWei;
        if (bondWei - stored.exitingWei < minimumBondWei) {
            revert BondBelowMinimum(bondWei - stored.exitingWei, minimumBondWei);
        }
        stored.bondWei = bondWei;
        emit KeeperBonded(keeperId, msg.sender, amountWei, bondWei);
        _pull(msg.sender, amountWei);
    }

    /// @inheritdoc IKeeperBonds
    function beginExit(uint96 amountWei) external {
        if (amountWei == 0) revert BondZeroAmount();
        uint32 keeperId = idOf[msg.sender];
        if (keeperId == 0) revert BondNotKeeper(msg.sender);
        Keeper storage stored = _keepers[keeperId];
        uint96 stayingWei = stored.bondWei - stored.exitingWei;
        if (amountWei > stayingWei) revert BondShort(msg.sender, stayingWei, amountWei);
        stored.exitingWei += amountWei;
        stored.unlockAt = uint40(block.timestamp) + exitDelayS;
        emit KeeperExitBegun(keeperId, stored.exitingWei, stored.unlockAt);
    }

    /// @inheritdoc IKeeperBonds
    function withdraw(uint32 keeperId) external nonReentrant {
        Keeper storage stored = _keepers[keeperId];
        uint96 amountWei = stored.exitingWei;
        if (amountWei == 0 || block.timestamp < stored.unlockAt) revert BondNotUnlocked(keeperId, stored.unlockAt);
        stored.exitingWei = 0;
        stored.unlockAt = 0;
        stored.bondWei -= amountWei;
        emit KeeperWithdrawn(keeperId, stored.account, amountWei, stored.bondWei);
        token.safeTransfer(stored.account, amountWei);
    }

    /// @inheritdoc IKeeperBonds
    function withdrawCredit(address account) external nonReentrant {
        uint256 amountWei = creditOf[account];
        if (amountWei == 0) revert BondNoCredit(account);
        delete creditOf[account];
        emit BondCreditPaid(account, amountWei);
        token.safeTransfer(account, amountWei);
    }

    /// @inheritdoc IKeeperBonds
    function lock(address account, uint96 amountWei) external onlyAssignment returns (uint32 keeperId) {
        keeperId = bondedIdOf(account);
        if (keeperId == 0) revert BondNotKeeper(account);
        Keeper storage stored = _keepers[keeperId];
        Locks memory locks = _locksNow(keeperId);
        uint256 lockedWei = uint256(locks.currentWei) + locks.previousWei;
        uint256 stayingWei = stored.bondWei - stored.exitingWei;
        uint256 freeWei = stayingWei > lockedWei ? stayingWei - lockedWei : 0;
        if (amountWei > freeWei) revert BondShort(account, freeWei, amountWei);
        locks.currentWei += amountWei;
        _locks[keeperId] = locks;
    }

    /// @inheritdoc IKeeperBonds
    function slash(address account, uint96 amountWei, address beneficiary)
        external
        onlyAssignment
        nonReentrant
        returns (uint96 slashedWei)
    {
        uint32 keeperId = idOf[account];
        Keeper storage stored = _keepers[keeperId];
        slashedWei = amountWei < stored.bondWei ? amountWei : stored.bondWei;
        uint96 bondWei = stored.bondWei - slashedWei;
        stored.bondWei = bondWei;
        if (stored.exitingWei > bondWei) stored.exitingWei = bondWei;
        emit KeeperSlashed(keeperId, beneficiary, slashedWei, bondWei);
        _share(slashedWei, beneficiary);
    }

    /// @inheritdoc IKeeperBonds
    function takeFrom(address challenger, uint96 amountWei, address beneficiary)
        external
        onlyAssignment
        nonReentrant
    {
        emit ChallengeBondTaken(challenger, beneficiary, amountWei);
        _pull(challenger, amountWei);
        _share(amountWei, beneficiary);
    }

    /// @inheritdoc IKeeperBonds
    function keeper(uint32 keeperId) external view returns (Keeper memory) {
        return _keepers[keeperId];
    }

    /// @inheritdoc IKeeperBonds
    function weightOf(uint32 keeperId) external view returns (uint32) {
        uint256 stayingWei = _stayingWei(keeperId);
        if (stayingWei < minimumBondWei) return 0;
        uint256 weight = stayingWei * WEIGHT_OF_MINIMUM / minimumBondWei;
        return weight > MAX_WEIGHT ? MAX_WEIGHT : uint32(weight);
    }

    /// @inheritdoc IKeeperBonds
    function lockedOf(uint32 keeperId) external view returns (uint256) {
        Locks memory locks = _locksNow(keeperId);
        return uint256(locks.currentWei) + locks.previousWei;
    }

    /// @inheritdoc IKeeperBonds
    function bondedIdOf(address account) public view returns (uint32 keeperId) {
        keeperId = idOf[account];
        if (keeperId != 0 && _stayingWei(keeperId) < minimumBondWei) keeperId = 0;
    }

    function _stayingWei(uint32 keeperId) private view returns (uint96) {
        Keeper storage stored = _keepers[keeperId];
        return stored.bondWei - stored.exitingWei;
    }

    function _locksNow(uint32 keeperId) private view returns (Locks memory locks) {
        locks = _locks[keeperId];
        uint40 period = uint40(block.timestamp) / lockPeriodS;
        if (period == locks.period) return locks;
        locks.previousWei = period == locks.period + 1 ? locks.currentWei : 0;
        locks.currentWei = 0;
        locks.period = period;
    }

    /// @dev Half, rounded up, is burned.
    function _share(uint96 amountWei, address beneficiary) private {
        uint96 creditWei = amountWei / 2;
        creditOf[beneficiary] += creditWei;
        if (amountWei != 0) token.safeTransfer(BURN_ADDRESS, amountWei - creditWei);
    }

    function _pull(address from, uint96 amountWei) private {
        uint256 before = token.balanceOf(address(this));
        token.safeTransferFrom(from, address(this), amountWei);
        uint256 receivedWei = token.balanceOf(address(this)) - before;
        if (receivedWei < amountWei) revert BondTokenShort(amountWei, receivedWei);
    }
}
