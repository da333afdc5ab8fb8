// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {KeystoneForwarder} from "@chainlink/contracts/src/v0.8/keystone/KeystoneForwarder.sol";

/// @title Chainlink's own forwarder, so that the receiver is tested behind the real one.
contract CreForwarder is KeystoneForwarder {}
