// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISessionSettlement} from "../interfaces/ISessionSettlement.sol";
import {FloorState, Lane, LaneState, Purse, Session, SessionState} from "../types/SessionTypes.sol";

/// @title States of a session and of its lanes, and the only transitions between them.
/// @dev
/// ```text
/// session  None ─open→ Open ─(closesAt)→ settling ─(closesAt + window)→ over ─finish→ Finished
/// lane     None ─assign→ Active ─release→ Releasing ─(releasedAt)─reclaim→ Reclaimed ─assign→ Active
///                        Active ─(session over)─reclaim→ Reclaimed
/// floor    Unclaimed ─claim→ Claimed ─burn→ Burned | Covered; a claim not burned by burnableAt + window has lapsed
/// ```
library SessionMachine {
    /// @notice Requirement of everything but settling and leaving: the session takes assignments and top-ups.
    function checkOpen(Session storage session, bytes32 sessionId) internal view {
        bool isOpen = session.terms.state == SessionState.Open && block.timestamp < session.terms.closesAt;
        if (!isOpen) revert ISessionSettlement.SessionNotOpen(sessionId);
    }

    /// @notice Chain time in seconds at which the vouchers of a session stop counting.
    function settleUntil(uint32 closesAt, uint40 window) internal pure returns (uint40) {
        return uint40(closesAt) + window;
    }

    /// @notice The node has, or again has, a lane that counts as a replica. Requirement: it has none that does.
    function assign(Session storage session, Lane storage lane, bytes32 sessionId) internal {
        LaneState former = lane.state;
        Purse storage purse = session.purse;
        uint8 replicas = purse.replicas;
        if (replicas >= purse.maxReplicas) {
            revert ISessionSettlement.SessionReplicasFull(sessionId, purse.maxReplicas);
        }
        purse.replicas = replicas + 1;
        if (former != LaneState.Releasing) purse.lanes += 1;
        lane.state = LaneState.Active;
        lane.releasedAt = 0;
    }

    /// @notice The lane may be reclaimed from `releasedAt`. One that is releasing may only be released earlier.
    function release(Session storage session, Lane storage lane, uint40 releasedAt) internal returns (bool changed) {
        LaneState former = lane.state;
        if (former == LaneState.Active) session.purse.replicas -= 1;
        else if (former != LaneState.Releasing || releasedAt >= lane.releasedAt) return false;
        lane.state = LaneState.Releasing;
        lane.releasedAt = releasedAt;
        return true;
    }

    /// @notice The lane's unspent allotment is about to be free. The caller has checked the time.
    function reclaim(Session storage session, Lane storage lane) internal {
        if (lane.state == LaneState.Active) session.purse.replicas -= 1;
        session.purse.lanes -= 1;
        lane.state = LaneState.Reclaimed;
        lane.releasedAt = 0;
    }

    /// @notice Whether a claim on the lane's floor stands. Until it has burned or lapsed a voucher may still answer it,
    ///      also after the session's settle window: a claim in its last second would leave no time otherwise.
    function isClaimed(Lane storage lane, uint40 window) internal view returns (bool) {
        return lane.floor == FloorState.Claimed && block.timestamp < lane.burnableAt + window;
    }

    /// @notice Chain time in seconds from which the lane may be reclaimed: its own release or the session's end, and
    ///      not before a claim has lapsed.
    function reclaimableAt(uint32 closesAt, Lane storage lane, uint40 window)
        internal
        view
        returns (uint40 from)
    {
        from = settleUntil(closesAt, window);
        if (lane.state == LaneState.Releasing && lane.releasedAt < from) from = lane.releasedAt;
        if (lane.floor == FloorState.Claimed && lane.burnableAt + window > from) from = lane.burnableAt + window;
    }
}
