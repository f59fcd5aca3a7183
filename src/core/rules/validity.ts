import type { DenialRows } from '../../shared/denials.ts';
import type { Address } from '../../shared/schema/hex.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { entryPoints, findAaCode } from '../entry-points/registry.ts';
import { isEip7702 } from '../user-operation/user-op-hash.ts';
import { type CheckResult, type RuleKind, deny, pass } from './rule.ts';

const denials = {
  SENDER_WITHOUT_CODE: () => ({
    message:
      'The sender has no code, and the operation names no factory that creates the account: every EntryPoint rejects it.',
    hint: 'Send the factory (initCode before v0.7) or, for EIP-7702, the eip7702Auth with it. If an earlier operation creates the account, wait until it is mined.',
  }),
  SENDER_HAS_CODE: () => ({
    message: 'The operation names a factory, but its account is already deployed: the EntryPoint rejects it.',
    hint: 'Leave out the factory (initCode before v0.7).',
  }),
  FACTORY_FAILED: ({ factory, verificationGasLimit }) => ({
    message: `The factory ${String(factory)} does not create the account (AA13): it reverts, has no code, or needs more than the verificationGasLimit of ${String(verificationGasLimit)}.`,
    hint: `Check the factory and its data (initCode before v0.7). If EntryPoint.getSenderAddress returns the sender for them, raise verificationGasLimit above ${String(verificationGasLimit)}.`,
  }),
  FACTORY_MADE_OTHER_ACCOUNT: ({ factory }) => ({
    message: `The factory ${String(factory)} creates an account other than the sender (AA14): every EntryPoint rejects the operation.`,
    hint: 'Set sender to what EntryPoint.getSenderAddress returns for the factory and its data (initCode before v0.7).',
  }),
  FACTORY_MADE_NO_ACCOUNT: ({ factory }) => ({
    message: `The factory ${String(factory)} names the sender but leaves it without code (AA15): every EntryPoint rejects the operation.`,
    hint: 'Send the factory and the data (initCode before v0.7) that deploy the account.',
  }),
  ACCOUNT_FAILS_VALIDATION: ({ sender, error, verificationGasLimit }) => ({
    message: `The account ${String(sender)} fails to validate the operation whatever its signature (AA23): it ${error === '0x' ? 'reverts without a reason, answers nothing' : `reverts with the error ${String(error)}`}, or needs more than the verificationGasLimit of ${String(verificationGasLimit)}.`,
    hint: `Check that the sender is an account for this EntryPoint, and that the validator which the nonce or callData names is installed. If so, raise verificationGasLimit above ${String(verificationGasLimit)}. If an earlier operation sets the account up, wait until it is mined.`,
  }),
  SIGNED_OPERATION_FAILS: ({ error }) => {
    const { words = 'no AA code', fix = 'Simulate the operation.' } = findAaCode(String(error)) ?? {};
    return {
      message: `The EntryPoint rejects the operation as its account has signed it: ${String(error)} (${words}).`,
      hint: `${fix} If this changes the operation, ask for it with signingPhase commit, and have the account sign again.`,
    };
  },
  NONCE_USED: ({ nonce, nextNonce }) => ({
    message: `The nonce ${String(nonce)} is already used: every EntryPoint rejects the operation.`,
    hint: `Read the nonce from EntryPoint.getNonce just before sending; for this key it is ${String(nextNonce)}.`,
  }),
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

/** The codes with which an EntryPoint reports that a factory failed to create the sender. */
export type CreationFailure = 'AA13' | 'AA14' | 'AA15';

/** How the simulated creation of an account failed. */
interface FailedCreation {
  readonly aaCode: CreationFailure;
  readonly factory: Address;
  /** Gas that the factory may use. */
  readonly verificationGasLimit: bigint;
}

/** How an account's validation failed with each kind of signature that was tried. */
interface FailedValidation {
  readonly sender: Address;
  /** The selector of the error, or `0x`. */
  readonly error: string;
  /** Gas that the account may use. */
  readonly verificationGasLimit: bigint;
}

const creationDenials = {
  AA13: 'FACTORY_FAILED',
  AA14: 'FACTORY_MADE_OTHER_ACCOUNT',
  AA15: 'FACTORY_MADE_NO_ACCOUNT',
} as const satisfies Record<CreationFailure, string>;

/** An operation and the on-chain state of its account. */
export interface ValidityFacts {
  /** True if the operation creates its account through a factory. */
  readonly deploys: boolean;
  /** Undefined if the creation succeeded, was not simulated, or the node did not answer. */
  readonly failedCreation?: FailedCreation | undefined;
  /** True if the account has code, or gets it from the operation's EIP-7702 authorisation. */
  readonly hasCode: boolean;
  /** Undefined if some signature may be valid, or if validation was not simulated. */
  readonly failedValidation?: FailedValidation | undefined;
  /**
   * Why the EntryPoint rejects the operation with the account's signature: an AA code, or the selector of an error.
   * Undefined if the EntryPoint accepts it, or if the account has not signed yet.
   */
  readonly signedFailure?: string | undefined;
  readonly nonce: bigint;
  /** The result of `EntryPoint.getNonce` for the sender and the nonce's key. */
  readonly nextNonce: bigint;
}

/**
 * Denies an operation that no EntryPoint would accept, so that it reserves nothing. Only errors that cannot resolve
 * themselves before the operation expires count: a nonce that is too high may become valid. The dummy signature causes
 * none of these errors: a reverting account (AA23) is denied only if no signature makes a difference. The result of
 * validation does not count if an earlier operation is still pending, because that operation may change the account.
 */
export const checkValidity = ({
  deploys,
  failedCreation,
  failedValidation,
  signedFailure,
  hasCode,
  nonce,
  nextNonce,
}: ValidityFacts): Result => {
  const evidence = { nonce: String(nonce), nextNonce: String(nextNonce) };
  // In the order of the EntryPoint's checks: AA10, AA20, AA13 to AA15, AA25.
  if (deploys && hasCode) return deny('SENDER_HAS_CODE', evidence);
  if (!deploys && !hasCode) return deny('SENDER_WITHOUT_CODE', evidence);
  if (failedCreation !== undefined) {
    const { aaCode, factory, verificationGasLimit } = failedCreation;
    return deny(creationDenials[aaCode], { ...evidence, factory, verificationGasLimit: String(verificationGasLimit) });
  }
  if (nonce < nextNonce) return deny('NONCE_USED', evidence);
  if (failedValidation !== undefined && nonce === nextNonce) {
    const { sender, error, verificationGasLimit } = failedValidation;
    const account = { sender, error, verificationGasLimit: String(verificationGasLimit) };
    return deny('ACCOUNT_FAILS_VALIDATION', { ...evidence, ...account });
  }
  if (signedFailure !== undefined) return deny('SIGNED_OPERATION_FAILS', { ...evidence, error: signedFailure });
  return pass('MAY_BE_VALID', evidence);
};

/** The factory that creates the account; undefined without a factory, as for an EIP-7702 account. */
const factoryOf = (op: UserOperation): Address | undefined => {
  if (isV06(op)) return op.initCode === '0x' ? undefined : (op.initCode.slice(0, 42) as Address);
  return op.factory === undefined || isEip7702(op.factory) ? undefined : op.factory;
};

/** Whether the operation can become valid. Checked only if the chain was read. */
export const validity: RuleKind<keyof typeof denials> = {
  type: 'validity',
  title: 'Validity',
  denials,
  check({ facts: { account }, op, layout }) {
    if (account === undefined) return [];
    const { hasCode, nextNonce, creationFailure: aaCode, validationFailure: error, signedFailure } = account;
    const factory = factoryOf(op);
    const { sender, nonce, verificationGasLimit } = op;
    const failedCreation = factory && aaCode && { aaCode, factory, verificationGasLimit };
    const failedValidation = error && { sender, error, verificationGasLimit };
    const failed = { failedCreation, failedValidation, signedFailure };
    const { ignoresCreationOfExisting } = entryPoints[layout.entryPointVersion];
    const deploys = factory !== undefined && !(hasCode && ignoresCreationOfExisting);
    return [checkValidity({ deploys, hasCode, nonce, nextNonce: BigInt(nextNonce), ...failed })];
  },
};
