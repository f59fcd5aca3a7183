// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

/// @title An account that accepts every operation, and burns gas that its paymaster pays for.
/// @notice Its fallback is `validateUserOp` of every EntryPoint: it answers 0, which means valid.
contract GasBurner {
    uint256 private immutable burnt;

    constructor(uint256 gas) {
        burnt = gas;
    }

    fallback(bytes calldata) external returns (bytes memory) {
        uint256 start = gasleft();
        while (start - gasleft() < burnt) {}
        return abi.encode(uint256(0));
    }
}
