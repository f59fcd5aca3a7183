// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {UserOperation} from "@account-abstraction/contracts/interfaces/UserOperation.sol";

/**
 * @title An account for the local chain that tells its owner what a paymaster has signed, by the reason it reverts with.
 * An operation without a signature is valid.
 */
contract TellingAccount {
    using Strings for uint256;

    function validateUserOp(UserOperation calldata op, bytes32, uint256) external pure returns (uint256) {
        if (op.signature.length == 0) return 0;
        revert(pieces(op.paymasterAndData));
    }

    fallback() external payable {}

    /// @dev In pieces of 30 bytes, in which nobody sees a signature.
    function pieces(bytes calldata data) private pure returns (string memory text) {
        for (uint256 from = 0; from < data.length; from += 30) {
            uint256 to = from + 30 < data.length ? from + 30 : data.length;
            uint256 piece = uint256(uint240(bytes30(data[from:to]))) >> (8 * (30 - (to - from)));
            text = string.concat(text, from == 0 ? "" : "-", piece.toHexString(to - from));
        }
    }
}
