// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC4337} from "solady/src/accounts/ERC4337.sol";

/** @title Solady's account for EntryPoint v0.7. It has no owner, so only the EntryPoint can use it. */
contract SoladyAccount is ERC4337 {
    function _domainNameAndVersion() internal pure override returns (string memory, string memory) {
        return ("SoladyAccount", "1");
    }
}
