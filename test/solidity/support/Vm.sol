// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The few cheat codes of the Solidity test runner that our tests use.
interface Vm {
    function prank(address caller) external;
    function warp(uint256 timestamp) external;
    function assume(bool condition) external pure;
    function addr(uint256 privateKey) external pure returns (address);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
}

Vm constant VM = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
