// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PackedBills} from "../libraries/PackedBills.sol";
import {SessionLimits} from "../libraries/SessionLimits.sol";
import {SessionMoney} from "../libraries/SessionMoney.sol";
import {SignedMessages} from "../libraries/SignedMessages.sol";
import {VoucherChain} from "../libraries/VoucherChain.sol";
import {Voucher} from "../types/MessageTypes.sol";
import {LaneMoney, Purse} from "../types/SessionTypes.sol";

/// @title The libraries of the session rail, callable.
contract SessionHarness {
    function isWellFormed(bytes calldata bills) external pure returns (bool) {
        return PackedBills.isWellFormed(bills);
    }

    function weigh(bytes calldata bills) external pure returns (uint256) {
        return PackedBills.weigh(bills);
    }

    function weighPlainly(bytes calldata bills) external pure returns (uint256) {
        return PackedBills.weighPlainly(bills);
    }

    /// @notice Gas of both ways over the same bills.
    function gasOf(bytes calldata bills) external view returns (uint256 fast, uint256 plain, uint256 weight) {
        uint256 before = gasleft();
        weight = PackedBills.weigh(bills);
        uint256 between = gasleft();
        uint256 same = PackedBills.weighPlainly(bills);
        plain = between - gasleft();
        fast = before - between;
        assert(same == weight);
    }

    function due(uint256 weight, uint32 powerCu, uint64 priceUsd6PerGcums) external pure returns (uint256) {
        return SessionMoney.due(weight, powerCu, priceUsd6PerGcums);
    }

    function fee(uint64 paidUsd6, uint16 feeBps) external pure returns (uint64) {
        return SessionMoney.fee(paidUsd6, feeBps);
    }

    function pay(LaneMoney memory lane, uint256 dueUsd6) external pure returns (uint64 paidUsd6, LaneMoney memory) {
        return (SessionMoney.pay(lane, dueUsd6), lane);
    }

    function allot(Purse memory purse, LaneMoney memory lane, uint64 amountUsd6)
        external
        pure
        returns (Purse memory, LaneMoney memory)
    {
        SessionMoney.allot(purse, lane, amountUsd6);
        return (purse, lane);
    }

    function reclaim(Purse memory purse, LaneMoney memory lane)
        external
        pure
        returns (uint64 unspentUsd6, Purse memory, LaneMoney memory)
    {
        return (SessionMoney.reclaim(purse, lane), purse, lane);
    }

    function burn(Purse memory purse, LaneMoney memory lane, uint64 amountUsd6)
        external
        pure
        returns (Purse memory, LaneMoney memory)
    {
        SessionMoney.burn(purse, lane, amountUsd6);
        return (purse, lane);
    }

    function recover(Purse memory purse, LaneMoney memory lane, uint64 amountUsd6)
        external
        pure
        returns (Purse memory, LaneMoney memory)
    {
        SessionMoney.recover(purse, lane, amountUsd6);
        return (purse, lane);
    }

    function sessionIdOf(address settlement, address payer, bytes32 clientNonce, bytes32 modelId)
        external
        view
        returns (bytes32)
    {
        return VoucherChain.sessionIdOf(settlement, payer, clientNonce, modelId);
    }

    function firstHead(bytes32 sessionId, uint32 nodeId) external pure returns (bytes32) {
        return VoucherChain.firstHead(sessionId, nodeId);
    }

    function nextHead(bytes32 prevHead, bytes32 billsHash, bytes32 receiptsRoot) external pure returns (bytes32) {
        return VoucherChain.nextHead(prevHead, billsHash, receiptsRoot);
    }

    function taskIdOf(bytes32 sessionId, uint32 nodeId, uint64 seq) external pure returns (bytes32) {
        return VoucherChain.taskIdOf(sessionId, nodeId, seq);
    }

    /// @notice The hash that settlements use beside the one of the whole struct.
    function voucherHashes(Voucher calldata v) external pure returns (bytes32 ofFields, bytes32 ofStruct) {
        ofFields = VoucherChain.voucherHash(
            v.sessionId, v.nodeId, v.seq, v.cumulativeUsd6, v.prevHead, v.billsHash, v.receiptsRoot
        );
        ofStruct = SignedMessages.hash(v);
    }

    /// @dev In the order of protocol/src/session/sessionLimits.ts.
    function limits() external pure returns (uint256[6] memory) {
        return [
            uint256(SessionLimits.MAX_SESSION_S),
            SessionLimits.MIN_SETTLE_WINDOW_S,
            SessionLimits.MAX_SETTLE_WINDOW_S,
            SessionLimits.MAX_FEE_BPS,
            SessionLimits.CREDIT_WINDOW_MS,
            SessionLimits.MAX_CLAIM_RECEIPTS
        ];
    }

    /// @dev In the order of `billing` in protocol/src/session/packedBills.ts.
    function packing() external pure returns (uint256[4] memory) {
        return [
            PackedBills.BYTES_PER_RECORD,
            PackedBills.MAX_BYTES / PackedBills.BYTES_PER_RECORD,
            PackedBills.EXECUTION_BPS,
            PackedBills.STANDBY_BPS
        ];
    }
}
