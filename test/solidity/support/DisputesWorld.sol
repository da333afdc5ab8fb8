// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessManager} from "@openzeppelin/contracts/access/manager/AccessManager.sol";
import {Disputes} from "../../../contracts/Disputes.sol";
import {IAuditSeeds} from "../../../contracts/interfaces/IAuditSeeds.sol";
import {INodeRegistry} from "../../../contracts/interfaces/INodeRegistry.sol";
import {ITaskEscrow} from "../../../contracts/interfaces/ITaskEscrow.sol";
import {ListedCommittee} from "../../../contracts/mocks/ListedCommittee.sol";
import {ScriptedStakeVault} from "../../../contracts/mocks/ScriptedStakeVault.sol";
import {DisputeTerms} from "../../../contracts/types/DisputeTypes.sol";
import {ScriptedEscrow, ScriptedRegistry} from "./FaultScenery.sol";

/// @title Disputes over scripted neighbours and a real list of judges; `admin` holds every role.
contract DisputesWorld {
    uint32 public constant NODES = 4;
    uint256 public constant BUCKET_WEI = 400 ether;

    Disputes public disputes;
    ListedCommittee public committee;
    ScriptedStakeVault public vault;
    ScriptedEscrow public escrow;

    constructor(address admin) {
        address authority = address(new AccessManager(admin));
        INodeRegistry registry = INodeRegistry(address(new ScriptedRegistry(NODES)));
        escrow = new ScriptedEscrow();
        vault = new ScriptedStakeVault(14 days, 2 days);
        committee = new ListedCommittee();
        disputes = new Disputes(
            authority, registry, ITaskEscrow(address(escrow)), vault, committee, IAuditSeeds(address(1)), terms()
        );
        vault.setSlasher(address(disputes), true);
        vault.setBucket(BUCKET_WEI);
    }

    function terms() public pure returns (DisputeTerms memory) {
        return DisputeTerms({
            openSeconds: 1 days,
            nodeSeconds: 1 hours,
            drawSeconds: 1 hours,
            wrapSeconds: 1 hours,
            commitSeconds: 1 hours,
            revealSeconds: 1 hours,
            appealSeconds: 2 hours,
            arbitrationSeconds: 3 hours,
            committeeSize: 3,
            quorum: 2,
            sampleBps: 1_000,
            judgeFeeWei: 1e15,
            bondWei: 1e16,
            minimumSlashableWei: 100 ether
        });
    }
}
