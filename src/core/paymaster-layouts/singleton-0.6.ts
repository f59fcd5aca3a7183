import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { gasWordsV06 } from '../user-operation/gas-words.ts';
import { addressWord, digits, hashWord, keccak, word } from '../user-operation/hex-digits.ts';
import type { PromiseTerms } from './layout.ts';
import { modeV06 } from './mode-v06.ts';
import { type SingletonMode, singletonLayout } from './singleton.ts';

/** keccak256(abi.encode(inner, chainId)). In `inner`, the hash of callData precedes that of initCode. */
const hash = (op: UserOperationV06, { chainId }: PromiseTerms): Hex => {
  const inner = keccak(
    addressWord(op.sender),
    word(op.nonce),
    gasWordsV06(op),
    hashWord(op.callData),
    hashWord(op.initCode),
    hashWord(op.paymasterAndData),
  );
  return keccak(digits(inner), word(chainId));
};

/** Pimlico SingletonPaymasterV6. */
export const singleton06 = singletonLayout(
  {
    version: 'singleton-0.6',
    title: 'Pimlico SingletonPaymasterV6',
    entryPointVersion: '0.6',
    artifact: 'SingletonPaymasterV6',
  },
  <Terms extends PromiseTerms>(mode: SingletonMode<Terms>) => modeV06<Terms>({ ...mode, hash }),
);
