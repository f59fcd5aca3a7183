// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

interface ISenderCreator {
    function createSender(bytes calldata initCode) external returns (address sender);

    function initEip7702Sender(address sender, bytes calldata initCallData) external;
}

/// @title Finds the least callGasLimit with which a user operation's callData succeeds.
/// @notice Never deployed: eth_call puts this code at the EntryPoint's own address, and the real
/// EntryPoint's code at IMPLEMENTATION, by state override. Accounts then see the caller they trust,
/// and every other call to the EntryPoint works as usual. Must not use storage: it is the EntryPoint's.
/// Nothing is validated first, so what validation would have warmed is still cold: for an account behind
/// a proxy the answer is some 4,500 gas too high, never too low for that.
contract CallGasProbe {
    /// @dev address(uint160(uint256(keccak256("gasdesk.entryPoint.implementation"))))
    address private constant IMPLEMENTATION = 0x66EE95b1CDD8cec3d47b46f50083b1c696489f3D;
    uint256 private constant MAX_REVERT_DATA = 2048;
    /// @dev How the initCode of an EIP-7702 account begins for EntryPoint v0.8; what follows is a call of the account.
    bytes20 private constant EIP7702_MARKER = bytes20(hex"7702");
    /// @dev Covers what `attempt` spends between its gas check and the call (a cold account among it).
    uint256 private constant CALL_OVERHEAD = 5000;

    /// @notice The eth_call had too little gas left to give an attempt the gas it is about.
    error NotEnoughGas(uint256 needed, uint256 available);
    /// @notice The sender has no code, and initCode (if any) did not create it.
    error AccountNotDeployed(address sender);
    error OnlySelf();
    /// @dev How `attempt` answers: as a revert, so that nothing it did remains.
    error AttemptResult(bool success, uint256 gasUsed, bytes revertData);

    /// @notice Creates or initialises the account if needed, then searches the least gas between `minGas` and `maxGas`.
    /// @param senderCreator the EntryPoint's SenderCreator: some factories accept no other caller
    /// @param initCode factory address and its call data; ignored if `sender` has code
    /// @param callData what the EntryPoint would call `sender` with
    /// @return success false if the call fails with `maxGas`, or with all gas there is if that is less
    /// @return gasNeeded a limit that was tried and sufficed, at most 1% or 256 gas above one that did
    /// not; if `success` is false, the limit with which the call failed
    /// @return revertData what the failed call reverted with, its first 2048 bytes
    function estimateCallGas(
        address senderCreator,
        bytes calldata initCode,
        address sender,
        bytes calldata callData,
        uint256 minGas,
        uint256 maxGas
    ) external returns (bool success, uint256 gasNeeded, bytes memory revertData) {
        if (initCode.length > 20 && bytes20(initCode[:20]) == EIP7702_MARKER) {
            ISenderCreator(senderCreator).initEip7702Sender(sender, initCode[20:]);
        } else if (sender.code.length == 0 && initCode.length != 0) {
            ISenderCreator(senderCreator).createSender(initCode);
        }
        if (sender.code.length == 0) revert AccountNotDeployed(sender);

        bytes memory attemptCall = abi.encodeCall(this.attempt, (0, sender, callData));
        // One eighth stays here: for the search's own work, and for the 1/64 each nested call keeps back.
        uint256 available = gasleft() - gasleft() / 8;
        gasNeeded = maxGas < available ? maxGas : available;
        uint256 gasUsed;
        (success, gasUsed, revertData) = _try(attemptCall, gasNeeded);
        if (success) gasNeeded = _search(attemptCall, minGas, gasUsed, gasNeeded);
    }

    /// @dev Whether the EntryPoint has its SenderCreator do this. One of v0.9 ignores the factory of an account that is
    /// there; earlier ones reject the operation.
    function _creates(bytes calldata creation, address sender) internal view returns (bool) {
        if (creation.length == 0) return false;
        return sender.code.length == 0 || bytes4(creation) != ISenderCreator.createSender.selector;
    }

    /// @notice Calls `sender` with exactly `gasLimit` gas and reverts with what came of it.
    function attempt(uint256 gasLimit, address sender, bytes calldata callData) external {
        if (msg.sender != address(this)) revert OnlySelf();
        bytes memory data = callData;
        // The EVM would silently lower the call's gas to 63/64 of what is left.
        uint256 available = gasleft() - gasleft() / 64;
        if (available < gasLimit + CALL_OVERHEAD) revert NotEnoughGas(gasLimit + CALL_OVERHEAD, available);

        bool success;
        uint256 gasUsed = gasleft();
        assembly ("memory-safe") {
            success := call(gasLimit, sender, 0, add(data, 0x20), mload(data), 0, 0)
        }
        gasUsed -= gasleft();
        revert AttemptResult(success, gasUsed, success ? bytes("") : _returnData());
    }

    /// @dev Narrows (`fails`, `suffices`] until the two are within 1% or 256 gas; returns `suffices`.
    function _search(
        bytes memory attemptCall,
        uint256 minGas,
        uint256 gasUsed,
        uint256 suffices
    ) private returns (uint256) {
        uint256 fails = minGas == 0 ? 0 : minGas - 1;
        // Most calls need what they used, or a little more where nested calls keep back 1/64: looking
        // just below and just above that first saves most of a plain bisection's attempts.
        uint256 guess = gasUsed - gasUsed / 64;
        uint256 secondGuess = gasUsed + gasUsed / 32 + 3000;
        while (suffices > fails + 1 && suffices - fails > _tolerance(suffices)) {
            if (guess <= fails || guess >= suffices) guess = fails + (suffices - fails) / 2;
            (bool success, , ) = _try(attemptCall, guess);
            if (success) suffices = guess;
            else fails = guess;
            (guess, secondGuess) = (secondGuess, 0);
        }
        return suffices;
    }

    function _tolerance(uint256 gasLimit) private pure returns (uint256) {
        return gasLimit / 100 > 256 ? gasLimit / 100 : 256;
    }

    /// @dev One attempt with `gasLimit`; its effects are rolled back. `attemptCall` is encoded once and
    /// patched here: a fresh copy for each attempt would grow memory, and its price, with every step.
    function _try(
        bytes memory attemptCall,
        uint256 gasLimit
    ) private returns (bool success, uint256 gasUsed, bytes memory revertData) {
        assembly ("memory-safe") {
            mstore(add(attemptCall, 0x24), gasLimit)
        }
        (, bytes memory result) = address(this).call(attemptCall);
        if (bytes4(result) != AttemptResult.selector) {
            if (result.length == 0) revert NotEnoughGas(gasLimit, gasleft());
            assembly ("memory-safe") {
                revert(add(result, 0x20), mload(result))
            }
        }
        assembly ("memory-safe") {
            // Drop the selector: the length word moves four bytes up.
            let length := sub(mload(result), 4)
            result := add(result, 4)
            mstore(result, length)
        }
        return abi.decode(result, (bool, uint256, bytes));
    }

    /// @dev The last call's return data, capped.
    function _returnData() internal pure returns (bytes memory data) {
        assembly ("memory-safe") {
            let size := returndatasize()
            if gt(size, MAX_REVERT_DATA) {
                size := MAX_REVERT_DATA
            }
            data := mload(0x40)
            mstore(data, size)
            returndatacopy(add(data, 0x20), 0, size)
            mstore(0x40, and(add(add(data, size), 0x3f), not(0x1f)))
        }
    }

    fallback() external payable {
        _delegate();
    }

    receive() external payable {
        _delegate();
    }

    /// @dev Lets the real EntryPoint answer, under its own address.
    function _delegate() private {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), IMPLEMENTATION, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if success {
                return(0, returndatasize())
            }
            revert(0, returndatasize())
        }
    }
}
