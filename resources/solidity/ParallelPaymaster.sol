// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

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

/// @dev What this contract uses of EntryPoint v0.9.
interface IEntryPoint {
    function getUserOpHash(PackedUserOperation calldata op) external view returns (bytes32);

    function balanceOf(address account) external view returns (uint256);

    function depositTo(address account) external payable;

    function withdrawTo(address payable to, uint256 amount) external;

    function addStake(uint32 unstakeDelaySec) external payable;

    function unlockStake() external;

    function withdrawStake(address payable to) external;
}

/// @title A paymaster whose signature is no part of the operation's hash, so that the account's owner and the paymaster
/// sign at the same time, or the owner long before the paymaster.
/// @notice For EntryPoint v0.9. Its paymasterAndData has 139 bytes:
/// address (20) || validation gas (16) || postOp gas (16) || validUntil (6) || validAfter (6) || signature (65) ||
/// 0x004d || 0x22e325a297439656. The EntryPoint's hash leaves out what stands between the gas limits and the magic. The
/// signer signs that hash and the window, as an EIP-191 message.
contract ParallelPaymaster {
    using ECDSA for bytes32;

    uint256 private constant DATA_OFFSET = 52;
    uint256 private constant SIGNATURE_OFFSET = 64;
    uint256 private constant SUFFIX_OFFSET = 129;
    uint256 private constant LENGTH = 139;
    /// @dev The length of window and signature, 77, and the EntryPoint's magic.
    bytes10 private constant SUFFIX = 0x004d22e325a297439656;
    uint256 private constant SIGNATURE_FAILED = 1;

    IEntryPoint public immutable entryPoint;
    address public owner;
    /// @notice Who becomes the owner by accepting; zero if nobody is to.
    address public pendingOwner;
    mapping(address => bool) public signers;

    event OwnershipTransferStarted(address indexed from, address indexed to);
    event OwnershipTransferred(address indexed from, address indexed to);
    event SignerAdded(address indexed signer);
    event SignerRemoved(address indexed signer);

    error NotOwner(address caller);
    error NotPendingOwner(address caller);
    error NotEntryPoint(address caller);
    error NoEntryPoint(address entryPoint);
    error ZeroAddress();
    /// @notice paymasterAndData has another length, or does not end in the length of its signature and the magic.
    error InvalidPaymasterAndData(uint256 length);

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        _;
    }

    constructor(IEntryPoint entryPoint_, address owner_, address[] memory signers_) {
        if (address(entryPoint_).code.length == 0) revert NoEntryPoint(address(entryPoint_));
        if (owner_ == address(0)) revert ZeroAddress();
        entryPoint = entryPoint_;
        owner = owner_;
        emit OwnershipTransferred(address(0), owner_);
        for (uint256 i = 0; i < signers_.length; i++) _addSigner(signers_[i]);
    }

    /// @notice What the signer signs. The operation's paymasterAndData may end in any signature of the right length.
    function getHash(
        PackedUserOperation calldata op,
        uint48 validUntil,
        uint48 validAfter
    ) external view returns (bytes32) {
        return _hash(entryPoint.getUserOpHash(op), validUntil, validAfter);
    }

    /// @notice Called by the EntryPoint. A wrong signature is reported, not reverted, so that gas can be estimated.
    /// @param userOpHash covers the operation, the chain, the EntryPoint, and the address and gas limits of this paymaster
    function validatePaymasterUserOp(
        PackedUserOperation calldata op,
        bytes32 userOpHash,
        uint256
    ) external view returns (bytes memory context, uint256 validationData) {
        if (msg.sender != address(entryPoint)) revert NotEntryPoint(msg.sender);
        bytes calldata data = op.paymasterAndData;
        if (data.length != LENGTH || bytes10(data[SUFFIX_OFFSET:]) != SUFFIX) revert InvalidPaymasterAndData(data.length);
        uint48 validUntil = uint48(bytes6(data[DATA_OFFSET:]));
        uint48 validAfter = uint48(bytes6(data[DATA_OFFSET + 6:]));
        (address signer, ECDSA.RecoverError error) = _hash(userOpHash, validUntil, validAfter)
            .toEthSignedMessageHash()
            .tryRecover(data[SIGNATURE_OFFSET:SUFFIX_OFFSET]);
        bool isSigned = error == ECDSA.RecoverError.NoError && signers[signer];
        validationData = (uint256(validAfter) << 208) | (uint256(validUntil) << 160);
        if (!isSigned) validationData |= SIGNATURE_FAILED;
    }

    function addSigner(address signer) external onlyOwner {
        _addSigner(signer);
    }

    function removeSigner(address signer) external onlyOwner {
        signers[signer] = false;
        emit SignerRemoved(signer);
    }

    /// @notice Names the next owner, who has to accept. The zero address takes the offer back.
    function transferOwnership(address to) external onlyOwner {
        pendingOwner = to;
        emit OwnershipTransferStarted(owner, to);
    }

    function acceptOwnership() external {
        if (msg.sender != pendingOwner) revert NotPendingOwner(msg.sender);
        emit OwnershipTransferred(owner, msg.sender);
        owner = msg.sender;
        pendingOwner = address(0);
    }

    /// @notice What the operations are paid from.
    function getDeposit() external view returns (uint256) {
        return entryPoint.balanceOf(address(this));
    }

    function deposit() external payable {
        entryPoint.depositTo{value: msg.value}(address(this));
    }

    function withdrawTo(address payable to, uint256 amount) external onlyOwner {
        entryPoint.withdrawTo(to, amount);
    }

    function addStake(uint32 unstakeDelaySec) external payable onlyOwner {
        entryPoint.addStake{value: msg.value}(unstakeDelaySec);
    }

    function unlockStake() external onlyOwner {
        entryPoint.unlockStake();
    }

    function withdrawStake(address payable to) external onlyOwner {
        entryPoint.withdrawStake(to);
    }

    function _addSigner(address signer) private {
        if (signer == address(0)) revert ZeroAddress();
        signers[signer] = true;
        emit SignerAdded(signer);
    }

    function _hash(bytes32 userOpHash, uint48 validUntil, uint48 validAfter) private pure returns (bytes32) {
        return keccak256(abi.encode(userOpHash, validUntil, validAfter));
    }
}
