// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAuditSeeds} from "../interfaces/IAuditSeeds.sol";

/// @title Seeds that the test reveals.
contract ScriptedSeeds is IAuditSeeds {
    struct Seed {
        bytes32 seed;
        uint40 revealedAt;
    }

    mapping(uint64 epoch => Seed) private _seeds;

    function reveal(uint64 epoch, bytes32 seed) external {
        _seeds[epoch] = Seed(seed, uint40(block.timestamp));
    }

    function seedOf(uint64 epoch) external view returns (bytes32, uint40) {
        return (_seeds[epoch].seed, _seeds[epoch].revealedAt);
    }
}
