/** The limits for what an operation runs after its validation, in gas. */
export interface ExecutionLimits {
  readonly callGasLimit: bigint;
  /** That of a postOp that is called; 0 without one. */
  readonly postOpGasLimit: bigint;
}

/** What an EntryPoint charges for unused gas. Assumes that postOp uses nothing. */
export interface UnusedGasPenalty {
  /** True: it is also charged for the limit of a postOp that is never called. */
  readonly countsUncalledPostOp: boolean;
  /** In gas. @param callGasUsed gas that the call of the operation uses, at most its limit */
  of(limits: ExecutionLimits, callGasUsed: bigint): bigint;
  /**
   * The highest limits, none above its own, whose penalty is at most that. The call keeps what it uses; of the rest,
   * postOp comes first.
   * @param penalty gas
   */
  limitsWithin(limits: ExecutionLimits, callGasUsed: bigint, penalty: bigint): ExecutionLimits;
}

export interface EntryPointGas {
  /**
   * Gas that it spends on a bundle of one operation without metering it: the loops, the guard against reentrancy, the
   * events, the refund and the payment of the beneficiary. Measured with `handleOps` of the canonical build, and
   * rounded up.
   */
  readonly unmeteredGas: bigint;
  /**
   * The least that it meters besides the call: an account that checks nothing, a paymaster that sponsors, and its own
   * work around them. Measured on a local chain with each contract.
   */
  readonly leastMeteredGas: bigint;
  readonly unusedGasPenalty: UnusedGasPenalty;
}
