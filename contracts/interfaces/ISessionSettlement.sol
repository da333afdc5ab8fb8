// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Lane, OpenParams, Role, Session, Settlement, VoucherFault} from "../types/SessionTypes.sol";
import {PermitParams, Receipt} from "../types/TaskTypes.sol";

/// @title The session rail: one payer, many nodes, bills by the thousand.
/// @notice A session holds its whole spend cap; each (session, node) lane has its own allotment of it. The payer's
///      signer co-signs cumulative vouchers; anyone settles them; the contract prices the packed bills itself. Amounts
///      are base units of the payment token (usd6). Every state is left by time alone: no keeper, no loop.
/// @dev Per session `put in = free + returned + Σ allotments` and per lane `paid ≤ min(due, allotment)`, so a session
///      never costs more than was put in, whatever its signer signs.
interface ISessionSettlement {
    /// @notice A session began; nothing of it but its signer and its money changes later.
    event SessionOpened(
        bytes32 indexed sessionId,
        address indexed payer,
        bytes32 indexed modelId,
        bytes32 clientNonce,
        address openedBy,
        address signer,
        uint64 priceUsd6PerGcums,
        uint64 stakeWeiPerUsd6,
        uint16 feeBps,
        uint64 spendCapUsd6,
        uint8 minReplicas,
        uint8 maxReplicas,
        uint32 slaMs,
        uint40 expiresAt
    );
    /// @notice The payer put in more; `putInUsd6` is the session's new maximum.
    event SessionToppedUp(bytes32 indexed sessionId, address indexed payer, uint64 amountUsd6, uint64 putInUsd6);
    /// @notice The session takes no more assignments from `closesAt` and no more vouchers from `settleUntil`.
    event SessionClosed(bytes32 indexed sessionId, address indexed payer, uint40 closesAt, uint40 settleUntil);
    /// @notice The session's rest went back to the payer's available money.
    event SessionFinished(bytes32 indexed sessionId, address indexed payer, uint64 returnedUsd6);
    /// @notice The signer changed; the former one's vouchers count until `formerUntil`.
    event SignerReplaced(
        bytes32 indexed sessionId, address indexed formerSigner, address indexed signer, uint40 formerUntil
    );
    /// @notice The lane may spend `allotmentUsd6` in all.
    event ReplicaAssigned(
        bytes32 indexed sessionId,
        uint32 indexed nodeId,
        address indexed payer,
        Role role,
        uint32 powerCu,
        uint64 allotmentUsd6
    );
    /// @notice The lane gets no more tasks; what it does not spend may be reclaimed from `reclaimableAt`.
    event ReplicaReleased(bytes32 indexed sessionId, uint32 indexed nodeId, uint40 reclaimableAt);
    /// @notice `unspentUsd6` of the lane is free again.
    event LaneReclaimed(bytes32 indexed sessionId, uint32 indexed nodeId, uint64 unspentUsd6);
    /// @notice One voucher was settled. Layout of `bills`: four bytes a record, big-endian, back to back; bit 31 set: a
    ///      standby line at a tenth of the price, clear: an execution; the low 31 bits are ms. Record k (from 0) has
    ///      number `firstSeq + k` and its task id is keccak256(abi.encode(sessionId, nodeId, number)). A record's
    ///      amount is the difference of ⌊Σ weight × powerCu × price ÷ 10¹³⌋ after and before it, where an execution
    ///      weighs 10,000 a ms and a standby line 1,000.
    /// @param cumulativeUsd6 Due by the lane after this voucher, over all its vouchers.
    /// @param paidUsd6 Moved out of the lane's allotment for this voucher, treasury fee included.
    /// @param feeUsd6 The part of `paidUsd6` that the treasury got; the node's payout was credited the rest.
    /// @param owedUsd6 Due and unpaid after this voucher.
    event BillsSettled(
        bytes32 indexed sessionId,
        uint32 indexed nodeId,
        address indexed payer,
        uint64 firstSeq,
        uint32 powerCu,
        uint64 priceUsd6PerGcums,
        uint128 cumulativeUsd6,
        uint64 paidUsd6,
        uint64 feeUsd6,
        uint64 owedUsd6,
        bytes32 receiptsRoot,
        bytes bills
    );
    /// @notice A voucher of a batch was not settled.
    event VoucherRefused(bytes32 indexed sessionId, uint32 indexed nodeId, VoucherFault code);
    /// @notice A shortfall was paid later; fields as in BillsSettled. `recoveredUsd6` of `paidUsd6` came from what the
    ///      session had returned to the payer.
    event OwedCollected(
        bytes32 indexed sessionId,
        uint32 indexed nodeId,
        address indexed payer,
        uint64 paidUsd6,
        uint64 feeUsd6,
        uint64 recoveredUsd6,
        uint64 owedUsd6
    );
    /// @notice A node showed receipts that no voucher covers. Unless one does before `burnableAt`, their amount burns.
    event FloorClaimed(
        bytes32 indexed sessionId, uint32 indexed nodeId, uint64 claimSeq, uint64 claimUsd6, bytes32 evidence, uint40 burnableAt
    );
    /// @notice `burnedUsd6` of the lane and an equal value of the node's stake are gone; neither side gained.
    event FloorBurned(
        bytes32 indexed sessionId, uint32 indexed nodeId, uint64 burnedUsd6, uint256 slashId, uint256 slashedWei
    );
    /// @notice The claim ended unburned: a voucher covers it, or its time has passed.
    event FloorClaimEnded(bytes32 indexed sessionId, uint32 indexed nodeId);

    /// @notice A parameter of the deployment is outside its bounds.
    error SessionParameterInvalid();
    /// @notice An address that must not be zero is zero.
    error SessionZeroAddress();
    /// @notice The session lacks a model, a signer, a cap or a sensible number of replicas.
    error SessionInvalidOpen();
    /// @notice The expiry must lie between the two.
    error SessionExpiryOutOfRange(uint40 expiresAt, uint40 earliest, uint40 latest);
    /// @notice The price rose above what the payer agreed to.
    error SessionPriceAboveMax(uint64 priceUsd6PerGcums, uint64 maxPriceUsd6PerGcums);
    /// @notice A session of this id was opened before.
    error SessionExists(bytes32 sessionId);
    /// @notice The session does not exist, has closed or is finished.
    error SessionNotOpen(bytes32 sessionId);
    /// @notice The session's settle window has not ended.
    error SessionStillSettling(bytes32 sessionId, uint40 settleUntil);
    /// @notice The session's settle window has ended.
    error SessionWindowOver(bytes32 sessionId, uint40 settleUntil);
    /// @notice The session's lanes must be reclaimed first.
    error SessionLanesLeft(bytes32 sessionId, uint16 lanes);
    /// @notice Only the payer, or where allowed its key, a keeper or the node itself may do this.
    error SessionNotAllowed(bytes32 sessionId, address caller);
    /// @notice A signer was replaced lately; its vouchers still count.
    error SessionSignerThawing(bytes32 sessionId, uint40 formerUntil);
    /// @notice The amount is zero.
    error SessionZeroAmount();
    /// @notice As many nodes hold lanes as the payer wants.
    error SessionReplicasFull(bytes32 sessionId, uint8 maxReplicas);
    /// @notice The node is not staked, is leaving or is paused.
    error SessionNodeNotEligible(uint32 nodeId);
    /// @notice An allotment is only lowered by releasing the lane.
    error SessionAllotmentLower(uint64 allotmentUsd6, uint64 askedUsd6);
    /// @notice The session has less to allot than asked.
    error SessionInsufficientFree(bytes32 sessionId, uint64 freeUsd6, uint64 askedUsd6);
    /// @notice The lane is not in a state that allows this.
    error SessionLaneWrongState(bytes32 sessionId, uint32 nodeId);
    /// @notice The lane's vouchers may still be settled.
    error SessionLaneNotReclaimable(bytes32 sessionId, uint32 nodeId, uint40 reclaimableAt);
    /// @notice The lane owes nothing that could be collected now.
    error SessionNothingOwed(bytes32 sessionId, uint32 nodeId);
    /// @notice A claim on the lane's floor is pending until `until`, or was made before.
    error SessionFloorClaimed(bytes32 sessionId, uint32 nodeId, uint40 until);
    /// @notice The claim has no receipts, too many, or not as many signatures.
    error SessionClaimInvalid();
    /// @notice Receipt number `index` is not the lane's next record, not a success of this node, or not signed by it.
    error SessionReceiptInvalid(uint256 index);
    /// @notice The claim does not burn now, but between the two.
    error SessionClaimNotBurnable(bytes32 sessionId, uint32 nodeId, uint40 burnableAt, uint40 lapsesAt);

    /// @notice Open a session paid by the caller. Effects: holds `spendCapUsd6` of the caller (available money first,
    ///      the rest pulled), freezes price and fee. Requirements: complete parameters; the oracle quotes; price ≤ maximum.
    /// @param permit For the part that is pulled from the wallet; `deadline == 0` uses the existing allowance.
    function open(OpenParams calldata params, PermitParams calldata permit) external returns (bytes32 sessionId);

    /// @notice As `open`, paid from `payer`'s available money alone. Requirement: caller is a key that the payer
    ///      authorised, with enough of its cap left.
    function openFor(address payer, OpenParams calldata params) external returns (bytes32 sessionId);

    /// @notice Put in more. Requirements: session open; caller is the payer, or its key (then from available money).
    function topUp(bytes32 sessionId, uint64 amountUsd6, PermitParams calldata permit) external;

    /// @notice Begin the settle window now. Requirements: session open; caller is the payer or its key.
    function close(bytes32 sessionId) external;

    /// @notice Let another key sign vouchers. Requirements: session open; caller is the payer; no former signer counts.
    function replaceSigner(bytes32 sessionId, address newSigner) external;

    /// @notice Give the rest back to the payer. Anyone may call. Requirements: settle window over; lanes reclaimed.
    function finish(bytes32 sessionId) external;

    /// @notice Give a node a lane, or a lane more. Requirements: session open; caller is a keeper, the payer or its key;
    ///      a node that holds no active lane is eligible and there is room; enough is free.
    /// @param allotmentUsd6 What the lane may spend over its whole life; not below what it is now.
    function assignReplica(bytes32 sessionId, uint32 nodeId, Role role, uint64 allotmentUsd6) external;

    /// @notice End a lane. By a keeper, the payer or its key: the unspent allotment can be reclaimed after one settle
    ///      window. By the node's owner or operator: it is free at once.
    function releaseReplica(bytes32 sessionId, uint32 nodeId) external;

    /// @notice Free what a lane did not spend. Anyone may call. Requirements: released one settle window ago, or the
    ///      session's settle window is over; no claim on the floor pending.
    function reclaimLane(bytes32 sessionId, uint32 nodeId) external;

    /// @notice Settle vouchers of any number of lanes. Anyone may call; a bad voucher emits VoucherRefused and never
    ///      blocks the rest. Effects per lane: head, sequence and cumulative amount rise; what the allotment covers is
    ///      credited to the node's registered payout less the treasury fee; the node's stake is locked; the rest is owed.
    /// @dev Consecutive settlements of one node share one credit and one lock.
    function settle(Settlement[] calldata settlements) external;

    /// @notice Pay what a lane is owed from its allotment, then the session's free money, then, once the session is
    ///      finished, from what it returned to the payer as far as the payer still has it in the vault. Anyone may call.
    function collect(bytes32 sessionId, uint32 nodeId) external;

    /// @notice Show the receipts that follow a lane's last voucher when the payer will not co-sign.
    ///      Effects: one settle window later their amount, at most the floor, can be burned; until then a voucher answers.
    /// @dev Requirements: caller is the node's owner or operator, or a keeper that relays for it; `receipts[i]` is a
    ///      success of this node under the task id of record `seq + 1 + i`, for the session's model and the lane's power,
    ///      signed by an operator key of the node for the domain of TaskEscrow; once a lane.
    function claimFloor(bytes32 sessionId, uint32 nodeId, Receipt[] calldata receipts, bytes[] calldata signatures)
        external;

    /// @notice Burn what was claimed and not covered since, and as much of the node's stake in value: never more of the
    ///      one than of the other. Anyone may call, from `burnableAt` for one settle window; then the claim has lapsed.
    function burnFloor(bytes32 sessionId, uint32 nodeId) external;

    /// @notice Id of a session of `payer`, known before it is opened.
    function sessionIdOf(address payer, bytes32 clientNonce, bytes32 modelId) external view returns (bytes32);

    /// @notice The session's record; all zero if there is none.
    function session(bytes32 sessionId) external view returns (Session memory);

    /// @notice The lane's record; all zero if there is none.
    function lane(bytes32 sessionId, uint32 nodeId) external view returns (Lane memory);

    /// @notice What the lane owes and has not paid.
    function owedOf(bytes32 sessionId, uint32 nodeId) external view returns (uint64);

    /// @notice What the lane's node may burn on its receipts alone: min(unspent allotment, one credit window).
    function floorOf(bytes32 sessionId, uint32 nodeId) external view returns (uint64);

    /// @notice Seconds between the end of a session or lane and the return of its money.
    function settleWindow() external view returns (uint40);
}
