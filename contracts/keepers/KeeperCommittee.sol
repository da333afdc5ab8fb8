// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ICommittee} from "../interfaces/ICommittee.sol";
import {IKeeperBonds} from "../interfaces/IKeeperBonds.sol";
import {ISelection} from "../interfaces/ISelection.sol";

/// @title KeeperCommittee
/// @notice Judges are bonded keepers, drawn by their bonds: nobody names them. Holds nothing and knows no role.
/// @dev The draw needs an open epoch with a seed; between epochs a dispute waits, and once its time to draw is over
///      the arbitrator has it.
contract KeeperCommittee is ICommittee {
    /// @dev Pool of the keepers in the selection.
    bytes32 private constant KEEPER_POOL = bytes32(0);

    /// @notice Draws.
    ISelection public immutable selection;
    /// @notice Says who is a bonded keeper.
    IKeeperBonds public immutable bonds;

    constructor(ISelection selection_, IKeeperBonds bonds_) {
        if (address(selection_) == address(0) || address(bonds_) == address(0)) revert CommitteeZeroAddress();
        selection = selection_;
        bonds = bonds_;
    }

    /// @inheritdoc ICommittee
    function drawKeepers(bytes32 seed, uint256 count) external view returns (address[] memory drawn) {
        uint32[] memory keeperIds = selection.draw(KEEPER_POOL, seed, count);
        drawn = new address[](keeperIds.length);
        for (uint256 i; i < keeperIds.length; ++i) {
            address account = bonds.keeper(keeperIds[i]).account;
            if (bonds.bondedIdOf(account) != 0) drawn[i] = account;
        }
    }
}
