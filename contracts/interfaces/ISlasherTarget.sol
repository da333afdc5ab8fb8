// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What a slasher needs of the stake vault.
interface ISlasherTarget {
    /// @param amountWei Asked; clipped to the stake and to the slasher's bucket.
    /// @param reason Kind of fault.
    /// @param evidence Id of the fault, under which everything about it is found.
    /// @param compensated Who was harmed; zero if nobody.
    /// @param compensationWei Asked for them; clipped to 40 % of what was slashed.
    /// @param challenger Who showed the fault; zero if nobody is rewarded.
    /// @param challengerWei Asked for them; clipped to 10 % of what was slashed.
    struct SlashOrder {
        uint256 amountWei;
        bytes32 reason;
        bytes32 evidence;
        address compensated;
        uint256 compensationWei;
        address challenger;
        uint256 challengerWei;
    }

    /// @notice Take stake; everything taken is held until the appeal window has ended. Requirement: slasher role.
    function slash(uint32 nodeId, SlashOrder calldata order) external returns (uint256 slashId, uint256 slashedWei);

    /// @notice Give a slash back before it is paid out. Requirement: appeal role.
    function reverseSlash(uint256 slashId) external;

    /// @notice Active plus thawing stake of a node, in wei.
    function slashableOf(uint32 nodeId) external view returns (uint256);

    /// @notice Stake of all nodes, thawing included, in wei.
    function totalStakedWei() external view returns (uint256);

    /// @notice Seconds between beginning an exit and withdrawing.
    function thawPeriod() external view returns (uint40);
}
