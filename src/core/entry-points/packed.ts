import type { Hex } from '../../shared/schema/hex.ts';
import { type PackedUserOperation, type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { packUserOperation } from '../user-operation/pack-user-operation.ts';
import { readV07 } from '../user-operation/read-operation.ts';
import type { UserOpHashDomain } from '../user-operation/user-op-hash.ts';
import { type AaCodes, commonAaCodes } from './aa-codes.ts';
import type { EntryPoint } from './entry-point.ts';

/** How EntryPoints from v0.7 on differ from each other. */
interface PackedEntryPoint extends Pick<
  EntryPoint,
  | 'version'
  | 'address'
  | 'deployment'
  | 'accountFactory'
  | 'takesEip7702Marker'
  | 'ignoresCreationOfExisting'
  | 'leavesOutSuffix'
  | 'takesBlockRanges'
  | 'unmetered'
  | 'leastMetered'
  | 'unusedGasPenalty'
> {
  readonly simulations: NonNullable<EntryPoint['simulations']>;
  /** The codes that not every version from v0.7 on has, and those whose message differs. */
  readonly aaCodes: AaCodes;
  hash(op: PackedUserOperation, domain: UserOpHashDomain): Hex;
}

const packed = (op: UserOperation): PackedUserOperation => {
  if (isV06(op)) throw new Error('this operation is of EntryPoint v0.6');
  return packUserOperation(op);
};

const aaCodes: AaCodes = {
  ...commonAaCodes,
  AA26: {
    words: 'over verificationGasLimit',
    party: 'account',
    meaning: 'Creation and validation of the account used more gas than verificationGasLimit.',
    fix: 'Raise verificationGasLimit.',
  },
  AA36: {
    words: 'over paymasterVerificationGasLimit',
    party: 'paymaster',
    meaning: "The paymaster's validation used more gas than paymasterVerificationGasLimit.",
    fix: 'Raise paymasterVerificationGasLimit before the paymaster signs.',
  },
};

/** From v0.7 on, the bundler receives the unused gas of a limit divided by this number. */
export const PENALTY_DIVISOR = 10n;

/** The largest amount of unused gas whose penalty (a tenth, rounded down) does not exceed `penalty`. */
export const unusedFor = (penalty: bigint): bigint => PENALTY_DIVISOR * (penalty + 1n) - 1n;

/** Defines an EntryPoint that takes packed operations, as all do from v0.7 on. */
export const packedEntryPoint = (own: PackedEntryPoint): EntryPoint => {
  const entryPoint: EntryPoint = {
    ...own,
    isPacked: true,
    emptyFields: {},
    creation: (factory, factoryData) => ({ factory, factoryData }),
    callsExecuteUserOp: true,
    leastVerification: { gas: 15_300n, coldAccounts: 1n, slotChanges: 1n, newSlots: 1n },
    aaCodes: { ...aaCodes, ...own.aaCodes },
    read: (partial, chainId) => readV07(partial, entryPoint, chainId),
    hash: (op, domain) => own.hash(packed(op), domain),
  };
  return entryPoint;
};
