// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {UserOperation} from "@account-abstraction/contracts/interfaces/UserOperation.sol";
import {IEntryPoint} from "@account-abstraction/contracts/interfaces/IEntryPoint.sol";

/**
 * @title A paymaster for the local chain with the interface, data and hash of Biconomy's VerifyingSingletonPaymaster
 * 1.0.0, whose code comes with no package: a gas tank per funding wallet, and signatures without a validity window.
 */
contract TankPaymasterV100 {
    using ECDSA for bytes32;

    /// @dev Gas that a tank is charged for on top of what the EntryPoint counts.
    uint256 private constant OVERHEAD_GAS = 9_600;

    IEntryPoint public immutable entryPoint;
    address public owner;
    address public verifyingSigner;
    mapping(address => uint256) public paymasterIdBalances;

    event GasBalanceDeducted(address indexed paymasterId, uint256 indexed charge);

    error SignerCannotBeZero();
    error InsufficientBalance(uint256 required, uint256 available);

    modifier onlyEntryPoint() {
        require(msg.sender == address(entryPoint), "TankPaymasterV100: not the EntryPoint");
        _;
    }

    constructor(address owner_, IEntryPoint entryPoint_, address signer) {
        owner = owner_;
        entryPoint = entryPoint_;
        verifyingSigner = signer;
    }

    /// @dev Some builds of the original call it setSigner.
    function setVerifyingSigner(address signer) external {
        require(msg.sender == owner, "TankPaymasterV100: not the owner");
        if (signer == address(0)) revert SignerCannotBeZero();
        verifyingSigner = signer;
    }

    function getBalance(address paymasterId) external view returns (uint256) {
        return paymasterIdBalances[paymasterId];
    }

    function depositFor(address paymasterId) external payable {
        paymasterIdBalances[paymasterId] += msg.value;
        entryPoint.depositTo{value: msg.value}(address(this));
    }

    function withdrawTo(address payable to, uint256 amount) external {
        uint256 balance = paymasterIdBalances[msg.sender];
        if (amount > balance) revert InsufficientBalance(amount, balance);
        paymasterIdBalances[msg.sender] = balance - amount;
        entryPoint.withdrawTo(to, amount);
    }

    function getHash(UserOperation calldata op, address paymasterId) public view returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    op.sender,
                    op.nonce,
                    keccak256(op.initCode),
                    keccak256(op.callData),
                    op.callGasLimit,
                    op.verificationGasLimit,
                    op.preVerificationGas,
                    op.maxFeePerGas,
                    op.maxPriorityFeePerGas,
                    block.chainid,
                    address(this),
                    paymasterId
                )
            );
    }

    function validatePaymasterUserOp(
        UserOperation calldata op,
        bytes32,
        uint256 maxCost
    ) external view onlyEntryPoint returns (bytes memory context, uint256 validationData) {
        (address paymasterId, bytes memory signature) = abi.decode(op.paymasterAndData[20:], (address, bytes));
        if (getHash(op, paymasterId).toEthSignedMessageHash().recover(signature) != verifyingSigner) return ("", 1);
        uint256 balance = paymasterIdBalances[paymasterId];
        if (maxCost > balance) revert InsufficientBalance(maxCost, balance);
        return (abi.encode(paymasterId), 0);
    }

    function postOp(uint8, bytes calldata context, uint256 actualGasCost) external onlyEntryPoint {
        address paymasterId = abi.decode(context, (address));
        uint256 charge = actualGasCost + OVERHEAD_GAS * tx.gasprice;
        paymasterIdBalances[paymasterId] -= charge;
        emit GasBalanceDeducted(paymasterId, charge);
    }
}
