// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Phase, PhaseLengths} from "../types/SelectionTypes.sol";

/// @title Who is drawn: a snapshot of weights that stands before its seed is known.
/// @notice One pool of nodes for every model, and one of keepers (pool zero). In a pool each member has the chance of
///         its weight. INV-11: a draw is a function of the snapshot and the seed alone; what happens to stake, score or
///         class afterwards changes nothing until the next epoch.
/// @dev Phases end by time and by anybody's `advance`. A seed that never comes opens the epoch without one: nothing can
///      be drawn then, and the direct rail's open assignment goes on.
interface ISelection {
    /// @notice The weights of epoch `epoch` + 1 may change now.
    event UpdateBegun(uint40 indexed epoch);
    /// @notice The weights stand; the seed was asked for.
    event SeedAwaited(uint40 indexed epoch, uint256 requestId);
    /// @notice A new epoch began. `seed` is zero when the seed source gave none in time.
    event EpochOpened(uint40 indexed epoch, bytes32 seed);
    /// @notice The seed of an epoch that had opened without one arrived after all.
    event EpochSeeded(uint40 indexed epoch, bytes32 seed);
    /// @notice A member's weight in the next snapshot. `position` is where it stands in the pool's tree.
    event WeightChanged(
        bytes32 indexed pool, uint32 indexed member, uint32 position, uint32 formerWeight, uint32 weight
    );
    /// @notice A member's weight differs from its snapshot; it is applied in the next update phase.
    event WeightQueued(bytes32 indexed pool, uint32 indexed member);

    /// @notice The phase lasts until `until`; for Seeding, unless the seed comes.
    error SelectionPhaseNotOver(Phase phase, uint40 until);
    /// @notice Nothing can be drawn now: the weights are changing, or the epoch has no seed.
    error SelectionNotDrawable(Phase phase, uint40 epoch);
    /// @notice Queued weights are applied in the update phase alone.
    error SelectionNotUpdating(Phase phase);
    /// @notice A parameter lies outside its bounds.
    error SelectionParameterInvalid();

    /// @notice Go on to the next phase, or take a seed that came late. Anyone may call.
    /// @dev The end of the update phase reverts as the seed source does when that takes no request.
    function advance() external;

    /// @notice Open the epoch without a seed because the seed source takes no request. Anyone may call.
    /// @dev Requirement: the update phase is over for as long as a seed is waited for.
    function openWithoutSeed() external;

    /// @notice Bring a member's weight up to date: at once in the update phase, in the next one otherwise. Anyone may
    ///         call; a weight that is up to date changes nothing.
    function refresh(bytes32 pool, uint32 member) external;

    /// @notice Apply up to `most` queued weights as they are now. Requirement: update phase.
    /// @return applied How many left the queue.
    function applyQueued(uint256 most) external returns (uint256 applied);

    /// @notice The first `count` members that the seed draws for `subject`, in order; fewer if the pool has fewer.
    /// @dev Reverts SelectionNotDrawable unless the epoch is open and has a seed.
    function draw(bytes32 pool, bytes32 subject, uint256 count) external view returns (uint32[] memory);

    /// @notice Weight that a refresh would give the member now.
    function currentWeightOf(bytes32 pool, uint32 member) external view returns (uint32);

    /// @notice Weight of the member in the snapshot.
    function weightOf(bytes32 pool, uint32 member) external view returns (uint32);

    /// @notice Sum of a pool's weights in the snapshot.
    function totalWeightOf(bytes32 pool) external view returns (uint32);

    /// @notice Number of queued weights.
    function queueLength() external view returns (uint256);

    /// @notice Counts epochs from 1; 0 before the first has opened.
    function epoch() external view returns (uint40);

    /// @notice What the epoch is doing.
    function phase() external view returns (Phase);

    /// @notice Chain time in seconds at which the phase began.
    function phaseSince() external view returns (uint40);

    /// @notice Seed of the epoch that is open; zero when there is none.
    function seed() external view returns (bytes32);

    /// @notice Chain time in seconds until which draws may be posted in this epoch; 0 when none may.
    function postableUntil() external view returns (uint40);

    /// @notice Seconds for which a posted draw can be challenged.
    function challengeS() external view returns (uint40);

    /// @notice The four lengths, fixed at deployment.
    function lengths() external view returns (PhaseLengths memory);
}
