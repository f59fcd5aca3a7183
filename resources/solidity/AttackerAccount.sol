// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

/**
 * @title A smart account for the local chain that works against its paymaster, on every EntryPoint. It accepts any
 * signature; the signature, which no paymaster signs, says what it does in validation:
 * nothing (any other first byte), `01` with a word: burn so much gas, or `02` with two bytes: revert with the gas limits,
 * the fees and the 65 bytes of `paymasterAndData` from that place on, which may be the paymaster's signature. Calls other
 * than `execute` burn all the gas they get.
 */
contract AttackerAccount {
    struct UserOperation {
        address sender;
        uint256 nonce;
        bytes initCode;
        bytes callData;
        uint256 callGasLimit;
        uint256 verificationGasLimit;
        uint256 preVerificationGas;
        uint256 maxFeePerGas;
        uint256 maxPriorityFeePerGas;
        bytes paymasterAndData;
        bytes signature;
    }

    struct PackedUserOperation {
        address sender;
        uint256 nonce;
        bytes initCode;
        bytes callData;
        bytes32 accountGasLimits;
        uint256 preVerificationGas;
        bytes32 gasFees;
        bytes paymasterAndData;
        bytes signature;
    }

    /// @dev What a revert reason holds between two dashes; longer runs of hex digits may be cut on their way.
    uint256 private constant PIECE = 30;

    receive() external payable {}

    fallback() external payable {
        assembly {
            invalid()
        }
    }

    function validateUserOp(UserOperation calldata op, bytes32, uint256) external view returns (uint256) {
        return
            _act(
                op.signature,
                abi.encodePacked(
                    uint32(op.callGasLimit),
                    uint32(op.verificationGasLimit),
                    uint32(op.preVerificationGas),
                    uint64(op.maxFeePerGas),
                    uint64(op.maxPriorityFeePerGas)
                ),
                op.paymasterAndData
            );
    }

    function validateUserOp(PackedUserOperation calldata op, bytes32, uint256) external view returns (uint256) {
        uint256 limits = uint256(op.accountGasLimits);
        uint256 fees = uint256(op.gasFees);
        return
            _act(
                op.signature,
                abi.encodePacked(
                    uint32(limits),
                    uint32(limits >> 128),
                    uint32(op.preVerificationGas),
                    uint64(fees),
                    uint64(fees >> 128)
                ),
                op.paymasterAndData
            );
    }

    function execute(address target, uint256 value, bytes calldata data) external {
        (bool success, bytes memory result) = target.call{value: value}(data);
        if (success) return;
        assembly {
            revert(add(result, 32), mload(result))
        }
    }

    function _act(
        bytes calldata signature,
        bytes memory gas,
        bytes calldata paymasterAndData
    ) private view returns (uint256) {
        if (signature.length == 0) return 0;
        if (signature[0] == 0x01) {
            uint256 until = gasleft() - uint256(bytes32(signature[1:33]));
            while (gasleft() > until) {}
        }
        if (signature[0] == 0x02) {
            uint256 from = uint16(bytes2(signature[1:3]));
            revert(_inPieces(bytes.concat(gas, paymasterAndData[from:from + 65])));
        }
        return 0;
    }

    function _inPieces(bytes memory held) private pure returns (string memory) {
        bytes memory text = new bytes(held.length * 2 + held.length / PIECE + 1);
        bytes16 digit = "0123456789abcdef";
        uint256 length = 0;
        for (uint256 i = 0; i < held.length; i++) {
            if (i % PIECE == 0) text[length++] = "-";
            text[length++] = digit[uint8(held[i]) >> 4];
            text[length++] = digit[uint8(held[i]) & 15];
        }
        assembly {
            mstore(text, length)
        }
        return string(text);
    }
}
