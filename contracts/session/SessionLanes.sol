// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISessionSettlement} from "../interfaces/ISessionSettlement.sol";
import {SessionMachine} from "../libraries/SessionMachine.sol";
import {SessionMoney} from "../libraries/SessionMoney.sol";
import {VoucherChain} from "../libraries/VoucherChain.sol";
import {FloorState, Lane, LaneMoney, LaneState, Purse, Role, Session} from "../types/SessionTypes.sol";
import {SessionBase} from "./SessionBase.sol";

/// @title Who serves a session, and how much of its money each may earn.
abstract contract SessionLanes is SessionBase {
    using SessionMachine for Session;
    using SessionMoney for Purse;

    /// @inheritdoc ISessionSettlement
    function assignReplica(bytes32 sessionId, uint32 nodeId, Role role, uint64 allotmentUsd6) external {
        Session storage stored = _sessions[sessionId];
        Lane storage itsLane = _lanes[sessionId][nodeId];
        stored.checkOpen(sessionId);
        address payer = stored.terms.payer;
        _checkAssigner(sessionId, payer);
        LaneMoney memory money = itsLane.money;
        if (itsLane.state != LaneState.Active) {
            uint32 powerCu = registry.eligiblePowerOf(nodeId);
            if (powerCu == 0) revert SessionNodeNotEligible(nodeId);
            // A lane's weight is in ms of one power, so the power it began with stays (INV-12).
            if (itsLane.state == LaneState.None) {
                money.powerCu = powerCu;
                itsLane.head = VoucherChain.firstHead(sessionId, nodeId);
            }
            stored.assign(itsLane, sessionId);
        }
        itsLane.role = role;
        _raise(sessionId, stored, itsLane, money, allotmentUsd6);
        emit ReplicaAssigned(sessionId, nodeId, payer, role, money.powerCu, allotmentUsd6);
    }

    /// @inheritdoc ISessionSettlement
    function releaseReplica(bytes32 sessionId, uint32 nodeId) external {
        Session storage stored = _sessions[sessionId];
        Lane storage itsLane = _existingLane(sessionId, nodeId);
        uint40 releasedAt = uint40(block.timestamp);
        bool isNode = _isNode(nodeId);
        if (!isNode) {
            _checkAssigner(sessionId, stored.terms.payer);
            releasedAt += settleWindow;
        }
        // A node that gives its lane up gives its claim up.
        if (isNode && itsLane.floor == FloorState.Claimed) {
            itsLane.floor = FloorState.Covered;
            emit FloorClaimEnded(sessionId, nodeId);
        }
        if (!stored.release(itsLane, releasedAt)) revert SessionLaneWrongState(sessionId, nodeId);
        emit ReplicaReleased(sessionId, nodeId, releasedAt);
    }

    /// @inheritdoc ISessionSettlement
    function reclaimLane(bytes32 sessionId, uint32 nodeId) external {
        Session storage stored = _sessions[sessionId];
        Lane storage itsLane = _existingLane(sessionId, nodeId);
        if (itsLane.state == LaneState.Reclaimed) revert SessionLaneWrongState(sessionId, nodeId);
        uint40 reclaimableAt = SessionMachine.reclaimableAt(stored.terms.closesAt, itsLane, settleWindow);
        if (block.timestamp < reclaimableAt) revert SessionLaneNotReclaimable(sessionId, nodeId, reclaimableAt);

        stored.reclaim(itsLane);
        Purse memory purse = stored.purse;
        LaneMoney memory money = itsLane.money;
        uint64 unspentUsd6 = purse.reclaim(money);
        stored.purse = purse;
        itsLane.money = money;
        emit LaneReclaimed(sessionId, nodeId, unspentUsd6);
    }

    function _raise(
        bytes32 sessionId,
        Session storage stored,
        Lane storage itsLane,
        LaneMoney memory money,
        uint64 allotmentUsd6
    ) private {
        if (allotmentUsd6 < money.allotmentUsd6) revert SessionAllotmentLower(money.allotmentUsd6, allotmentUsd6);
        uint64 raisedUsd6 = allotmentUsd6 - money.allotmentUsd6;
        Purse memory purse = stored.purse;
        if (raisedUsd6 > purse.freeUsd6) revert SessionInsufficientFree(sessionId, purse.freeUsd6, raisedUsd6);
        purse.allot(money, raisedUsd6);
        stored.purse = purse;
        itsLane.money = money;
    }
}
