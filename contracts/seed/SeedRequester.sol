// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISeedSource} from "../interfaces/ISeedSource.sol";

/// @title The one contract that may ask a seed source.
/// @dev Source and requester need each other's address, so the deployer names the requester once, after both exist.
abstract contract SeedRequester is ISeedSource {
    /// @notice Who may ask; zero until fixed.
    address public requester;
    address private immutable _deployer;

    constructor() {
        _deployer = msg.sender;
    }

    modifier onlyRequester() {
        if (msg.sender != requester) revert SeedNotRequester(msg.sender);
        _;
    }

    /// @notice Name the requester. Requirement: caller is the deployer; once.
    function fixRequester(address requester_) external {
        if (msg.sender != _deployer || requester != address(0) || requester_ == address(0)) {
            revert SeedRequesterIsFixed();
        }
        requester = requester_;
        emit SeedRequesterFixed(requester_);
    }
}
