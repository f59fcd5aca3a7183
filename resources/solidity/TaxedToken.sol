// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import { TestToken } from "TestToken.sol";

/// @title A fee token for the local chain that burns two percent of each transfer.
contract TaxedToken is TestToken {
    constructor(string memory symbol_, uint8 decimals_) TestToken(symbol_, decimals_) {}

    function _move(address from, address to, uint256 value) internal override {
        super._move(from, to, value);
        uint256 tax = value / 50;
        balanceOf[to] -= tax;
        totalSupply -= tax;
        emit Transfer(to, address(0), tax);
    }
}
