// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ISlasherTarget} from "../interfaces/ISlasherTarget.sol";
import {SlashOrder} from "../types/StakeTypes.sol";

/// @title Slashes like the stake vault, on stakes that the test writes: clips to stake and bucket, holds until the
///      appeal window has ended. Can also refuse, or waste all gas.
contract ScriptedStakeVault is ISlasherTarget {
    error NotSlasher(address caller);
    error NotHeld(uint256 slashId);
    error Refused();

    struct Held {
        uint32 nodeId;
        address slasher;
        uint256 slashedWei;
        uint256 compensationWei;
        uint256 challengerWei;
        address compensated;
        address challenger;
        uint40 payableAt;
        bool over;
    }

    uint40 public immutable thawPeriod;
    uint40 public immutable appealWindow;
    uint256 public bucketWei = type(uint256).max;
    uint256 public totalStakedWei;
    bool public refuses;
    bool public wastes;
    Held[] private _held;
    SlashOrder public lastOrder;
    mapping(uint32 nodeId => uint256) public slashableOf;
    mapping(address slasher => bool) public isSlasher;
    mapping(address slasher => mapping(uint256 day => uint256)) public takenWei;
    mapping(address account => uint256) public creditOf;
    uint256 public burnedWei;

    constructor(uint40 thawPeriod_, uint40 appealWindow_) {
        thawPeriod = thawPeriod_;
        appealWindow = appealWindow_;
    }

    function setStake(uint32 nodeId, uint256 stakeWei) external {
        totalStakedWei = totalStakedWei + stakeWei - slashableOf[nodeId];
        slashableOf[nodeId] = stakeWei;
    }

    function setSlasher(address slasher, bool is_) external {
        isSlasher[slasher] = is_;
    }

    function setBucket(uint256 bucketWei_) external {
        bucketWei = bucketWei_;
    }

    function setMood(bool refuses_, bool wastes_) external {
        (refuses, wastes) = (refuses_, wastes_);
    }

    function slash(uint32 nodeId, SlashOrder calldata order) external returns (uint256 slashId, uint256 slashedWei) {
        if (refuses) revert Refused();
        while (wastes) {}
        if (!isSlasher[msg.sender]) revert NotSlasher(msg.sender);
        uint256 day = block.timestamp / 1 days;
        uint256 leftWei = bucketWei - takenWei[msg.sender][day];
        slashedWei = Math.min(Math.min(order.amountWei, slashableOf[nodeId]), leftWei);
        takenWei[msg.sender][day] += slashedWei;
        slashableOf[nodeId] -= slashedWei;
        totalStakedWei -= slashedWei;
        lastOrder = order;
        slashId = _held.length;
        _held.push(
            Held({
                nodeId: nodeId,
                slasher: msg.sender,
                slashedWei: slashedWei,
                compensationWei: Math.min(order.compensationWei, slashedWei * 4 / 10),
                challengerWei: Math.min(order.challengerWei, slashedWei / 10),
                compensated: order.compensated,
                challenger: order.challenger,
                payableAt: uint40(block.timestamp) + appealWindow,
                over: false
            })
        );
    }

    function reverseSlash(uint256 slashId) external {
        Held storage held_ = _take(slashId);
        slashableOf[held_.nodeId] += held_.slashedWei;
        totalStakedWei += held_.slashedWei;
    }

    function finishSlash(uint256 slashId) external {
        Held storage held_ = _take(slashId);
        creditOf[held_.compensated] += held_.compensationWei;
        creditOf[held_.challenger] += held_.challengerWei;
        burnedWei += held_.slashedWei - held_.compensationWei - held_.challengerWei;
    }

    function held(uint256 slashId) external view returns (Held memory) {
        return _held[slashId];
    }

    function heldCount() external view returns (uint256) {
        return _held.length;
    }

    function _take(uint256 slashId) private returns (Held storage held_) {
        if (_held[slashId].over) revert NotHeld(slashId);
        held_ = _held[slashId];
        held_.over = true;
    }
}
