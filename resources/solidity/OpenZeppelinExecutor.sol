// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Account} from "openzeppelin-5/account/Account.sol";
import {ERC7821} from "openzeppelin-5/account/extensions/draft-ERC7821.sol";

/** @title OpenZeppelin's account with the ERC-7821 executor. It accepts no signature, so only the EntryPoint can use it. */
contract OpenZeppelinExecutor is Account, ERC7821 {
    function _erc7821AuthorizedExecutor(
        address caller,
        bytes32 mode,
        bytes calldata executionData
    ) internal view override returns (bool) {
        return caller == address(entryPoint()) || super._erc7821AuthorizedExecutor(caller, mode, executionData);
    }

    function _rawSignatureValidation(bytes32, bytes calldata) internal pure override returns (bool) {
        return false;
    }
}
