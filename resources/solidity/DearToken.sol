// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import { TestToken } from "TestToken.sol";

/// @title A fee token for the local chain that uses some 110,000 gas more for every move.
contract DearToken is TestToken {
    uint256[] private _marks;

    constructor(string memory symbol_, uint8 decimals_) TestToken(symbol_, decimals_) {}

    function _move(address from, address to, uint256 value) internal override {
        super._move(from, to, value);
        for (uint256 i = 0; i < 5; i++) _marks.push(1);
    }
}
