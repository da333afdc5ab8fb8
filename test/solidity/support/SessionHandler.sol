// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentVault} from "../../../contracts/interfaces/IPaymentVault.sol";
import {ISessionSettlement} from "../../../contracts/interfaces/ISessionSettlement.sol";
import {SessionMoney} from "../../../contracts/libraries/SessionMoney.sol";
import {SignedMessages} from "../../../contracts/libraries/SignedMessages.sol";
import {VoucherChain} from "../../../contracts/libraries/VoucherChain.sol";
import {Lane, LaneMoney, OpenParams, Role, Segment, Session, Settlement} from "../../../contracts/types/SessionTypes.sol";
import {PermitParams, Receipt} from "../../../contracts/types/TaskTypes.sol";
import {LOGS_VM, LogsVm} from "./LogsVm.sol";
import {SessionStage} from "./SessionStage.sol";
import {VM} from "./Vm.sol";

/// @title Everything that anybody does to the session rail, with a book of what it must come to.
/// @dev A refused call is fine if it is refused for a stated reason; a panic, or a success that must not be, is noted
///      in `broken`, which every invariant looks at.
contract SessionHandler is SessionStage {
    /// @dev What the handler itself knows of a lane.
    struct Book {
        bytes32 head;
        uint256 seq;
        uint256 weight;
        uint256 billedUsd6;
        uint32 powerCu;
        uint64 unspentUsd6;
    }

    uint256 public constant MAX_SESSIONS = 5;

    string public broken;
    uint256 public donatedUsd6;
    bytes32[] public sessionIds;
    /// @notice Everything that left a payer for good: paid to nodes and treasury, or burned.
    mapping(address payer => uint256) public spentUsd6;
    /// @notice Everything that a node earned, and the treasury, by the events.
    mapping(address payee => uint256) public earnedUsd6;
    mapping(address payee => uint256) public paidOutUsd6;
    /// @notice How often each function was called with success, and how often a settlement was refused.
    mapping(bytes4 selector => uint256) public successes;
    uint256 public billsSettled;
    uint256 public vouchersRefused;
    uint256 public floorsBurned;
    mapping(bytes32 sessionId => mapping(uint32 nodeId => Book)) private _books;
    mapping(bytes32 sessionId => bytes32) private _frozen;
    mapping(bytes32 sessionId => uint32) private _closesAt;
    Settlement private _last;
    uint256 private _nonce;
    /// @dev The lane whose unspent money may fall in the act under way.
    bytes32 private _touchedSession;
    uint32 private _touchedNode;

    function sessionCount() external view returns (uint256) {
        return sessionIds.length;
    }

    function billedUsd6(bytes32 sessionId, uint32 nodeId) external view returns (uint256) {
        return _books[sessionId][nodeId].billedUsd6;
    }

    /* PAYERS */

    function open(uint256 seed, uint64 cap, bool byKey) external {
        if (sessionIds.length == MAX_SESSIONS) return;
        address payer = payerAt(seed);
        OpenParams memory params = OpenParams({
            clientNonce: bytes32(++_nonce),
            modelId: keccak256("model"),
            signer: VM.addr(SIGNER),
            maxPriceUsd6PerGcums: type(uint64).max,
            spendCapUsd6: 1 + cap % 50_000_000,
            minReplicas: 1,
            maxReplicas: 2 + uint8(seed % 3),
            slaMs: 500,
            expiresAt: uint40(block.timestamp + 60 + (seed >> 8) % 600)
        });
        PermitParams memory none;
        bool done = byKey
            ? _act(keyAt(seed), address(settlement), abi.encodeCall(ISessionSettlement.openFor, (payer, params)))
            : _act(payer, address(settlement), abi.encodeCall(ISessionSettlement.open, (params, none)));
        if (done) {
            bytes32 sessionId = settlement.sessionIdOf(payer, params.clientNonce, params.modelId);
            sessionIds.push(sessionId);
            _frozen[sessionId] = _termsHash(sessionId);
            _closesAt[sessionId] = uint32(params.expiresAt);
        }
        _watch();
    }

    function topUp(uint256 seed, uint64 amount) external {
        bytes32 sessionId = _session(seed);
        PermitParams memory none;
        address from = _payerOf(sessionId);
        if (seed % 4 == 0) from = keyAt(seed >> 8);
        _act(from, address(settlement), abi.encodeCall(ISessionSettlement.topUp, (sessionId, amount % 1_000_000, none)));
        _watch();
    }

    function close(uint256 seed) external {
        bytes32 sessionId = _session(seed);
        if (seed % 4 != 0) return;
        _act(_payerOf(sessionId), address(settlement), abi.encodeCall(ISessionSettlement.close, (sessionId)));
        _watch();
    }

    function replaceSigner(uint256 seed) external {
        bytes32 sessionId = _session(seed);
        address next = VM.addr(seed % 2 == 0 ? SIGNER : SECOND_SIGNER);
        _act(_payerOf(sessionId), address(settlement), abi.encodeCall(ISessionSettlement.replaceSigner, (sessionId, next)));
        _watch();
    }

    function moveBalance(uint256 seed, uint96 amount) external {
        address payer = payerAt(seed);
        uint256 which = (seed >> 8) % 5;
        amount = amount % 10_000_000;
        bytes memory data = which == 0
            ? abi.encodeCall(IPaymentVault.deposit, (payer, amount))
            : which == 1
                ? abi.encodeCall(IPaymentVault.withdraw, (payer, amount))
                : which == 2
                    ? abi.encodeCall(IPaymentVault.beginWithdrawal, (payer, amount))
                    : which == 3
                        ? abi.encodeCall(IPaymentVault.finishWithdrawal, (payer))
                        : abi.encodeCall(IPaymentVault.cancelWithdrawal, ());
        _act(payer, address(vault), data);
        _watch();
    }

    /* KEEPERS, NODES AND ANYONE */

    function assign(uint256 seed, uint64 allotment) external {
        bytes32 sessionId = _session(seed);
        uint32 nodeId = _node(seed);
        uint64 current = settlement.lane(sessionId, nodeId).money.allotmentUsd6;
        uint64 next = current + allotment % 5_000_000;
        address from = seed % 3 == 0 ? _payerOf(sessionId) : KEEPER;
        _act(
            from,
            address(settlement),
            abi.encodeCall(ISessionSettlement.assignReplica, (sessionId, nodeId, Role(seed % 2), next))
        );
        Book storage book = _books[sessionId][nodeId];
        LaneMoney memory money = settlement.lane(sessionId, nodeId).money;
        if (book.head == 0 && money.powerCu != 0) {
            book.head = VoucherChain.firstHead(sessionId, nodeId);
            book.powerCu = money.powerCu;
        }
        _watch();
    }

    function release(uint256 seed) external {
        bytes32 sessionId = _session(seed);
        uint32 nodeId = _node(seed);
        address from = seed % 3 == 0 ? ownerAt(nodeId) : seed % 3 == 1 ? KEEPER : _payerOf(sessionId);
        _act(from, address(settlement), abi.encodeCall(ISessionSettlement.releaseReplica, (sessionId, nodeId)));
        _watch();
    }

    function reclaim(uint256 seed) external {
        bytes32 sessionId = _session(seed);
        uint32 nodeId = _node(seed);
        (_touchedSession, _touchedNode) = (sessionId, nodeId);
        _act(STRANGER, address(settlement), abi.encodeCall(ISessionSettlement.reclaimLane, (sessionId, nodeId)));
        _watch();
    }

    function finish(uint256 seed) external {
        _act(STRANGER, address(settlement), abi.encodeCall(ISessionSettlement.finish, (_session(seed))));
        _watch();
    }

    function collect(uint256 seed) external {
        bytes32 sessionId = _session(seed);
        uint32 nodeId = _node(seed);
        (_touchedSession, _touchedNode) = (sessionId, nodeId);
        LOGS_VM.recordLogs();
        _act(STRANGER, address(settlement), abi.encodeCall(ISessionSettlement.collect, (sessionId, nodeId)));
        _readLogs();
        _watch();
    }

    function payCredit(uint256 seed) external {
        address account = seed % 3 == 0 ? TREASURY : payoutAt(_node(seed));
        uint256 credit = vault.accountOf(account).creditUsd6;
        if (_act(STRANGER, address(vault), abi.encodeCall(IPaymentVault.payCredit, (account)))) {
            paidOutUsd6[account] += credit;
        }
        _watch();
    }

    /* VOUCHERS */

    /// @notice One to three vouchers of one lane, settled with the last's signature, or forged in one of five ways.
    function settle(uint256 seed, uint32 ms, uint8 forgery) external {
        bytes32 sessionId = _session(seed);
        uint32 nodeId = _node(seed);
        Book memory book = _books[sessionId][nodeId];
        if (book.head == 0) return;
        Settlement memory signed = _voucher(sessionId, nodeId, book, seed, ms);
        bool forged = forgery % 8 < 5;
        if (forged) _forge(signed, forgery % 8);
        (_touchedSession, _touchedNode) = (sessionId, nodeId);
        Settlement[] memory batch = new Settlement[](2);
        // The newest settlement once more, before or after: it must change nothing, whatever stands beside it.
        (batch[seed % 2], batch[1 - seed % 2]) = (signed, _last.segments.length == 0 ? signed : _last);
        LOGS_VM.recordLogs();
        _act(STRANGER, address(settlement), abi.encodeCall(ISessionSettlement.settle, (batch)));
        uint256 billed = _readLogs();
        LaneMoney memory money = settlement.lane(sessionId, nodeId).money;
        if (billed != 0) {
            if (forged) broken = "a forged voucher was settled";
            if (money.weight != book.weight || money.seq != book.seq) broken = "INV-13: another sum was settled";
            if (billed != signed.segments.length) broken = "INV-13: settled twice";
            book.billedUsd6 = SessionMoney.due(book.weight, book.powerCu, settlement.session(sessionId).terms.priceUsd6PerGcums);
            _books[sessionId][nodeId] = book;
            _remember(signed);
        }
        _watch();
    }

    function claimFloor(uint256 seed, uint32 ms) external {
        bytes32 sessionId = _session(seed);
        uint32 nodeId = _node(seed);
        Book memory book = _books[sessionId][nodeId];
        uint256 count = 1 + seed % 3;
        Receipt[] memory receipts = new Receipt[](count);
        bytes[] memory signatures = new bytes[](count);
        for (uint256 i = 0; i < count; ++i) {
            receipts[i].taskId = VoucherChain.taskIdOf(sessionId, nodeId, uint64(book.seq + 1 + i));
            receipts[i].nodeId = nodeId;
            receipts[i].modelId = keccak256("model");
            receipts[i].powerCu = book.powerCu;
            receipts[i].durationMs = ms % 100_000;
            signatures[i] = _sign(
                _operatorKey(nodeId), ESCROW, keccak256(abi.encode(SignedMessages.RECEIPT_TYPEHASH, receipts[i]))
            );
        }
        _act(
            ownerAt(nodeId),
            address(settlement),
            abi.encodeCall(ISessionSettlement.claimFloor, (sessionId, nodeId, receipts, signatures))
        );
        _watch();
    }

    function burnFloor(uint256 seed) external {
        bytes32 sessionId = _session(seed);
        uint32 nodeId = _node(seed);
        (_touchedSession, _touchedNode) = (sessionId, nodeId);
        (uint128 before,) = _stakes.stakes(nodeId);
        uint64 allotment = settlement.lane(sessionId, nodeId).money.allotmentUsd6;
        _act(STRANGER, address(settlement), abi.encodeCall(ISessionSettlement.burnFloor, (sessionId, nodeId)));
        uint64 burned = allotment - settlement.lane(sessionId, nodeId).money.allotmentUsd6;
        (uint128 left,) = _stakes.stakes(nodeId);
        uint256 rate = settlement.session(sessionId).terms.stakeWeiPerUsd6;
        if (uint256(burned) * rate > before - left) broken = "the payer lost more than the node";
        if (burned != 0) ++floorsBurned;
        spentUsd6[_payerOf(sessionId)] += burned;
        earnedUsd6[BURNED] += burned;
        _watch();
    }

    /* TROUBLE */

    /// @notice Time passes: seconds mostly, sometimes more than a settle window.
    function pass(uint256 seed) external {
        VM.warp(block.timestamp + 1 + (seed % 4 == 0 ? seed % 200 : seed % 15));
        if (seed % 8 != 0) answer(50_000_000);
        _watch();
    }

    /// @notice The price moves, stake is lost, the feed goes down, the keeper goes and comes.
    function disturb(uint256 seed) external {
        if (seed % 4 == 0) _oracle.setPrice(uint64(1_000 + seed % 1_000_000));
        else if (seed % 4 == 1) _stakes.setStake(_node(seed), uint128(seed % 1e24));
        else if (seed % 4 == 2) _feed.takeDown();
        else if (seed % 8 == 3) _authority.revokeRole(1, KEEPER);
        else _authority.grantRole(1, KEEPER, 0);
        _watch();
    }

    /// @notice The token calls back in the middle of the next transfer, keeps a fee, or blocks a receiver.
    function poison(uint256 seed) external {
        PermitParams memory none;
        bytes32 sessionId = _session(seed);
        if (seed % 4 == 0) token.arm(address(vault), abi.encodeCall(IPaymentVault.payCredit, (payoutAt(_node(seed)))));
        else if (seed % 4 == 1) token.arm(address(vault), abi.encodeCall(IPaymentVault.finishWithdrawal, (payerAt(seed))));
        else if (seed % 4 == 2) {
            token.arm(address(settlement), abi.encodeCall(ISessionSettlement.topUp, (sessionId, 1_000, none)));
        } else {
            token.setFee(seed % 8 == 3 ? 100 : 0);
        }
        token.setBlocked(payoutAt(_node(seed >> 16)), seed % 2 == 0);
        _watch();
    }

    /// @notice Whoever is no rail tries every way to money; nothing may come of it.
    function intrude(uint256 seed, uint96 amount) external {
        address[5] memory intruders = [STRANGER, KEEPER, ownerAt(_node(seed)), keyAt(seed), address(_authority)];
        address from = intruders[seed % 5];
        PermitParams memory none;
        bytes[7] memory acts = [
            abi.encodeCall(IPaymentVault.payFromHeld, (from, amount)),
            abi.encodeCall(IPaymentVault.returnFromHeld, (from, amount)),
            abi.encodeCall(IPaymentVault.collectOwed, (payerAt(seed), from, amount)),
            abi.encodeCall(IPaymentVault.hold, (payerAt(seed), amount, none)),
            abi.encodeCall(IPaymentVault.holdByKey, (payerAt(seed), from, amount)),
            abi.encodeCall(IPaymentVault.endObligation, (payerAt(seed))),
            abi.encodeCall(IPaymentVault.settle, (payerAt(seed), from, amount, amount))
        ];
        if (_act(from, address(vault), acts[(seed >> 8) % 7])) broken = "INV-7: a stranger moved money";
        // The other rail reaches no pot but its own, which is empty.
        if (amount != 0 && _act(address(this), address(vault), acts[seed % 2])) broken = "INV-7: a rail moved another's pot";
        _watch();
    }

    function donate(uint256 seed) external {
        uint256 amount = seed % 1_000;
        // Outside of the vault's guard a call back is only what anyone may do, and would blur the book.
        token.arm(address(0), "");
        uint256 before = token.balanceOf(address(vault));
        token.transfer(address(vault), amount);
        donatedUsd6 += token.balanceOf(address(vault)) - before;
        _watch();
    }

    /* BOOKKEEPING */

    function _session(uint256 seed) private view returns (bytes32) {
        return sessionIds.length == 0 ? bytes32(0) : sessionIds[(seed >> 32) % sessionIds.length];
    }

    function _node(uint256 seed) private pure returns (uint32) {
        return uint32(1 + (seed >> 64) % NODES);
    }

    function _payerOf(bytes32 sessionId) private view returns (address) {
        return settlement.session(sessionId).terms.payer;
    }

    /// @dev Calls as `from`. False if it was refused for a stated reason.
    function _act(address from, address to, bytes memory data) private returns (bool done) {
        bytes memory reason;
        if (from != address(this)) VM.prank(from);
        (done, reason) = to.call(data);
        if (done) {
            ++successes[bytes4(data)];
            return true;
        }
        if (reason.length < 4 || bytes4(reason) == 0x4e487b71) broken = "refused without a stated reason";
    }

    function _voucher(bytes32 sessionId, uint32 nodeId, Book memory book, uint256 seed, uint32 ms)
        private
        view
        returns (Settlement memory signed)
    {
        Segment[] memory segments = new Segment[](1 + seed % 3);
        uint64 price = settlement.session(sessionId).terms.priceUsd6PerGcums;
        bytes32 structHash;
        for (uint256 i = 0; i < segments.length; ++i) {
            bytes memory bills;
            for (uint256 k = 0; k <= (seed >> 16) % 9; ++k) {
                uint32 record = uint32(ms % 20_000) + uint32(k * 7);
                bool isStandby = (seed >> (20 + k)) % 4 == 0;
                bills = bytes.concat(bills, bytes4(isStandby ? record | 0x80000000 : record));
                book.weight += uint256(record) * (isStandby ? 1_000 : 10_000);
                ++book.seq;
            }
            segments[i] = Segment(bills, keccak256(abi.encode(seed, i)));
            uint128 due = uint128(SessionMoney.due(book.weight, book.powerCu, price));
            structHash = VoucherChain.voucherHash(
                sessionId, nodeId, uint64(book.seq), due, book.head, keccak256(bills), segments[i].receiptsRoot
            );
            book.head = VoucherChain.nextHead(book.head, keccak256(bills), segments[i].receiptsRoot);
        }
        signed = Settlement(sessionId, nodeId, segments, _signVoucher(sessionId, structHash));
    }

    function _signVoucher(bytes32 sessionId, bytes32 structHash) private view returns (bytes memory) {
        uint256 key = settlement.session(sessionId).terms.signer == VM.addr(SIGNER) ? SIGNER : SECOND_SIGNER;
        return _sign(key, address(settlement), structHash);
    }

    function _forge(Settlement memory signed, uint8 way) private view {
        Segment memory last = signed.segments[signed.segments.length - 1];
        if (way == 0) last.bills = bytes.concat(last.bills, bytes4(uint32(1)));
        else if (way == 1) last.bills[3] = bytes1(uint8(last.bills[3]) ^ 1);
        else if (way == 2) last.receiptsRoot = bytes32(uint256(last.receiptsRoot) ^ 1);
        else if (way == 3) signed.signature = _sign(_operatorKey(1), address(settlement), last.receiptsRoot);
        else last.bills = bytes.concat(last.bills, bytes1(0));
    }

    function _remember(Settlement memory signed) private {
        delete _last;
        _last.sessionId = signed.sessionId;
        _last.nodeId = signed.nodeId;
        _last.signature = signed.signature;
        for (uint256 i = 0; i < signed.segments.length; ++i) _last.segments.push(signed.segments[i]);
    }

    /// @dev INV-3: books what the events say, nothing else. Gives the number of bills events.
    function _readLogs() private returns (uint256 billed) {
        LogsVm.Log[] memory logs = LOGS_VM.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].emitter != address(settlement)) continue;
            if (logs[i].topics[0] == ISessionSettlement.VoucherRefused.selector) ++vouchersRefused;
            bool isBills = logs[i].topics[0] == ISessionSettlement.BillsSettled.selector;
            if (!isBills && logs[i].topics[0] != ISessionSettlement.OwedCollected.selector) continue;
            uint32 nodeId = uint32(uint256(logs[i].topics[2]));
            address payer = address(uint160(uint256(logs[i].topics[3])));
            uint64 paid;
            uint64 fee;
            if (isBills) {
                ++billed;
                ++billsSettled;
                (,,,, paid, fee,,,) =
                    abi.decode(logs[i].data, (uint64, uint32, uint64, uint128, uint64, uint64, uint64, bytes32, bytes));
            } else {
                (paid, fee,,) = abi.decode(logs[i].data, (uint64, uint64, uint64, uint64));
            }
            spentUsd6[payer] += paid;
            earnedUsd6[payoutAt(nodeId)] += paid - fee;
            earnedUsd6[TREASURY] += fee;
        }
    }

    /// @dev INV-9, INV-12 and INV-16 compare now with before, so they are checked after every act.
    function _watch() private {
        for (uint256 i = 0; i < sessionIds.length; ++i) {
            bytes32 sessionId = sessionIds[i];
            if (_termsHash(sessionId) != _frozen[sessionId]) broken = "INV-12: terms of an open session changed";
            uint32 closesAt = settlement.session(sessionId).terms.closesAt;
            if (closesAt > _closesAt[sessionId]) broken = "INV-12: the session was prolonged";
            _closesAt[sessionId] = closesAt;
            for (uint32 nodeId = 1; nodeId <= NODES; ++nodeId) _watchLane(sessionId, nodeId);
        }
        (_touchedSession, _touchedNode) = (0, 0);
    }

    function _watchLane(bytes32 sessionId, uint32 nodeId) private {
        Book storage book = _books[sessionId][nodeId];
        Lane memory lane = settlement.lane(sessionId, nodeId);
        if (lane.money.seq != book.seq || lane.money.weight != book.weight || lane.head != book.head) {
            broken = "INV-9: a lane's chain is not what was settled";
        }
        if (lane.money.powerCu != book.powerCu) broken = "INV-12: a lane's power changed";
        uint64 unspent = lane.money.allotmentUsd6 - lane.money.paidUsd6;
        bool touched = _touchedSession == sessionId && _touchedNode == nodeId;
        if (unspent < book.unspentUsd6 && !touched) broken = "INV-16: a lane's money was spent elsewhere";
        book.unspentUsd6 = unspent;
    }

    /// @dev All that never changes once a session is open.
    function _termsHash(bytes32 sessionId) private view returns (bytes32) {
        Session memory s = settlement.session(sessionId);
        return keccak256(
            abi.encode(
                s.terms.payer, s.terms.priceUsd6PerGcums, s.terms.feeBps, s.terms.stakeWeiPerUsd6, s.modelId, s.slaMs,
                s.purse.minReplicas, s.purse.maxReplicas
            )
        );
    }
}
