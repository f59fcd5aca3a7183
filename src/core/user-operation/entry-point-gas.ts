/** The limits of what an operation runs after its validation, in gas. */
export interface ExecutionLimits {
  readonly callGasLimit: bigint;
  /** That of a postOp which is called; 0 where there is none. */
  readonly postOpGasLimit: bigint;
}

/** What an EntryPoint charges for gas that was asked for and not used. postOp is taken to use nothing. */
export interface UnusedGasPenalty {
  /** True: it is also charged for the limit of a postOp that is never called. */
  readonly countsUncalledPostOp: boolean;
  /**
   * In gas.
   *
   * @param callGasUsed what the call of the operation uses, at most its limit
   */
  of(limits: ExecutionLimits, callGasUsed: bigint): bigint;
  /**
   * The highest limits, none above what it is, whose penalty is at most that. The call keeps what it uses; of the rest,
   * postOp is served first.
   *
   * @param penalty gas
   */
  limitsWithin(limits: ExecutionLimits, callGasUsed: bigint, penalty: bigint): ExecutionLimits;
}

/** What an EntryPoint spends and charges, in gas. */
export interface EntryPointGas {
  /**
   * What it spends on a bundle of one operation without metering it: the loops, the guard against reentrancy, the events,
   * the refund and the payment of the beneficiary. Measured with `handleOps` of the canonical build, and rounded up.
   */
  readonly unmeteredGas: bigint;
  /**
   * The least that it meters besides the call: an account that checks nothing, a paymaster that sponsors, and its own work
   * around them. Measured on a local chain with each contract.
   */
  readonly leastMeteredGas: bigint;
  readonly unusedGasPenalty: UnusedGasPenalty;
}
