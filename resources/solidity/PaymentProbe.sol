// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import { CallGasProbe } from "CallGasProbe.sol";

/// @title Tries whether a paymaster's treasury gets the tokens that an operation is paid with, and what taking them costs.
/// @notice Never deployed: eth_call puts this code at the addresses of the EntryPoint and of the paymaster, and the
/// real EntryPoint's code where CallGasProbe looks for it. The account validates first, as on chain: what it has looked
/// at then is warm (EIP-2929). What it says of the signature does not matter: the real one is made last.
contract PaymentProbe is CallGasProbe {
    /// @dev What a call gets on top of its own limit: nodes need not count to the unit alike.
    uint256 private constant SLACK = 1000;
    /// @dev The same where the account reverts without its owner's signature: its own code and that of a module
    /// (2,600 each), and where it finds the two and an owner (2,100 each), are cold here and warm on chain.
    uint256 private constant COLD_SLACK = 12000;

    struct Operation {
        // The EntryPoint's SenderCreator, and what it is called with to create or initialise the account; if anything.
        address senderCreator;
        bytes creation;
        address sender;
        // What the EntryPoint has the account validate the operation with; if anything.
        bytes validation;
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

    struct Outcome {
        // Whether the treasury gets all tokens.
        bool taken;
        // What the token uses for those that are taken before the call, 0 where none are; and after it.
        uint256 upFrontGas;
        uint256 gasUsed;
        // What creation and validation of the account use, and the operation's call.
        uint256 validationGasUsed;
        uint256 callGasUsed;
        // What the paymaster may take yet, and what there is.
        uint256 allowance;
        uint256 balance;
    }

    /// @notice Creates the account, has it validate, calls it and takes the tokens. As on chain, what the account does
    /// may fail.
    function tryPayment(Operation calldata op, Payment calldata payment) external returns (Outcome memory outcome) {
        outcome.validationGasUsed = gasleft();
        if (_creates(op.creation, op.sender)) _call(op.senderCreator, op.creation, gasleft());
        bool isWarm = op.validation.length != 0 && _call(op.sender, op.validation, gasleft() / 3);
        outcome.validationGasUsed -= gasleft();
        if (payment.upFront != 0) {
            (outcome.taken, outcome.upFrontGas) = _take(payment, op.sender, payment.upFront);
            if (!outcome.taken) return outcome;
        }
        outcome.callGasUsed = gasleft();
        _call(op.sender, op.callData, op.callGasLimit + (isWarm ? SLACK : COLD_SLACK));
        outcome.callGasUsed -= gasleft();
        (outcome.taken, outcome.gasUsed) = _take(payment, op.sender, payment.afterwards);
        outcome.allowance = _read(
            payment.token,
            abi.encodeWithSignature("allowance(address,address)", op.sender, payment.paymaster)
        );
        outcome.balance = _read(payment.token, abi.encodeWithSignature("balanceOf(address)", op.sender));
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

    function _call(address target, bytes memory data, uint256 gasLimit) private returns (bool success) {
        assembly ("memory-safe") {
            success := call(gasLimit, target, 0, add(data, 0x20), mload(data), 0, 0)
        }
    }

    /// @dev 0 where the token does not tell.
    function _read(address token, bytes memory question) private view returns (uint256) {
        (bool success, bytes memory answer) = token.staticcall(question);
        return success && answer.length > 31 ? uint256(bytes32(answer)) : 0;
    }

    /// @dev Some tokens keep a part of each transfer. The paymaster contracts count what they have asked for, and would
    /// give back from a prefund what the treasury never got. Up to 0.1 % may be missing, and two units: tokens round. A
    /// treasury that pays itself gets nothing, and loses nothing.
    function _take(Payment calldata payment, address from, uint256 units) private returns (bool taken, uint256 gasUsed) {
        bytes memory transfer = abi.encodeWithSignature(
            "transferFrom(address,address,uint256)",
            from,
            payment.treasury,
            units
        );
        uint256 held = _coldBalance(payment);
        (taken, gasUsed) = PaymentProbe(payable(payment.paymaster)).forward(payment.token, transfer);
        uint256 holds = _read(payment.token, abi.encodeWithSignature("balanceOf(address)", payment.treasury));
        uint256 received = holds > held ? holds - held : 0;
        if (from != payment.treasury && received < units && units - received > units / 1000 + 2) taken = false;
    }

    /// @dev Read in a call that reverts, because what it has looked at is then as cold as before (EIP-2929), and taking
    /// costs what it does on chain.
    function _coldBalance(Payment calldata payment) private view returns (uint256 held) {
        try this.revertWithBalance(payment.token, payment.treasury) {} catch (bytes memory answer) {
            held = uint256(bytes32(answer));
        }
    }

    function revertWithBalance(address token, address holder) external view {
        uint256 held = _read(token, abi.encodeWithSignature("balanceOf(address)", holder));
        assembly ("memory-safe") {
            mstore(0, held)
            revert(0, 0x20)
        }
    }
}
