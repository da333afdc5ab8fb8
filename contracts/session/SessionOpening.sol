// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISessionSettlement} from "../interfaces/ISessionSettlement.sol";
import {SessionLimits} from "../libraries/SessionLimits.sol";
import {SessionMachine} from "../libraries/SessionMachine.sol";
import {SessionMoney} from "../libraries/SessionMoney.sol";
import {OpenParams, Purse, Session, SessionState, SessionTerms} from "../types/SessionTypes.sol";
import {PermitParams} from "../types/TaskTypes.sol";
import {SessionBase} from "./SessionBase.sol";

/// @title The life of a session from opening to the return of its rest.
abstract contract SessionOpening is SessionBase {
    using SessionMachine for Session;
    using SessionMoney for Purse;

    /// @inheritdoc ISessionSettlement
    function open(OpenParams calldata params, PermitParams calldata permit)
        external
        nonReentrant
        returns (bytes32 sessionId)
    {
        sessionId = _open(msg.sender, params);
        paymentVault.addObligation(msg.sender);
        paymentVault.hold(msg.sender, params.spendCapUsd6, permit);
    }

    /// @inheritdoc ISessionSettlement
    function openFor(address payer, OpenParams calldata params) external nonReentrant returns (bytes32 sessionId) {
        sessionId = _open(payer, params);
        paymentVault.addObligation(payer);
        paymentVault.holdByKey(payer, msg.sender, params.spendCapUsd6);
    }

    /// @inheritdoc ISessionSettlement
    function topUp(bytes32 sessionId, uint64 amountUsd6, PermitParams calldata permit) external nonReentrant {
        Session storage stored = _sessions[sessionId];
        stored.checkOpen(sessionId);
        if (amountUsd6 == 0) revert SessionZeroAmount();
        address payer = stored.terms.payer;

        Purse memory purse = stored.purse;
        purse.putIn(amountUsd6);
        stored.purse = purse;
        emit SessionToppedUp(sessionId, payer, amountUsd6, purse.putInUsd6);
        // For anyone but the payer the vault demands a key of the payer.
        if (msg.sender == payer) paymentVault.hold(payer, amountUsd6, permit);
        else paymentVault.holdByKey(payer, msg.sender, amountUsd6);
    }

    /// @inheritdoc ISessionSettlement
    function close(bytes32 sessionId) external {
        Session storage stored = _sessions[sessionId];
        stored.checkOpen(sessionId);
        address payer = stored.terms.payer;
        if (!_isPayerSide(payer)) revert SessionNotAllowed(sessionId, msg.sender);

        // Before closesAt, which is a u32.
        uint32 closesAt = uint32(block.timestamp);
        stored.terms.closesAt = closesAt;
        emit SessionClosed(sessionId, payer, closesAt, closesAt + settleWindow);
    }

    /// @inheritdoc ISessionSettlement
    function replaceSigner(bytes32 sessionId, address newSigner) external {
        Session storage stored = _sessions[sessionId];
        stored.checkOpen(sessionId);
        if (msg.sender != stored.terms.payer) revert SessionNotAllowed(sessionId, msg.sender);
        if (newSigner == address(0)) revert SessionZeroAddress();
        if (block.timestamp < stored.formerUntil) revert SessionSignerThawing(sessionId, stored.formerUntil);

        uint40 formerUntil = uint40(block.timestamp) + settleWindow;
        address formerSigner = stored.terms.signer;
        stored.formerSigner = formerSigner;
        stored.formerUntil = formerUntil;
        stored.terms.signer = newSigner;
        emit SignerReplaced(sessionId, formerSigner, newSigner, formerUntil);
    }

    /// @inheritdoc ISessionSettlement
    function finish(bytes32 sessionId) external {
        Session storage stored = _sessions[sessionId];
        if (stored.terms.state != SessionState.Open) revert SessionNotOpen(sessionId);
        uint40 settleUntil = SessionMachine.settleUntil(stored.terms.closesAt, settleWindow);
        if (block.timestamp < settleUntil) revert SessionStillSettling(sessionId, settleUntil);
        Purse memory purse = stored.purse;
        if (purse.lanes != 0) revert SessionLanesLeft(sessionId, purse.lanes);

        uint64 returnedUsd6 = purse.giveBack();
        stored.purse = purse;
        stored.terms.state = SessionState.Finished;
        address payer = stored.terms.payer;
        emit SessionFinished(sessionId, payer, returnedUsd6);
        paymentVault.endObligation(payer);
        if (returnedUsd6 != 0) paymentVault.returnFromHeld(payer, returnedUsd6);
    }

    function _open(address payer, OpenParams calldata params) private returns (bytes32 sessionId) {
        _checkOpen(params);
        sessionId = sessionIdOf(payer, params.clientNonce, params.modelId);
        Session storage stored = _sessions[sessionId];
        if (stored.terms.state != SessionState.None) revert SessionExists(sessionId);
        (uint64 priceUsd6PerGcums, uint64 stakeWeiPerUsd6) = priceOracle.quote();
        if (priceUsd6PerGcums > params.maxPriceUsd6PerGcums) {
            revert SessionPriceAboveMax(priceUsd6PerGcums, params.maxPriceUsd6PerGcums);
        }

        stored.terms = SessionTerms({
            signer: params.signer,
            priceUsd6PerGcums: priceUsd6PerGcums,
            state: SessionState.Open,
            feeBps: feeBps,
            payer: payer,
            stakeWeiPerUsd6: stakeWeiPerUsd6,
            // Within its bounds, checked above.
            closesAt: uint32(params.expiresAt)
        });
        Purse memory purse;
        purse.minReplicas = params.minReplicas;
        purse.maxReplicas = params.maxReplicas;
        purse.putIn(params.spendCapUsd6);
        stored.purse = purse;
        stored.modelId = params.modelId;
        stored.slaMs = params.slaMs;
        _emitOpened(sessionId, payer, params, stored.terms);
    }

    function _emitOpened(bytes32 sessionId, address payer, OpenParams calldata params, SessionTerms memory terms)
        private
    {
        emit SessionOpened(
            sessionId,
            payer,
            params.modelId,
            params.clientNonce,
            msg.sender,
            terms.signer,
            terms.priceUsd6PerGcums,
            terms.stakeWeiPerUsd6,
            terms.feeBps,
            params.spendCapUsd6,
            params.minReplicas,
            params.maxReplicas,
            params.slaMs,
            params.expiresAt
        );
    }

    function _checkOpen(OpenParams calldata params) private view {
        bool complete = params.modelId != 0 && params.signer != address(0) && params.spendCapUsd6 != 0
            && params.maxReplicas != 0 && params.minReplicas <= params.maxReplicas;
        if (!complete) revert SessionInvalidOpen();

        uint40 earliest = uint40(block.timestamp) + 1;
        uint40 latest = uint40(block.timestamp) + SessionLimits.MAX_SESSION_S;
        if (latest > type(uint32).max) latest = type(uint32).max;
        if (params.expiresAt < earliest || params.expiresAt > latest) {
            revert SessionExpiryOutOfRange(params.expiresAt, earliest, latest);
        }
    }
}
