/** The gas limits for the phases of an operation after its validation. */
export interface ExecutionLimits {
  readonly callGasLimit: bigint;
  /** The limit of postOp if postOp is called, else 0. */
  readonly postOpGasLimit: bigint;
}

/** The penalty that an EntryPoint charges for unused gas. Assumes that postOp uses no gas. */
export interface UnusedGasPenalty {
  /** True if the penalty also counts the limit of a postOp that is never called. */
  readonly countsUncalledPostOp: boolean;
  /** The penalty in gas. @param callGasUsed gas used by the operation's call, at most its limit */
  of(limits: ExecutionLimits, callGasUsed: bigint): bigint;
  /**
   * The highest limits that cause at most this penalty, none above the given limits. The call's limit never falls below
   * the gas it uses; what may stay unused goes to postOp first.
   * @param penalty gas
   */
  limitsWithin(limits: ExecutionLimits, callGasUsed: bigint, penalty: bigint): ExecutionLimits;
}

export interface EntryPointGas {
  /**
   * Gas that the EntryPoint spends on a bundle of one operation without metering it: the loops, the guard against
   * reentrancy, the events, the refund and the payment of the beneficiary. Measured with `handleOps` of the canonical
   * build, and rounded up.
   */
  readonly unmeteredGas: bigint;
  /**
   * The least gas that the EntryPoint meters besides the call: an account that checks nothing, a paymaster that
   * sponsors, and the EntryPoint's own work for both. Measured on a local chain with each contract.
   */
  readonly leastMeteredGas: bigint;
  readonly unusedGasPenalty: UnusedGasPenalty;
}
