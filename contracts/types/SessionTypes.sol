// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What a node does in a session: executes, or stands by for the one that does.
enum Role {
    Primary,
    Backup
}

/// @notice Where a session stands. Open until its time is over, then settling, both by the clock alone; Finished once
///      its rest went back to the payer.
enum SessionState {
    None,
    Open,
    Finished
}

/// @notice Where a lane stands. Active → Releasing → Reclaimed, or Active → Reclaimed when the session is over; an
///      assignment makes any of them Active again.
enum LaneState {
    None,
    Active,
    Releasing,
    Reclaimed
}

/// @notice Where a lane's floor stands. A lane's floor is claimed at most once.
enum FloorState {
    Unclaimed,
    Claimed,
    Burned,
    Covered
}

/// @notice Why a voucher of a batch was refused. The rest of the batch is settled all the same.
/// @dev None: not refused. SessionUnknown: no such session. WindowOver: the settle window has ended and no claim on the
///      lane stands. LaneUnknown: the node never had a lane in it. BillsMalformed: no segment, or one that is empty, not
///      a multiple of four bytes or longer than `PackedBills.MAX_BYTES`. SignatureInvalid: not signed so by the session's
///      signer, which includes every voucher that was settled before. TooLarge: a total does not fit its field.
enum VoucherFault {
    None,
    SessionUnknown,
    WindowOver,
    LaneUnknown,
    BillsMalformed,
    SignatureInvalid,
    TooLarge
}

/// @notice What a payer asks for.
/// @param clientNonce Random; makes the session id, which is known before opening.
/// @param modelId keccak256 of the model's canonical manifest.
/// @param signer Key that signs the vouchers; holds no money.
/// @param maxPriceUsd6PerGcums Highest price the payer agrees to; the frozen price is the oracle's.
/// @param spendCapUsd6 What is held for the session, and the most that it can cost before a top-up.
/// @param minReplicas Nodes the payer wants at least; keepers read it.
/// @param maxReplicas Nodes that may hold a lane at a time.
/// @param slaMs Time to a result that the payer wants; keepers read it.
/// @param expiresAt Chain time in seconds at which the session closes by itself.
struct OpenParams {
    bytes32 clientNonce;
    bytes32 modelId;
    address signer;
    uint64 maxPriceUsd6PerGcums;
    uint64 spendCapUsd6;
    uint8 minReplicas;
    uint8 maxReplicas;
    uint32 slaMs;
    uint40 expiresAt;
}

/// @notice What one voucher covers beyond the voucher before it.
/// @param bills Four bytes a record, see PackedBills.
/// @param receiptsRoot Merkle root over the receipts behind these records.
struct Segment {
    bytes bills;
    bytes32 receiptsRoot;
}

/// @notice Some vouchers of one lane, oldest first, with the signature of the last: it covers the earlier ones, whose
///      heads it chains and whose sums it includes.
struct Settlement {
    bytes32 sessionId;
    uint32 nodeId;
    Segment[] segments;
    bytes signature;
}

/// @notice What a session froze when it opened, in two storage slots: all that a settlement reads of it.
/// @param closesAt Chain time in seconds after which nothing can be assigned; the settle window begins then.
struct SessionTerms {
    address signer;
    uint64 priceUsd6PerGcums;
    SessionState state;
    uint16 feeBps;
    address payer;
    uint64 stakeWeiPerUsd6;
    uint32 closesAt;
}

/// @notice A session's money and how many share it, in one storage slot.
/// @dev `putInUsd6 = freeUsd6 + returnedUsd6 + Σ lanes' allotmentUsd6` at any time.
/// @param freeUsd6 Held and allotted to nobody.
/// @param putInUsd6 What the payer put in, less what was burned.
/// @param returnedUsd6 What went back to the payer.
/// @param replicas Active lanes.
/// @param lanes Lanes whose allotment was not reclaimed yet.
struct Purse {
    uint64 freeUsd6;
    uint64 putInUsd6;
    uint64 returnedUsd6;
    uint8 minReplicas;
    uint8 maxReplicas;
    uint8 replicas;
    uint16 lanes;
}

/// @notice A session as stored.
/// @param formerSigner Signer before the newest replacement; its vouchers count until `formerUntil`.
struct Session {
    SessionTerms terms;
    Purse purse;
    bytes32 modelId;
    address formerSigner;
    uint40 formerUntil;
    uint32 slaMs;
}

/// @notice A lane's money, in one storage slot. Every figure is cumulative over the lane's life.
/// @param weight Σ (executionMs × 10,000 + standbyMs × 1,000) of the settled records.
/// @param paidUsd6 Paid out of the lane, treasury fee included; ≤ allotmentUsd6.
/// @param allotmentUsd6 What the lane may spend in all.
/// @param seq Number of settled records.
/// @param powerCu Power of the node, frozen when the lane began.
struct LaneMoney {
    uint64 weight;
    uint64 paidUsd6;
    uint64 allotmentUsd6;
    uint32 seq;
    uint32 powerCu;
}

/// @notice One node's part of a session.
/// @param head Newest settled link of the voucher chain; 0 until the node is first assigned.
/// @param releasedAt Chain time in seconds at which a releasing lane may be reclaimed.
/// @param claimSeq Last record that the node's claim counts.
/// @param claimWeight Weight of the lane with the claimed records.
/// @param burnableAt Chain time in seconds from which the claim burns, for one settle window.
/// @param claimEvidence Hash of the claimed receipts' hashes.
struct Lane {
    LaneMoney money;
    bytes32 head;
    LaneState state;
    Role role;
    uint40 releasedAt;
    FloorState floor;
    uint32 claimSeq;
    uint64 claimWeight;
    uint40 burnableAt;
    bytes32 claimEvidence;
}
