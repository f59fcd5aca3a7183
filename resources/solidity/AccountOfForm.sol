// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/**
 * @title An account for the local chain that reads its signature in one of the forms that accounts have, on every
 * EntryPoint. It is nobody's: the best signature is one that it takes for another owner's.
 */
contract AccountOfForm {
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

    struct WebAuthn {
        bytes authenticatorData;
        string clientDataJSON;
        uint256 challengeIndex;
        uint256 typeIndex;
        uint256 r;
        uint256 s;
    }

    enum Form {
        // An ECDSA signature; what is none reverts.
        RECOVERED,
        // The same, and another owner's reverts.
        STRICT,
        // An ECDSA signature behind 12 bytes of a validity window.
        WINDOW,
        // One that a named module checks.
        MODULE,
        // The number of an owner, and its signature.
        OWNER,
        PASSKEY,
        // A first byte that says what follows.
        MODE,
        // A compact signature of 64 bytes.
        COMPACT,
        // What follows fails whatever the signature.
        NEVER,
        SILENT,
        BURNING
    }

    error NotTheOwner();
    error WrongLength(uint256 length);
    error UnknownMode(uint8 mode);
    error NotAllowed();

    Form private immutable form;

    constructor(Form given) {
        form = given;
    }

    fallback() external payable {}

    function validateUserOp(UserOperation calldata op, bytes32 hash, uint256) external view returns (uint256) {
        return _validate(op.signature, hash);
    }

    function validateUserOp(PackedUserOperation calldata op, bytes32 hash, uint256) external view returns (uint256) {
        return _validate(op.signature, hash);
    }

    function _validate(bytes calldata signature, bytes32 hash) private view returns (uint256) {
        if (form == Form.RECOVERED) return _isOther(ECDSA.recover(hash, signature));
        if (form == Form.STRICT) {
            if (_isOther(ECDSA.recover(hash, signature)) == 1) revert NotTheOwner();
            return 0;
        }
        if (form == Form.WINDOW) return _isOther(ECDSA.recover(hash, signature[12:]));
        if (form == Form.MODULE) {
            (bytes memory inner, address module) = abi.decode(signature, (bytes, address));
            if (module.code.length == 0) revert NotAllowed();
            return _isOther(ECDSA.recover(hash, inner));
        }
        if (form == Form.OWNER) {
            (uint256 owner, bytes memory inner) = abi.decode(signature, (uint256, bytes));
            if (owner > 3) revert NotTheOwner();
            return _isOther(ECDSA.recover(hash, inner));
        }
        if (form == Form.PASSKEY) {
            WebAuthn memory proof = abi.decode(signature, (WebAuthn));
            if (proof.r == 0) revert NotTheOwner();
            return 1;
        }
        if (form == Form.MODE) {
            if (uint8(signature[0]) > 1) revert UnknownMode(uint8(signature[0]));
            return _isOther(ECDSA.recover(hash, signature[1:]));
        }
        if (form == Form.COMPACT) {
            if (signature.length != 64) revert WrongLength(signature.length);
            return _isOther(ECDSA.recover(hash, bytes32(signature[:32]), bytes32(signature[32:])));
        }
        if (form == Form.NEVER) revert NotAllowed();
        if (form == Form.SILENT) {
            assembly {
                return(0, 0)
            }
        }
        assembly {
            invalid()
        }
    }

    function _isOther(address signer) private view returns (uint256) {
        return signer == address(this) ? 0 : 1;
    }
}
