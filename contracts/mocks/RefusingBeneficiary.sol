// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAvailability} from "../interfaces/IAvailability.sol";

/// @title Challenges a node and takes no coins back.
contract RefusingBeneficiary {
    function challenge(IAvailability availability, uint32 nodeId) external payable returns (bytes32) {
        return availability.challengeLiveness{value: msg.value}(nodeId);
    }
}
