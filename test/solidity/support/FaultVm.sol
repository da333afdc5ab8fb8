// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The cheat codes that the tests of faults use.
interface FaultVm {
    function prank(address caller) external;
    function warp(uint256 timestamp) external;
    function roll(uint256 blockNumber) external;
    function deal(address account, uint256 balanceWei) external;
    function setBlockhash(uint256 blockNumber, bytes32 blockHash) external;
    function addr(uint256 privateKey) external pure returns (address);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
}

FaultVm constant FAULT_VM = FaultVm(address(uint160(uint256(keccak256("hevm cheat code")))));
