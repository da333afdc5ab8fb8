// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice One registered machine.
/// @param owner Cold key: registers, stakes, exits.
/// @param operator Hot key: signs receipts; holds nothing.
/// @param payout Where earnings are credited.
/// @param classId Hardware class; its minimum is the node's power until it is measured.
/// @param registeredAt Chain time in seconds.
/// @param draining True while the owner wants no new tasks.
struct Node {
    address owner;
    uint40 registeredAt;
    uint8 classId;
    bool draining;
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
