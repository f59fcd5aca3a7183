import type { PackedUserOperation, UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { gasWordsV06 } from '../user-operation/gas-words.ts';
import { addressWord, digits, hashWord, uint48Word, uintDigits, word } from '../user-operation/hex-digits.ts';
import type { PromiseTerms } from './layout.ts';

/** The first ABI words in the hash of Biconomy's contracts for EntryPoint v0.6. */
export const operationWordsV06 = (op: UserOperationV06, { chainId, paymaster }: PromiseTerms): string =>
  [
    addressWord(op.sender),
    word(op.nonce),
    hashWord(op.initCode),
    hashWord(op.callData),
    gasWordsV06(op),
    word(chainId),
    addressWord(paymaster),
  ].join('');

/** The first ABI words in the hash of VerifyingPaymaster 0.7 and of Biconomy's contract for EntryPoint v0.7. */
export const operationWordsV07 = (op: PackedUserOperation, { chainId, paymaster }: PromiseTerms): string => {
  const paymasterGasLimits = digits(op.paymasterAndData).slice(40, 104);
  return [
    addressWord(op.sender),
    word(op.nonce),
    hashWord(op.initCode),
    hashWord(op.callData),
    digits(op.accountGasLimits),
    paymasterGasLimits,
    word(op.preVerificationGas),
    digits(op.gasFees),
    word(chainId),
    addressWord(paymaster),
  ].join('');
};

/** validUntil and validAfter, as one ABI word each. */
export const windowWords = ({ validUntil, validAfter }: PromiseTerms): string =>
  uint48Word(validUntil) + uint48Word(validAfter);

/** validUntil and validAfter, packed into six bytes each. */
export const windowDigits = ({ validUntil, validAfter }: PromiseTerms): string =>
  uintDigits(validUntil, 6) + uintDigits(validAfter, 6);
