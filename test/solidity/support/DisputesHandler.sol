// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Disputes} from "../../../contracts/Disputes.sol";
import {SignedMessages} from "../../../contracts/libraries/SignedMessages.sol";
import {TaskMachine} from "../../../contracts/libraries/TaskMachine.sol";
import {ScriptedStakeVault} from "../../../contracts/mocks/ScriptedStakeVault.sol";
import {
    Ballot,
    DeterminismClass,
    Dispute,
    DisputeStage,
    Harm,
    OpenDispute,
    Outcome,
    Verdict
} from "../../../contracts/types/DisputeTypes.sol";
import {Receipt, TaskState, TaskStatus} from "../../../contracts/types/TaskTypes.sol";
import {DisputesWorld} from "./DisputesWorld.sol";
import {ScriptedEscrow, ScriptedTerms} from "./FaultScenery.sol";
import {FAULT_VM} from "./FaultVm.sol";

/// @title Payers, nodes, judges, appellants and an arbitrator who act in any order and at any time.
contract DisputesHandler {
    uint32 public constant NODES = 4;
    uint256 private constant JUDGES = 5;
    uint256 private constant BOND_WEI = 1e16;
    bytes32 private constant SALT = "salt";
    bytes32 private constant INPUT = "input";
    bytes32 private constant OUTPUT = "output";
    bytes32 private constant MODEL = "model";
    address private constant BURN = 0x000000000000000000000000000000000000dEaD;

    Disputes public disputes;
    ScriptedStakeVault public vault;
    ScriptedEscrow private _escrow;
    Receipt[] private _receipts;
    mapping(bytes32 taskId => Harm) private _harms;
    bytes32[] public disputeIds;
    mapping(bytes32 disputeId => bytes32) public frozen;
    mapping(bytes32 faultId => uint256) public timesPunished;
    mapping(uint32 nodeId => uint256) public highestStakeWei;
    mapping(uint32 nodeId => mapping(uint256 day => uint256)) private _takenWei;
    bool public capBroken;
    bool public stranded;
    uint256 public closed;
    uint256 public ruled;

    /// @dev Once, before anything else; the handler itself is the admin of the world's roles.
    function begin(DisputesWorld world) external {
        require(address(disputes) == address(0), "begun");
        (disputes, vault, _escrow) = (world.disputes(), world.vault(), world.escrow());
        for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) _setStake(nodeId, 1_000 ether);
        for (uint256 i; i < JUDGES; ++i) world.committee().addMember(judge(i));
        disputes.setDeterminism(MODEL, DeterminismClass.Exact);
        FAULT_VM.warp(1_800_000_000);
    }

    function pass(uint256 seconds_) external {
        FAULT_VM.warp(block.timestamp + seconds_ % 2 hours);
        FAULT_VM.roll(block.number + 1);
    }

    /// @dev A settled task and the receipt that settled it. Starts are dense, so that intervals overlap by chance.
    function settle(uint256 seed) external {
        Receipt memory receipt;
        receipt.taskId = keccak256(abi.encode(_receipts.length));
        receipt.assignment = 1;
        receipt.nodeId = uint32(seed % NODES) + 1;
        receipt.modelId = MODEL;
        receipt.inputCommitment = keccak256(abi.encode(SALT, INPUT));
        receipt.outputCommitment = keccak256(abi.encode(SALT, OUTPUT));
        receipt.startMs = uint64(seed / 7 % 3_000);
        receipt.durationMs = 1_000;
        bytes32 contentHash = TaskMachine.contentHashOf(MODEL, receipt.inputCommitment);
        Harm memory harm;
        harm.terms =
            ScriptedTerms.terms(payer(seed), uint40(block.timestamp), uint64(seed % 3_000_000), contentHash);
        harm.settlement.nodeId = receipt.nodeId;
        TaskState memory state;
        state.status = TaskStatus.Settled;
        _harms[receipt.taskId] = harm;
        _escrow.setSettled(receipt.taskId, state, harm.terms, harm.settlement);
        _receipts.push(receipt);
    }

    function open(uint256 seed) external {
        if (_receipts.length == 0) return;
        Receipt memory receipt = _receipts[seed % _receipts.length];
        Harm memory harm = _harms[receipt.taskId];
        address opener = harm.terms.payer;
        bytes32 claimed = seed % 5 == 0 ? OUTPUT : bytes32("another");
        OpenDispute memory params = OpenDispute(receipt, _sign(receipt), SALT, INPUT, claimed);
        FAULT_VM.deal(opener, BOND_WEI);
        FAULT_VM.prank(opener);
        try disputes.openByPayer{value: BOND_WEI}(params, harm) returns (bytes32 id) {
            disputeIds.push(id);
            frozen[id] = _frozen(disputes.dispute(id));
        } catch {}
    }

    /// @dev Whatever a dispute waits for, done by whoever may: most histories get to a verdict.
    function proceed(uint256 seed) external {
        if (disputeIds.length == 0) return;
        bytes32 id = disputeIds[seed % disputeIds.length];
        Dispute memory stored = disputes.dispute(id);
        if (stored.stage == DisputeStage.Opened) {
            try disputes.revealOutput(id, SALT, OUTPUT) {} catch {}
        } else if (stored.stage == DisputeStage.Drawing) {
            FAULT_VM.roll(uint256(stored.drawBlock) + 1);
            FAULT_VM.setBlockhash(stored.drawBlock, keccak256(abi.encode(seed)));
            try disputes.drawCommittee(id) {} catch {}
        } else if (stored.stage == DisputeStage.Wrapping) {
            FAULT_VM.prank(stored.opener);
            try disputes.publishKeys(id, "wraps") {} catch {}
        } else if (stored.stage == DisputeStage.Committing) {
            _commitAll(id, seed);
        } else if (stored.stage == DisputeStage.Ruled && seed % 3 == 0) {
            _appeal(id, payer(seed / 3));
        } else if (stored.stage == DisputeStage.Arbitrating && seed % 3 == 0) {
            uint256 before = vault.slashableOf(stored.nodeId);
            try disputes.arbitrate(id, Outcome(seed / 3 % 3 + 1)) {
                _closed(id, before);
            } catch {}
        }
    }

    function revealAll(uint256 seed) external {
        if (disputeIds.length == 0) return;
        bytes32 id = disputeIds[seed % disputeIds.length];
        for (uint256 i; i < JUDGES; ++i) {
            (Verdict verdict, bytes32 body) = _verdictOf(id, i);
            FAULT_VM.prank(judge(i));
            try disputes.revealVerdict(id, verdict, body, SALT) {} catch {}
        }
    }

    function advance(uint256 seed) external {
        if (disputeIds.length == 0) return;
        _advance(disputeIds[seed % disputeIds.length]);
    }

    function conflict(uint256 seed) external {
        if (_receipts.length == 0) return;
        Receipt memory a = _receipts[seed % _receipts.length];
        Receipt memory b = _receipts[seed % _receipts.length];
        b.durationMs += uint32(seed / 3 % 3);
        uint256 before = vault.slashableOf(a.nodeId);
        bytes32 key = keccak256(abi.encode(a.taskId, a.assignment, a.attempt));
        try disputes.proveConflict(a, _sign(a), b, _sign(b), SALT, _harms[a.taskId]) {
            ++timesPunished[key];
            require(b.durationMs != a.durationMs, "one receipt is no conflict");
            _taken(a.nodeId, before);
        } catch {}
    }

    function overlap(uint256 seed, uint256 other) external {
        if (_receipts.length == 0) return;
        Receipt memory a = _receipts[seed % _receipts.length];
        Receipt memory b = _receipts[other % _receipts.length];
        uint256 before = vault.slashableOf(a.nodeId);
        try disputes.proveOverlap(a, _sign(a), b, _sign(b), SALT, _harms[b.taskId]) {
            uint64 apart = a.startMs > b.startMs ? a.startMs - b.startMs : b.startMs - a.startMs;
            require(a.nodeId == b.nodeId && apart < 1_000 && a.taskId != b.taskId, "no overlap");
            bytes32 pair = a.taskId < b.taskId
                ? keccak256(abi.encode(a.taskId, b.taskId))
                : keccak256(abi.encode(b.taskId, a.taskId));
            ++timesPunished[pair];
            require(timesPunished[pair] == 1, "slashed twice");
            _taken(a.nodeId, before);
        } catch {}
    }

    function payCredit(uint256 seed) external {
        address account = seed % 9 == 8 ? BURN : seed % 9 < 5 ? judge(seed % 9) : payer(seed);
        try disputes.payBondCredit(account) {} catch {}
    }

    function setStake(uint256 seed, uint256 stakeWei) external {
        _setStake(uint32(seed % NODES) + 1, stakeWei % 2_000 ether);
    }

    function setClass(uint256 seed) external {
        disputes.setDeterminism(MODEL, DeterminismClass(seed % 4));
    }

    /// @dev INV-8: whatever happened, time and a stranger end every dispute in at most four calls.
    function endAll(uint256 seed) external {
        if (seed % 4 != 0) return;
        for (uint256 i; i < disputeIds.length; ++i) {
            for (uint256 calls; calls < 4 && !_isClosed(disputeIds[i]); ++calls) {
                uint40 deadline = disputes.dispute(disputeIds[i]).deadline;
                if (block.timestamp <= deadline) FAULT_VM.warp(uint256(deadline) + 3 hours);
                _advance(disputeIds[i]);
            }
            if (!_isClosed(disputeIds[i])) stranded = true;
        }
    }

    function disputeCount() external view returns (uint256) {
        return disputeIds.length;
    }

    function receiptCount() external view returns (uint256) {
        return _receipts.length;
    }

    function conflictKeyAt(uint256 i) external view returns (bytes32) {
        return keccak256(abi.encode(_receipts[i].taskId, _receipts[i].assignment, _receipts[i].attempt));
    }

    function creditsWei() external view returns (uint256 sum) {
        for (uint256 i; i < JUDGES; ++i) sum += disputes.bondCreditOf(judge(i));
        for (uint256 i; i < 3; ++i) sum += disputes.bondCreditOf(payer(i));
        sum += disputes.bondCreditOf(BURN);
    }

    function unchanged(bytes32 disputeId) external view returns (bool) {
        return _frozen(disputes.dispute(disputeId)) == frozen[disputeId];
    }

    function judge(uint256 i) public pure returns (address) {
        return address(uint160(0x10D6E0 + i));
    }

    function payer(uint256 seed) public pure returns (address) {
        return address(uint160(0xBA7E50 + seed % 3));
    }

    function _commitAll(bytes32 id, uint256 seed) private {
        for (uint256 i; i < JUDGES; ++i) {
            if (seed / 3 % (i + 2) == 1) continue;
            (Verdict verdict, bytes32 body) = _verdictOf(id, i);
            FAULT_VM.prank(judge(i));
            try disputes.commitVerdict(id, keccak256(abi.encode(id, judge(i), verdict, body, SALT))) {} catch {}
        }
    }

    /// @dev What a judge thinks of a dispute, the same whenever it is asked.
    function _verdictOf(bytes32 id, uint256 i) private pure returns (Verdict, bytes32) {
        uint256 mind = uint256(keccak256(abi.encode(id, i)));
        return (Verdict(mind % 3 + 1), mind % 2 == 0 ? OUTPUT : bytes32("another"));
    }

    function _appeal(bytes32 id, address appellant) private {
        FAULT_VM.deal(appellant, BOND_WEI);
        FAULT_VM.prank(appellant);
        try disputes.appeal{value: BOND_WEI}(id) {} catch {}
    }

    function _advance(bytes32 id) private {
        uint256 before = vault.slashableOf(disputes.dispute(id).nodeId);
        try disputes.advance(id) {
            if (_isClosed(id)) _closed(id, before);
            else ++ruled;
        } catch {}
    }

    function _closed(bytes32 id, uint256 before) private {
        ++closed;
        _taken(disputes.dispute(id).nodeId, before);
    }

    function _isClosed(bytes32 id) private view returns (bool) {
        return disputes.dispute(id).stage == DisputeStage.Closed;
    }

    function _taken(uint32 nodeId, uint256 before) private {
        uint256 sum = _takenWei[nodeId][block.timestamp / 1 days] += before - vault.slashableOf(nodeId);
        if (sum > highestStakeWei[nodeId] * 3_000 / 10_000 + 1) capBroken = true;
    }

    function _frozen(Dispute memory stored) private pure returns (bytes32) {
        return keccak256(
            abi.encode(stored.opener, stored.bondWei, stored.determinism, stored.snapshotWei, stored.maxCompensationWei)
        );
    }

    function _setStake(uint32 nodeId, uint256 stakeWei) private {
        vault.setStake(nodeId, stakeWei);
        if (stakeWei > highestStakeWei[nodeId]) highestStakeWei[nodeId] = stakeWei;
    }

    function _sign(Receipt memory receipt) private view returns (bytes memory) {
        bytes32 typeHash = keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
        bytes32 domain =
            keccak256(abi.encode(typeHash, keccak256("NGPU"), keccak256("1"), block.chainid, address(_escrow)));
        bytes32 structHash = keccak256(abi.encode(SignedMessages.RECEIPT_TYPEHASH, receipt));
        (uint8 v, bytes32 r, bytes32 s) =
            FAULT_VM.sign(receipt.nodeId, keccak256(abi.encodePacked("\x19\x01", domain, structHash)));
        return abi.encodePacked(r, s, v);
    }
}
