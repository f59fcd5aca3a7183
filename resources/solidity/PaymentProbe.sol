// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import { CallGasProbe } from "CallGasProbe.sol";

/// @title Tries whether a paymaster gets the tokens that an operation is paid with, and what taking them costs.
/// @notice Never deployed: eth_call puts this code at the addresses of the EntryPoint and of the paymaster, and the
/// real EntryPoint's code where CallGasProbe looks for it. Validation is left out: it wants a signature of the
/// account, which is made last.
contract PaymentProbe is CallGasProbe {
    struct Operation {
        // The EntryPoint's SenderCreator, and what it is called with to create or initialise the account; if anything.
        address senderCreator;
        bytes creation;
        address sender;
        // What the EntryPoint calls the account with, and the gas it gives it.
        bytes callData;
        uint256 callGasLimit;
    }

    struct Payment {
        address paymaster;
        address token;
        address treasury;
        // Units that are taken before the operation's call, and after it.
        uint256 upFront;
        uint256 afterwards;
    }

    /// @notice Creates the account, calls it and takes the tokens. As on chain, creation and call may fail.
    /// @return taken whether the paymaster gets all of them
    /// @return upFrontGas what the token uses for those that are taken before the call; 0 where none are
    /// @return gasUsed what it uses for those that are taken after the call
    function tryPayment(
        Operation calldata op,
        Payment calldata payment
    ) external returns (bool taken, uint256 upFrontGas, uint256 gasUsed) {
        if (op.creation.length != 0) _call(op.senderCreator, op.creation, gasleft());
        if (payment.upFront != 0) {
            (taken, upFrontGas) = _take(payment, op.sender, payment.upFront);
            if (!taken) return (taken, upFrontGas, gasUsed);
        }
        _call(op.sender, op.callData, op.callGasLimit);
        (taken, gasUsed) = _take(payment, op.sender, payment.afterwards);
    }

    /// @notice Calls `target` from this address: tokens look who calls them.
    /// @return success as SafeTransferLib sees it: a token may answer nothing, or true
    function forward(address target, bytes calldata data) external returns (bool success, uint256 gasUsed) {
        bytes memory answer;
        gasUsed = gasleft();
        (success, answer) = target.call(data);
        gasUsed -= gasleft();
        if (answer.length == 0) success = success && target.code.length != 0;
        else success = success && answer.length > 31 && uint256(bytes32(answer)) == 1;
    }

    function _call(address target, bytes memory data, uint256 gasLimit) private {
        assembly ("memory-safe") {
            pop(call(gasLimit, target, 0, add(data, 0x20), mload(data), 0, 0))
        }
    }

    function _take(Payment calldata payment, address from, uint256 units) private returns (bool, uint256) {
        bytes memory transfer = abi.encodeWithSignature(
            "transferFrom(address,address,uint256)",
            from,
            payment.treasury,
            units
        );
        return PaymentProbe(payable(payment.paymaster)).forward(payment.token, transfer);
    }
}
