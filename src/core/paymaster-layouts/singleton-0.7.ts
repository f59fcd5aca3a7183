import type { Hex } from '../../shared/schema/hex.ts';
import type { PackedUserOperation } from '../../shared/schema/user-operation.ts';
import { addressWord, digits, hashWord, keccak, word } from '../user-operation/hex-digits.ts';
import type { PromiseTerms } from './layout.ts';
import { modeV07 } from './mode-v07.ts';
import { type SingletonMode, singletonLayout } from './singleton.ts';

/** keccak256(abi.encode(inner, chainId)), as in SingletonPaymasterV7 and in the npm package's V8. */
export const singletonHash = (op: PackedUserOperation, { chainId }: PromiseTerms): Hex => {
  const inner = keccak(
    addressWord(op.sender),
    word(op.nonce),
    digits(op.accountGasLimits),
    word(op.preVerificationGas),
    digits(op.gasFees),
    hashWord(op.initCode),
    hashWord(op.callData),
    hashWord(op.paymasterAndData),
  );
  return keccak(digits(inner), word(chainId));
};

/** Pimlico SingletonPaymasterV7. */
export const singleton07 = singletonLayout(
  {
    version: 'singleton-0.7',
    title: 'Pimlico SingletonPaymasterV7',
    entryPointVersion: '0.7',
    artifact: 'SingletonPaymasterV7',
  },
  <Terms extends PromiseTerms>(mode: SingletonMode<Terms>) => modeV07<Terms>({ ...mode, hash: singletonHash }),
);
