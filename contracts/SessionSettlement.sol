// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SessionBase, SessionParts} from "./session/SessionBase.sol";
import {SessionBilling} from "./session/SessionBilling.sol";
import {SessionFloor} from "./session/SessionFloor.sol";
import {SessionLanes} from "./session/SessionLanes.sol";
import {SessionOpening} from "./session/SessionOpening.sol";

/// @title SessionSettlement
/// @notice Immutable; holds no money itself (the PaymentVault's pot of this rail does) and gives no role a say over it:
///      keepers may give nodes lanes and take them away after a settle window, and nothing more.
/// @dev Four parts over one base: opening and finishing, lanes, billing, and the floor.
contract SessionSettlement is SessionOpening, SessionLanes, SessionBilling, SessionFloor {
    constructor(SessionParts memory parts) SessionBase(parts) {}
}
