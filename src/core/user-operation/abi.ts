/** The UserOperation tuple of EntryPoint v0.6 in a human-readable ABI, with the field names of UserOperationV06. */
export const USER_OPERATION_V06_ABI =
  '(address sender, uint256 nonce, bytes initCode, bytes callData, uint256 callGasLimit, uint256 verificationGasLimit,' +
  ' uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData,' +
  ' bytes signature)';

/** The PackedUserOperation tuple of EntryPoint v0.7 and v0.8, with the field names of PackedUserOperation. */
export const PACKED_USER_OPERATION_ABI =
  '(address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits,' +
  ' uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature)';
