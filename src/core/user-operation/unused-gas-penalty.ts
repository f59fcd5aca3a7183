import { above, max, min } from '../../shared/bigints.ts';
import type { EntryPointVersion } from '../../shared/schema/user-operation.ts';

/** The limits of what an operation runs after its validation, in gas. */
export interface ExecutionLimits {
  readonly callGasLimit: bigint;
  /** That of a postOp which is called; 0 where there is none. */
  readonly postOpGasLimit: bigint;
}

/** From v0.7 on, this part of what was not used of a limit is paid to the bundler. */
const PENALTY_DIVISOR = 10n;
/** v0.8 forgives so much of each limit, or else nothing. */
const FORGIVEN_GAS = 40_000n;

const penaltyV08 = (limit: bigint, used: bigint): bigint => {
  const unused = above(limit, used);
  return unused <= FORGIVEN_GAS ? 0n : unused / PENALTY_DIVISOR;
};

/**
 * What the EntryPoint charges for gas that was asked for and not used, in gas: nothing on v0.6, a tenth of what is left of
 * both limits together on v0.7, a tenth of what is left of each on v0.8. postOp is taken to use nothing.
 *
 * @param callGasUsed what the call of the operation uses, at most its limit
 */
export const unusedGasPenalty = (
  version: EntryPointVersion,
  { callGasLimit, postOpGasLimit }: ExecutionLimits,
  callGasUsed: bigint,
): bigint => {
  if (version === '0.6') return 0n;
  if (version === '0.7') return above(callGasLimit + postOpGasLimit, callGasUsed) / PENALTY_DIVISOR;
  return penaltyV08(callGasLimit, callGasUsed) + penaltyV08(postOpGasLimit, 0n);
};

/** The most unused gas for which a tenth, rounded down, is no more than that. */
const unusedFor = (penalty: bigint): bigint => PENALTY_DIVISOR * (penalty + 1n) - 1n;

/** The highest limit of v0.8 with a penalty of at most that. */
const highestV08 = (limit: bigint, used: bigint, penalty: bigint): bigint =>
  min(limit, used + max(FORGIVEN_GAS, unusedFor(penalty)));

/**
 * The highest limits, none above what it is, whose penalty is at most that. The call keeps what it uses; of the rest,
 * postOp is served first.
 *
 * @param penalty gas
 */
export const limitsWithin = (
  version: EntryPointVersion,
  { callGasLimit, postOpGasLimit }: ExecutionLimits,
  callGasUsed: bigint,
  penalty: bigint,
): ExecutionLimits => {
  if (version === '0.6') return { callGasLimit, postOpGasLimit };
  if (version === '0.8') {
    const postOp = highestV08(postOpGasLimit, 0n, penalty);
    const left = penalty - penaltyV08(postOp, 0n);
    return { callGasLimit: highestV08(callGasLimit, callGasUsed, left), postOpGasLimit: postOp };
  }
  const unused = unusedFor(penalty);
  const postOp = min(postOpGasLimit, unused);
  return {
    callGasLimit: min(callGasLimit, callGasUsed + unused - postOp),
    postOpGasLimit: postOp,
  };
};
