// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccountERC7579} from "openzeppelin-5/account/extensions/draft-AccountERC7579.sol";

/** @title OpenZeppelin's ERC-7579 account without modules. */
contract OpenZeppelinAccount7579 is AccountERC7579 {}
