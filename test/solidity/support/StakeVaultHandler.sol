// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {HeldSlash, SlashOrder, Stake} from "../../../contracts/types/StakeTypes.sol";
import {StakeWorld} from "./StakeWorld.sol";
import {VM} from "./Vm.sol";

/// @title Acts of owner, stranger, slashers, appeal and rail in any order and at any time, and what the invariants
///        need to remember of them.
/// @dev No act reverts: what the vault refused is counted by its reason, and what it must never refuse is noted.
contract StakeVaultHandler is StakeWorld {
    uint256 internal constant SNAPSHOTS = 16;

    /// @notice Active stake of a node at a time, less what slashes took since (INV-5).
    struct Snapshot {
        uint256 takenAt;
        uint256 stillDueWei;
    }

    struct BegunExit {
        uint256 unlockAt;
        uint256 amountWei;
    }

    uint256 public calls;
    uint256 public donatedWei;
    uint256 public depositedWei;
    uint256 public withdrawnWei;
    uint256 public creditPaidWei;
    uint256 public burnedWei;
    /// @notice The first thing that must never happen and did; empty if none.
    string public violation;
    /// @notice Largest level of each slasher's leaky meter, and the largest bucket there was (INV-6).
    uint256 public maxCapacityWei = MINIMUM_BUCKET_WEI;
    mapping(address slasher => uint256) public meterWei;
    mapping(string act => uint256) public succeeded;

    mapping(address slasher => uint256) private _meteredAt;
    mapping(uint32 nodeId => Snapshot[SNAPSHOTS]) private _snapshots;
    mapping(uint32 nodeId => uint256) private _snapshotCount;
    mapping(uint32 nodeId => BegunExit[]) private _begun;
    mapping(uint32 nodeId => Snapshot[SNAPSHOTS]) private _feeLocks;
    mapping(uint32 nodeId => uint256) private _feeLockCount;

    constructor() {
        token.transfer(OWNER, SUPPLY_WEI / 2);
        for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) {
            _stake(nodeId, 10_000 ether);
        }
    }

    modifier counted() {
        ++calls;
        _;
        _noteCapacity();
    }

    /* ACTS */

    function stake(uint256 nodeSeed, uint256 amountSeed) external counted {
        _stake(_node(nodeSeed), uint128(_amount(amountSeed, 20_000 ether)));
    }

    function beginExit(uint256 nodeSeed, uint256 amountSeed) external counted {
        uint32 nodeId = _node(nodeSeed);
        uint128 amountWei = uint128(_amount(amountSeed, uint256(vault.activeStakeOf(nodeId)) + 2));
        VM.prank(OWNER);
        try vault.beginExit(nodeId, amountWei) {
            _begun[nodeId].push(BegunExit(block.timestamp + THAW_S, amountWei));
            ++succeeded["beginExit"];
        } catch (bytes memory reason) {
            _refused(reason);
        }
    }

    function cancelExit(uint256 nodeSeed) external counted {
        uint32 nodeId = _node(nodeSeed);
        VM.prank(OWNER);
        try vault.cancelExit(nodeId) {
            delete _begun[nodeId];
            ++succeeded["cancelExit"];
        } catch (bytes memory reason) {
            _refused(reason);
        }
    }

    function withdraw(uint256 nodeSeed) external counted {
        uint32 nodeId = _node(nodeSeed);
        uint256 before = token.balanceOf(OWNER);
        uint40 unlockAt = vault.stakeOf(nodeId).unlockAt;
        VM.prank(STRANGER);
        try vault.withdraw(nodeId) {
            uint256 amountWei = token.balanceOf(OWNER) - before;
            withdrawnWei += amountWei;
            _checkThawed(nodeId, amountWei);
            ++succeeded["withdraw"];
        } catch (bytes memory reason) {
            _refused(reason);
            if (unlockAt != 0 && unlockAt <= block.timestamp) _violate("INV-10: a thawed exit was refused");
        }
    }

    function lock(uint256 nodeSeed, uint256 amountSeed) external counted {
        uint32 nodeId = _node(nodeSeed);
        uint256 before = vault.lockedOf(nodeId);
        VM.prank(RAIL);
        try vault.lock(nodeId, _edge(amountSeed, 4_000 ether)) {
            uint256 lockedWei = vault.lockedOf(nodeId) - before;
            if (lockedWei != 0) _feeLocks[nodeId][_feeLockCount[nodeId]++ % SNAPSHOTS] = Snapshot(block.timestamp, lockedWei);
            ++succeeded["lock"];
        } catch {
            _violate("a rail's lock reverted");
        }
    }

    function slash(uint256 nodeSeed, uint256 slasherSeed, uint256 amountSeed, uint256 sharesSeed) external counted {
        uint32 nodeId = _node(nodeSeed);
        address slasher = slashers[slasherSeed % slashers.length];
        (bool isHolder,) = manager.hasRole(3, slasher);
        SlashOrder memory order = _order(amountSeed, sharesSeed);
        (uint256 bucketWei,) = vault.bucketOf(slasher);
        uint256 expectedWei = _min(_min(order.amountWei, vault.slashableOf(nodeId)), bucketWei);
        VM.prank(slasher);
        try vault.slash(nodeId, order) returns (uint256, uint256 slashedWei) {
            if (!isHolder) _violate("an account without the role slashed");
            if (slashedWei != expectedWei) _violate("INV-6: a slash was not clipped to stake and bucket");
            _afterSlash(nodeId, slasher, slashedWei);
            ++succeeded["slash"];
        } catch {
            if (isHolder) _violate("a slasher's slash reverted");
        }
    }

    function finishSlash(uint256 slashSeed) external counted {
        uint256 slashId = _slashId(slashSeed);
        HeldSlash memory held = vault.slashOf(slashId);
        uint256 supplyWei = token.totalSupply();
        VM.prank(STRANGER);
        try vault.finishSlash(slashId) {
            uint256 destroyedWei = supplyWei - token.totalSupply();
            burnedWei += destroyedWei;
            if (destroyedWei * 2 < held.slashedWei) _violate("INV-17: less than half of a slash was burned");
            if (block.timestamp < held.payableAt) _violate("a slash was paid out within its appeal window");
            ++succeeded["finishSlash"];
        } catch (bytes memory reason) {
            _refused(reason);
            if (held.slashedWei != 0 && block.timestamp >= held.payableAt) _violate("INV-10: a slash did not finish");
        }
    }

    function reverseSlash(uint256 slashSeed) external counted {
        uint256 slashId = _slashId(slashSeed);
        HeldSlash memory held = vault.slashOf(slashId);
        VM.prank(APPEAL);
        try vault.reverseSlash(slashId) {
            if (block.timestamp >= held.payableAt) _violate("a slash was reversed after its appeal window");
            ++succeeded["reverseSlash"];
        } catch (bytes memory reason) {
            _refused(reason);
        }
    }

    function payCredit(bool toHarmed) external counted {
        address account = toHarmed ? HARMED : FINDER;
        uint256 creditWei = vault.creditOf(account);
        VM.prank(STRANGER);
        try vault.payCredit(account) {
            creditPaidWei += creditWei;
            ++succeeded["payCredit"];
        } catch (bytes memory reason) {
            _refused(reason);
            if (creditWei != 0) _violate("INV-10: a credit was not paid");
        }
    }

    function donate(uint256 amountSeed) external counted {
        uint256 amountWei = _amount(amountSeed, 1 ether);
        token.transfer(address(vault), amountWei);
        donatedWei += amountWei;
    }

    function setSlasher(bool granted) external counted {
        if (granted) manager.grantRole(3, slashers[1], 0);
        else manager.revokeRole(3, slashers[1]);
    }

    function pass(uint256 secondsSeed) external counted {
        uint256 kind = secondsSeed % 8;
        uint256 most = kind == 0 ? 2 days : kind < 3 ? uint256(THAW_S) + 1 : 40;
        VM.warp(block.timestamp + 1 + secondsSeed % most);
    }

    /// @notice What nobody but its holder may do, tried by everybody else.
    function intrude(uint256 nodeSeed, uint256 who, uint256 what) external counted {
        uint32 nodeId = _node(nodeSeed);
        address[5] memory intruders = [STRANGER, HARMED, FINDER, address(this), what % 2 == 0 ? APPEAL : RAIL];
        bytes[6] memory acts = [
            abi.encodeCall(vault.stake, (nodeId, 1)),
            abi.encodeCall(vault.beginExit, (nodeId, 1)),
            abi.encodeCall(vault.cancelExit, (nodeId)),
            abi.encodeCall(vault.slash, (nodeId, _order(what, who))),
            abi.encodeCall(vault.reverseSlash, (_slashId(what))),
            abi.encodeCall(vault.lock, (nodeId, 1))
        ];
        uint256 act = what % acts.length;
        address intruder = intruders[who % intruders.length];
        if ((act == 4 && intruder == APPEAL) || (act == 5 && intruder == RAIL)) return;
        VM.prank(intruder);
        (bool done,) = address(vault).call(acts[act]);
        if (done) _violate("INV-7: an account did what it has no right to");
    }

    /* WHAT THE INVARIANTS READ */

    function world() external view returns (address vault_, address token_, uint32 nodes) {
        return (address(vault), address(token), NODES);
    }

    function heldWei() public view returns (uint256 sum) {
        for (uint256 id = vault.slashCount(); id != 0; --id) {
            sum += vault.slashOf(id).slashedWei;
        }
    }

    function stakedWei() public view returns (uint256 sum) {
        for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) {
            sum += vault.slashableOf(nodeId);
        }
    }

    function creditsWei() public view returns (uint256) {
        return vault.creditOf(HARMED) + vault.creditOf(FINDER);
    }

    function slasherAt(uint256 index) external view returns (address) {
        return slashers[index];
    }

    /// @notice INV-5: what was active at a time, less what was slashed since, can be slashed for one thaw from then;
    ///         and what a fee locked, less what was slashed since, is active for a dispute window.
    function slashableHolds(uint32 nodeId) external view returns (bool) {
        uint256 lockedDueWei;
        for (uint256 i = 0; i < SNAPSHOTS; ++i) {
            Snapshot memory past = _snapshots[nodeId][i];
            if (block.timestamp < past.takenAt + THAW_S && vault.slashableOf(nodeId) < past.stillDueWei) return false;
            Snapshot memory fee = _feeLocks[nodeId][i];
            if (block.timestamp < fee.takenAt + DISPUTE_S) lockedDueWei += fee.stillDueWei;
        }
        return vault.activeStakeOf(nodeId) >= lockedDueWei;
    }

    /// @notice Everybody that must never get a token, together.
    function strayWei() external view returns (uint256) {
        return token.balanceOf(STRANGER) + token.balanceOf(RAIL) + token.balanceOf(APPEAL)
            + token.balanceOf(slashers[0]) + token.balanceOf(slashers[1]) + token.balanceOf(address(manager))
            + token.balanceOf(address(registry)) + token.balanceOf(vault.BURN_ADDRESS());
    }

    /// @notice INV-10: with every role revoked and every target closed, all leaves by time alone. What is left in the
    ///         vault at the end.
    function leaveAll() external returns (uint256 leftWei) {
        manager.setTargetClosed(address(vault), true);
        manager.setTargetClosed(address(registry), true);
        manager.revokeRole(3, slashers[0]);
        manager.revokeRole(3, slashers[1]);
        manager.revokeRole(4, APPEAL);
        VM.warp(block.timestamp + THAW_S);
        for (uint256 id = vault.slashCount(); id != 0; --id) {
            if (vault.slashOf(id).slashedWei != 0) vault.finishSlash(id);
        }
        for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) {
            if (vault.stakeOf(nodeId).unlockAt != 0) vault.withdraw(nodeId);
            uint128 activeWei = vault.activeStakeOf(nodeId);
            if (activeWei == 0) continue;
            VM.prank(OWNER);
            vault.beginExit(nodeId, activeWei);
            VM.warp(block.timestamp + THAW_S);
            vault.withdraw(nodeId);
        }
        if (vault.creditOf(HARMED) != 0) vault.payCredit(HARMED);
        if (vault.creditOf(FINDER) != 0) vault.payCredit(FINDER);
        return token.balanceOf(address(vault));
    }

    /* PRIVATE */

    function _stake(uint32 nodeId, uint128 amountWei) private {
        VM.prank(OWNER);
        try vault.stake(nodeId, amountWei) {
            depositedWei += amountWei;
            ++succeeded["stake"];
        } catch (bytes memory reason) {
            _refused(reason);
        }
        _snapshots[nodeId][_snapshotCount[nodeId]++ % SNAPSHOTS] =
            Snapshot(block.timestamp, vault.activeStakeOf(nodeId));
    }

    function _afterSlash(uint32 nodeId, address slasher, uint256 slashedWei) private {
        for (uint256 i = 0; i < SNAPSHOTS; ++i) {
            Snapshot storage past = _snapshots[nodeId][i];
            past.stillDueWei -= _min(past.stillDueWei, slashedWei);
            Snapshot storage fee = _feeLocks[nodeId][i];
            fee.stillDueWei -= _min(fee.stillDueWei, slashedWei);
        }
        if (vault.stakeOf(nodeId).thawingWei == 0) delete _begun[nodeId];
        uint256 drainedWei = maxCapacityWei * (block.timestamp - _meteredAt[slasher]) / 1 days;
        meterWei[slasher] = meterWei[slasher] - _min(meterWei[slasher], drainedWei) + slashedWei;
        _meteredAt[slasher] = block.timestamp;
    }

    /// @dev What is paid out at most: the exits that were begun a thaw ago. An exit is worth a wei more than was asked
    ///      at most, where shares were rounded.
    function _checkThawed(uint32 nodeId, uint256 amountWei) private {
        BegunExit[] storage begun = _begun[nodeId];
        uint256 dueWei;
        for (uint256 i = 0; i < begun.length; ++i) {
            if (begun[i].unlockAt > block.timestamp || begun[i].unlockAt == 0) continue;
            dueWei += begun[i].amountWei + 1;
            delete begun[i];
        }
        if (amountWei > dueWei) _violate("INV-17: more was paid out than had thawed");
    }

    function _noteCapacity() private {
        (, uint256 capacityWei) = vault.bucketOf(slashers[0]);
        if (capacityWei > maxCapacityWei) maxCapacityWei = capacityWei;
    }

    function _order(uint256 amountSeed, uint256 sharesSeed) private view returns (SlashOrder memory) {
        return SlashOrder({
            amountWei: _edge(amountSeed, 3_000 ether),
            reason: "fault",
            evidence: bytes32(sharesSeed),
            compensated: sharesSeed % 5 == 0 ? address(0) : HARMED,
            compensationWei: _edge(sharesSeed >> 8, 3_000 ether),
            challenger: sharesSeed % 7 == 0 ? address(0) : FINDER,
            challengerWei: _edge(sharesSeed >> 16, 3_000 ether)
        });
    }

    function _refused(bytes memory reason) private {
        bytes4 selector = bytes4(reason);
        // Panic(uint256) and Error(string): an arithmetic fault, or a reason of nobody's.
        if (reason.length < 4 || selector == 0x4e487b71 || selector == 0x08c379a0) _violate("a call panicked");
    }

    function _violate(string memory what) private {
        if (bytes(violation).length == 0) violation = what;
    }

    function _node(uint256 seed) private pure returns (uint32) {
        return uint32(1 + seed % NODES);
    }

    function _slashId(uint256 seed) private view returns (uint256) {
        // Now and then one that never was.
        return seed % (uint256(vault.slashCount()) + 2);
    }

    /// @dev 1 … most, every eighth time a very small one.
    function _amount(uint256 seed, uint256 most) private pure returns (uint256) {
        return 1 + seed % (seed % 8 == 0 ? 3 : most);
    }

    /// @dev As `_amount`, with zero and the largest number now and then.
    function _edge(uint256 seed, uint256 most) private pure returns (uint256) {
        uint256 kind = (seed >> 3) % 16;
        return kind == 0 ? 0 : kind == 1 ? type(uint256).max : _amount(seed, most);
    }

    function _min(uint256 a, uint256 b) private pure returns (uint256) {
        return a < b ? a : b;
    }
}
