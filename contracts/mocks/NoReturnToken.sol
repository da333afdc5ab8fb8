// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A token whose transfers return nothing, as some of the oldest do, and that cannot burn.
contract NoReturnToken {
    error TokenShort(address account);

    mapping(address account => uint256) public balanceOf;
    mapping(address account => mapping(address spender => uint256)) public allowance;

    constructor(address holder, uint256 supply) {
        balanceOf[holder] = supply;
    }

    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
    }

    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        if (allowance[from][msg.sender] < value) revert TokenShort(msg.sender);
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
    }

    function _move(address from, address to, uint256 value) private {
        if (balanceOf[from] < value) revert TokenShort(from);
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }
}
