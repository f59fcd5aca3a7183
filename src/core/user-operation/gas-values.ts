export interface GasValues {
  callGasLimit: bigint;
  verificationGasLimit: bigint;
  preVerificationGas: bigint;
  /** Only from v0.7 on, like paymasterPostOpGasLimit. */
  paymasterVerificationGasLimit?: bigint;
  paymasterPostOpGasLimit?: bigint;
}
