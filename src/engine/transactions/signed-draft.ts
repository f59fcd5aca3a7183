import { Signature, Transaction } from 'ethers';
import { EngineError } from '../../shared/errors.ts';
import { type Address, type Hex, sameAddress } from '../../shared/schema/hex.ts';
import type { Draft } from './drafts.ts';

const invalid = (detail: string, cause?: unknown): EngineError =>
  new EngineError('INVALID_SIGNATURE', `Invalid signature: ${detail}`, {}, { cause });

/** The fields that a transaction's signature covers, with their names for error messages. */
const FIELDS = [
  'type',
  'chainId',
  'nonce',
  'to',
  'value',
  'data',
  'gasLimit',
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
] as const;

const textOf = (transaction: Transaction, field: string): string => String(Reflect.get(transaction, field));

/** Refuses a signature by an account other than the draft's. @throws EngineError `INVALID_SIGNATURE` */
export const mustBeFrom = (from: Address, signer: Address | null): void => {
  if (signer === null || !sameAddress(signer, from)) throw invalid(`it was made by ${String(signer)}, not by ${from}`);
};

const read = <T>(of: () => T): T => {
  try {
    return of();
  } catch (error) {
    throw invalid('it is unreadable', error);
  }
};

/**
 * Reads a transaction that was signed elsewhere, and requires that it matches its draft.
 *
 * @throws EngineError `INVALID_SIGNATURE` if the transaction differs from the draft, or another account signed it
 */
export const sameAsDraft = ({ transaction, from }: Pick<Draft, 'transaction' | 'from'>, signed: Hex): Transaction => {
  const theirs = read(() => Transaction.from(signed));
  if (!theirs.isSigned()) throw invalid('the transaction is not signed');
  if (theirs.unsignedSerialized !== transaction.unsignedSerialized) {
    const field = FIELDS.find((name) => textOf(theirs, name) !== textOf(transaction, name)) ?? 'access list';
    throw invalid(`it belongs to another transaction (${field} differs)`);
  }
  mustBeFrom(from, theirs.from as Address);
  return theirs;
};

/**
 * Adds a signature that was made elsewhere to the draft.
 *
 * @param signature 65 bytes: r, s, v; v is 0 or 1, or 27 or 28
 * @throws EngineError `INVALID_SIGNATURE`
 */
export const withSignature = (draft: Pick<Draft, 'transaction' | 'from'>, signature: Hex): Transaction => {
  const v = Number(`0x${signature.slice(-2)}`);
  if (signature.length !== 132 || ![0, 1, 27, 28].includes(v)) throw invalid('it must consist of r, s and v');
  const signed = read(() => {
    const transaction = draft.transaction.clone();
    transaction.signature = Signature.from(signature);
    return transaction.serialized as Hex;
  });
  return sameAsDraft(draft, signed);
};
