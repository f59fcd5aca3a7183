// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC7821} from "solady/src/accounts/ERC7821.sol";

/** @title Solady's ERC-7821 executor for any caller, whatever data follows the calls. */
contract SoladyExecutor is ERC7821 {
    function _execute(bytes32, bytes calldata, Call[] calldata calls, bytes calldata) internal override {
        _execute(calls, bytes32(0));
    }
}
