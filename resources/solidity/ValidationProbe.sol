// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import { CallGasProbe } from "CallGasProbe.sol";

/// @title Has an account validate an operation with several signatures, each as if it were the only one.
/// @notice Never deployed: eth_call puts this code in the EntryPoint's place, and the real EntryPoint's code where
/// CallGasProbe looks for it. Signatures of one length on which the account's code does not look use the same gas.
contract ValidationProbe is CallGasProbe {
    /// @dev Covers what `validate` spends between its gas check and the call.
    uint256 private constant CALL_OVERHEAD = 5000;

    struct Outcome {
        bool success;
        uint256 gasUsed;
        // What the account returned or reverted with, its first 2048 bytes.
        bytes data;
    }

    /// @dev How `validate` answers: as a revert, so that nothing it did remains, and what it looked at is cold again.
    error ValidationResult(bool success, uint256 gasUsed, bytes data);

    /// @notice Creates the account if needed, then has it validate until it answers with a word.
    /// @param head what the account is called with, up to the length of the signature
    /// @return outcomes one for each signature that was tried; none where there is no account
    function tryValidation(
        address senderCreator,
        bytes calldata creation,
        address sender,
        bytes calldata head,
        uint256 gasLimit,
        bytes[] calldata signatures
    ) external returns (Outcome[] memory outcomes) {
        if (_creates(creation, sender)) {
            (bool created, ) = senderCreator.call(creation);
            if (!created) return outcomes;
        }
        if (sender.code.length == 0) return outcomes;
        outcomes = new Outcome[](signatures.length);
        uint256 tried;
        while (tried < signatures.length) {
            outcomes[tried] = _outcomeOf(abi.encodeCall(this.validate, (gasLimit, sender, head, signatures[tried])));
            Outcome memory last = outcomes[tried++];
            if (last.success && last.data.length > 31) break;
        }
        assembly ("memory-safe") {
            mstore(outcomes, tried)
        }
    }

    /// @notice Calls `sender` with exactly `gasLimit` gas and reverts with what came of it.
    function validate(uint256 gasLimit, address sender, bytes calldata head, bytes calldata signature) external {
        if (msg.sender != address(this)) revert OnlySelf();
        bytes memory data = bytes.concat(head, bytes32(signature.length), signature, new bytes((32 - (signature.length % 32)) % 32));
        // The EVM would silently lower the call's gas to 63/64 of what is left.
        uint256 available = gasleft() - gasleft() / 64;
        if (available < gasLimit + CALL_OVERHEAD) revert NotEnoughGas(gasLimit + CALL_OVERHEAD, available);

        bool success;
        uint256 gasUsed = gasleft();
        assembly ("memory-safe") {
            success := call(gasLimit, sender, 0, add(data, 0x20), mload(data), 0, 0)
        }
        gasUsed -= gasleft();
        revert ValidationResult(success, gasUsed, _returnData());
    }

    function _outcomeOf(bytes memory attempt) private returns (Outcome memory outcome) {
        (, bytes memory result) = address(this).call(attempt);
        if (bytes4(result) != ValidationResult.selector) revert NotEnoughGas(0, gasleft());
        assembly ("memory-safe") {
            // Drop the selector: the length word moves four bytes up.
            let length := sub(mload(result), 4)
            result := add(result, 4)
            mstore(result, length)
        }
        (outcome.success, outcome.gasUsed, outcome.data) = abi.decode(result, (bool, uint256, bytes));
    }
}
