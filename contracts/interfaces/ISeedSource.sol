// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Randomness that nobody knew when it was asked for.
/// @notice Asked by one contract, fixed once; an answer is matched by its request id alone, is never asked for again
///         and takes nothing into account that happened after the request.
interface ISeedSource {
    /// @notice A seed was asked for.
    event SeedRequested(uint256 indexed requestId);
    /// @notice The contract that may ask is final.
    event SeedRequesterFixed(address requester);

    /// @notice The requester was fixed before, is zero, or the caller may not fix it.
    error SeedRequesterIsFixed();
    /// @notice Only the requester may ask.
    error SeedNotRequester(address caller);

    /// @notice Ask for a seed. Requirement: caller is the requester.
    /// @return requestId Never zero, never the same twice.
    function request() external returns (uint256 requestId);

    /// @notice The answer; zero while there is none. Never reverts, never changes once it is not zero.
    function seedOf(uint256 requestId) external view returns (bytes32);
}
