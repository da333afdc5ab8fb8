// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Availability} from "../../../contracts/Availability.sol";
import {Limits} from "../../../contracts/libraries/Limits.sol";
import {SignedMessages} from "../../../contracts/libraries/SignedMessages.sol";
import {ScriptedStakeVault} from "../../../contracts/mocks/ScriptedStakeVault.sol";
import {Challenge, ChallengeStatus, MissedTask} from "../../../contracts/types/AvailabilityTypes.sol";
import {LivenessReply} from "../../../contracts/types/MessageTypes.sol";
import {Assigned, Seat, TaskState, TaskStatus, TaskTerms} from "../../../contracts/types/TaskTypes.sol";
import {AvailabilityWorld} from "./AvailabilityWorld.sol";
import {ScriptedEscrow, ScriptedTerms} from "./FaultScenery.sol";
import {FAULT_VM} from "./FaultVm.sol";

/// @title Challengers, nodes, payers and an appeal body who act in any order and at any time.
contract AvailabilityHandler {
    uint32 public constant NODES = 6;
    uint256 public constant BUCKET_WEI = 30 ether;
    address private constant BURN = 0x000000000000000000000000000000000000dEaD;

    Availability public availability;
    ScriptedStakeVault public vault;
    ScriptedEscrow private _escrow;
    bytes32[] public challengeIds;
    bytes32[] public taskIds;
    mapping(bytes32 taskId => TaskTerms) private _terms;
    mapping(bytes32 taskId => Assigned) private _standing;
    mapping(bytes32 challengeId => bytes32) public frozen;
    mapping(bytes32 taskId => uint256) public compensatedWei;
    mapping(uint32 nodeId => uint256) public highestStakeWei;
    mapping(uint32 nodeId => mapping(uint256 epoch => int256)) public takenWei;
    bytes32[] private _faults;
    bool public capBroken;
    bool public strandedChallenge;
    uint256 public closes;
    uint256 public answers;
    uint256 public misses;

    /// @dev Once, before anything else; the handler itself is the admin of the world's roles.
    function begin(AvailabilityWorld world) external {
        require(address(availability) == address(0), "begun");
        (availability, vault, _escrow) = (world.availability(), world.vault(), world.escrow());
        for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) _setStake(nodeId, 1_000 ether);
        FAULT_VM.warp(1_800_000_000);
    }

    function pass(uint256 seconds_) external {
        FAULT_VM.warp(block.timestamp + seconds_ % 2 hours);
        FAULT_VM.roll(block.number + 1);
    }

    function passLong(uint256 seconds_) external {
        FAULT_VM.warp(block.timestamp + seconds_ % 3 days);
        FAULT_VM.roll(block.number + 1);
    }

    function challenge(uint256 seed, uint256 bondWei) external {
        uint32 nodeId = _node(seed);
        address challenger = actor(seed / 7);
        bondWei = bondWei % 1 ether;
        FAULT_VM.deal(challenger, bondWei);
        FAULT_VM.prank(challenger);
        try availability.challengeLiveness{value: bondWei}(nodeId) returns (bytes32 id) {
            challengeIds.push(id);
            frozen[id] = _frozen(availability.challenge(id));
        } catch {}
    }

    function answer(uint256 seed) external {
        if (challengeIds.length == 0) return;
        bytes32 id = challengeIds[seed % challengeIds.length];
        Challenge memory stored = availability.challenge(id);
        FAULT_VM.roll(uint256(stored.challengedBlock) + 1 + seed % 200);
        bytes32 blockHash = keccak256(abi.encode(stored.challengedBlock));
        FAULT_VM.setBlockhash(stored.challengedBlock, blockHash);
        LivenessReply memory message = LivenessReply(id, stored.nodeId, blockHash);
        // One answer in eight is signed by another node.
        uint32 signer = seed % 8 == 0 ? _node(seed / 8) : stored.nodeId;
        bytes memory signature = _sign(signer, keccak256(abi.encode(SignedMessages.LIVENESS_REPLY_TYPEHASH, message)));
        FAULT_VM.prank(actor(seed / 3));
        try availability.answer(message, stored.challengedBlock, signature) {
            ++answers;
            require(signer == stored.nodeId, "answered by another");
        } catch {}
    }

    function close(uint256 seed) external {
        if (challengeIds.length == 0) return;
        bytes32 id = challengeIds[seed % challengeIds.length];
        uint32 nodeId = availability.challenge(id).nodeId;
        uint256 before = vault.slashableOf(nodeId);
        try availability.closeChallenge(id) {
            ++closes;
            _faults.push(id);
            _taken(nodeId, before);
        } catch {}
    }

    function upkeep(uint256 seed) external {
        (, bytes memory data) = availability.checkUpkeep("");
        (bytes32[] memory due,) = abi.decode(data, (bytes32[], MissedTask[]));
        uint256[] memory before = new uint256[](NODES + 1);
        for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) before[nodeId] = vault.slashableOf(nodeId);
        MissedTask[] memory missed = new MissedTask[](1);
        if (taskIds.length != 0) missed[0] = _missed(taskIds[seed % taskIds.length], _node(seed));
        if (due.length > 15) return;
        uint256 heldBefore = vault.heldCount();
        availability.performUpkeep(abi.encode(due, missed));
        for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) _taken(nodeId, before[nodeId]);
        for (uint256 i; i < due.length; ++i) {
            _faults.push(due[i]);
            if (availability.challenge(due[i]).status == ChallengeStatus.Open) strandedChallenge = true;
        }
        _compensated(missed[0].taskId, heldBefore);
    }

    function miss(uint256 seed) external {
        bytes32 taskId = keccak256(abi.encode(seed, taskIds.length));
        uint40 deadline = uint40(block.timestamp - Limits.SETTLE_GRACE_S);
        _terms[taskId] = ScriptedTerms.terms(actor(seed), deadline, uint64(seed % 3_000_000), 0);
        uint256 seats = seed % 3 + 1;
        for (uint256 i; i < seats; ++i) _standing[taskId].seats.push(Seat(_node(seed / 2 + i), 1_000));
        TaskState memory state;
        state.status = seed % 5 == 0 ? TaskStatus.Settled : TaskStatus.Refunded;
        state.assignment = 1;
        state.acceptedMask = uint8(seed / 11 % (1 << seats));
        state.failedMask = uint8(seed / 101 % (1 << seats));
        _escrow.setMissed(taskId, state, _terms[taskId], _standing[taskId]);
        taskIds.push(taskId);
    }

    function report(uint256 seed) external {
        if (taskIds.length == 0) return;
        bytes32 taskId = taskIds[seed % taskIds.length];
        uint32 nodeId = _node(seed / 3);
        uint256 before = vault.slashableOf(nodeId);
        uint256 heldBefore = vault.heldCount();
        MissedTask memory missed = _missed(taskId, nodeId);
        // One in four with words that are another's: they show nothing.
        if (seed / 13 % 4 == 0) missed.terms.payer = actor(seed / 17 + 1);
        FAULT_VM.prank(actor(seed / 5));
        try availability.reportMissedTask(missed) {
            ++misses;
            _faults.push(availability.missedTaskIdOf(taskId, nodeId));
            _taken(nodeId, before);
            _compensated(taskId, heldBefore);
        } catch {}
    }

    function overturn(uint256 seed) external {
        if (_faults.length == 0) return;
        bytes32 faultId = _faults[seed % _faults.length];
        uint32 nodeId = availability.fault(faultId).nodeId;
        uint40 recordedAt = availability.fault(faultId).recordedAt;
        uint256 before = vault.slashableOf(nodeId);
        try availability.overturn(faultId) {
            takenWei[nodeId][recordedAt / 1 hours] -= int256(vault.slashableOf(nodeId) - before);
        } catch {}
    }

    function payCredit(uint256 seed) external {
        address account = seed % 4 == 3 ? BURN : actor(seed);
        try availability.payBondCredit(account) {} catch {}
    }

    function setStake(uint256 seed, uint256 stakeWei) external {
        _setStake(_node(seed), stakeWei % 2_000 ether);
    }

    function setMood(uint256 seed) external {
        vault.setMood(seed % 4 == 0, false);
    }

    /// @dev INV-8: whatever happened, time and a stranger end every challenge.
    function endAll() external {
        FAULT_VM.warp(block.timestamp + 1 hours);
        for (uint256 i; i < challengeIds.length; ++i) {
            Challenge memory stored = availability.challenge(challengeIds[i]);
            if (stored.status != ChallengeStatus.Open) continue;
            uint256 before = vault.slashableOf(stored.nodeId);
            try availability.closeChallenge(challengeIds[i]) {
                _faults.push(challengeIds[i]);
                _taken(stored.nodeId, before);
            } catch {
                strandedChallenge = true;
            }
        }
    }

    function challengeCount() external view returns (uint256) {
        return challengeIds.length;
    }

    function taskCount() external view returns (uint256) {
        return taskIds.length;
    }

    function maxWeiOf(bytes32 taskId) external view returns (uint256) {
        return ScriptedTerms.maxWei(_terms[taskId]);
    }

    function creditsWei() external view returns (uint256 sum) {
        for (uint256 i; i < 3; ++i) sum += availability.bondCreditOf(actor(i));
        sum += availability.bondCreditOf(BURN);
    }

    function unchanged(bytes32 challengeId) external view returns (bool) {
        return _frozen(availability.challenge(challengeId)) == frozen[challengeId];
    }

    function actor(uint256 seed) public pure returns (address) {
        return address(uint160(0xA11CE0 + seed % 3));
    }

    function _frozen(Challenge memory stored) private pure returns (bytes32) {
        return keccak256(
            abi.encode(stored.challenger, stored.bondWei, stored.nodeId, stored.challengedAt, stored.snapshotWei)
        );
    }

    function _taken(uint32 nodeId, uint256 before) private {
        uint256 afterwards = vault.slashableOf(nodeId);
        int256 sum = takenWei[nodeId][block.timestamp / 1 hours] += int256(before) - int256(afterwards);
        // Five percent of the largest stake that any snapshot of the epoch can have seen, rounded up.
        if (sum > int256(highestStakeWei[nodeId] * 500 / 10_000 + 1)) capBroken = true;
    }

    function _compensated(bytes32 taskId, uint256 heldBefore) private {
        for (uint256 i = heldBefore; i < vault.heldCount(); ++i) compensatedWei[taskId] += vault.held(i).compensationWei;
    }

    function _setStake(uint32 nodeId, uint256 stakeWei) private {
        vault.setStake(nodeId, stakeWei);
        if (stakeWei > highestStakeWei[nodeId]) highestStakeWei[nodeId] = stakeWei;
    }

    function _missed(bytes32 taskId, uint32 nodeId) private view returns (MissedTask memory) {
        return MissedTask(taskId, nodeId, _terms[taskId], _standing[taskId]);
    }

    function _node(uint256 seed) private pure returns (uint32) {
        return uint32(seed % NODES) + 1;
    }

    function _sign(uint32 nodeId, bytes32 structHash) private view returns (bytes memory) {
        bytes32 typeHash = keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
        bytes32 domain =
            keccak256(abi.encode(typeHash, keccak256("NGPU"), keccak256("1"), block.chainid, address(_escrow)));
        (uint8 v, bytes32 r, bytes32 s) =
            FAULT_VM.sign(nodeId, keccak256(abi.encodePacked("\x19\x01", domain, structHash)));
        return abi.encodePacked(r, s, v);
    }
}
