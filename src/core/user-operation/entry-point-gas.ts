import type { Work } from '../gas-schedules/work.ts';

/** The gas limits for the phases of an operation after its validation. */
export interface ExecutionLimits {
  readonly callGasLimit: bigint;
  /** The limit of postOp if postOp is called, otherwise 0. */
  readonly postOpGasLimit: bigint;
}

/** The penalty that an EntryPoint charges for unused gas. Assumes that postOp uses no gas. */
export interface UnusedGasPenalty {
  /** True if the penalty also counts the limit of a postOp that is never called. */
  readonly countsUncalledPostOp: boolean;
  /** The penalty in gas. @param callGasUsed gas that the operation's call uses, at most its limit */
  of(limits: ExecutionLimits, callGasUsed: bigint): bigint;
  /**
   * The highest limits that cause at most this penalty. None exceeds the given limit. The call's limit never falls
   * below the gas that the call uses; unused gas is first left to postOp.
   * @param penalty gas
   */
  limitsWithin(limits: ExecutionLimits, callGasUsed: bigint, penalty: bigint): ExecutionLimits;
}

export interface EntryPointGas {
  /**
   * What the EntryPoint does for a bundle of one operation without metering it: the loops, the guard against reentrancy,
   * the events, the refund and the payment of the beneficiary. Measured with `handleOps` of the canonical build, and
   * rounded up.
   */
  readonly unmetered: Work;
  /**
   * The least that the EntryPoint meters besides the call: an account that checks nothing and whose nonce was used
   * before, a paymaster that sponsors, and the EntryPoint's own work for both. Measured with each contract.
   */
  readonly leastMetered: Work;
  readonly unusedGasPenalty: UnusedGasPenalty;
}
