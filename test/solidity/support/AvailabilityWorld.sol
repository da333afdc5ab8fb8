// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessManager} from "@openzeppelin/contracts/access/manager/AccessManager.sol";
import {Availability} from "../../../contracts/Availability.sol";
import {INodeRegistry} from "../../../contracts/interfaces/INodeRegistry.sol";
import {ITaskEscrow} from "../../../contracts/interfaces/ITaskEscrow.sol";
import {ScriptedStakeVault} from "../../../contracts/mocks/ScriptedStakeVault.sol";
import {AvailabilityTerms} from "../../../contracts/types/AvailabilityTypes.sol";
import {ScriptedEscrow, ScriptedRegistry} from "./FaultScenery.sol";

/// @title Availability over scripted neighbours; `admin` holds every role.
contract AvailabilityWorld {
    uint32 public constant NODES = 6;
    uint256 public constant BUCKET_WEI = 30 ether;

    Availability public availability;
    ScriptedStakeVault public vault;
    ScriptedEscrow public escrow;

    constructor(address admin) {
        ScriptedRegistry registry = new ScriptedRegistry(NODES);
        escrow = new ScriptedEscrow();
        vault = new ScriptedStakeVault(14 days, 2 days);
        availability = new Availability(
            address(new AccessManager(admin)),
            INodeRegistry(address(registry)),
            ITaskEscrow(address(escrow)),
            vault,
            AvailabilityTerms(1 hours, 10 minutes, 1 days, 7 days, 1 days, 2 days, 1e15)
        );
        vault.setSlasher(address(availability), true);
        vault.setBucket(BUCKET_WEI);
    }
}
