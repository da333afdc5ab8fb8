// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice One registered machine.
/// @param owner Cold key: registers, stakes, exits.
/// @param operator Hot key: signs receipts; holds nothing.
/// @param payout Where earnings are credited.
/// @param classId Hardware class; its minimum is the node's power until it is measured.
/// @param registeredAt Chain time in seconds.
/// @param draining True while the owner wants no new tasks.
/// @param suspendedUntil Chain time in seconds until which a fault keeps it out; past or 0: none does.
struct Node {
    address owner;
    uint40 registeredAt;
    uint8 classId;
    bool draining;
    uint40 suspendedUntil;
    address operator;
    address payout;
}

/// @notice A hardware class.
/// @param minimumPowerCu Power in CU of every unmeasured node of the class (1,000 CU = reference machine).
/// @param minimumStakeWei Stake in wei of the stake token that makes such a node eligible.
/// @param enabled False: no new registrations; existing nodes keep theirs.
struct NodeClass {
    uint32 minimumPowerCu;
    uint128 minimumStakeWei;
    bool enabled;
}

/// @notice What a node may do now. Only an Active one is given new tasks; the gravest reason is the one that is named.
/// @dev Exiting: its active stake lies below its class's minimum. Suspended: a fault was proved. Draining: its owner or
///      operator wants no new tasks. Each ends by time or by the owner's own act.
enum NodeState {
    Active,
    Draining,
    Suspended,
    Exiting
}
