import type { Hex } from '../../shared/schema/hex.ts';
import type { PackedUserOperation } from '../../shared/schema/user-operation.ts';
import { penaltyOfLimit } from '../entry-points/0.8.ts';
import { digits, keccak, word } from '../user-operation/hex-digits.ts';
import { isEip7702 } from '../user-operation/user-op-hash.ts';
import { neededTerm } from './layout.ts';
import type { PaymasterLayout, PromiseTerms } from './layout.ts';
import { modeV07 } from './mode-v07.ts';
import { singletonHash } from './singleton-0.7.ts';
import { type SingletonContract, type SingletonMode, singletonLayout } from './singleton.ts';

/** The contract does not charge for the penalty on unused postOp gas, so `postOpGas` has to include it. */
export const singletonForV08 = (contract: SingletonContract, hash: typeof singletonHash): PaymasterLayout => {
  const { token, ...layout } = singletonLayout(contract, <Terms extends PromiseTerms>(mode: SingletonMode<Terms>) =>
    modeV07<Terms>({ ...mode, hash }),
  );
  return {
    ...layout,
    token: {
      ...token,
      chargedGas: (op, options) => {
        const charged = token.chargedGas(op, options);
        const limits = { ...token.paymasterGas, ...op };
        // Assumes that at least half of the charged gas is used.
        const penalty = penaltyOfLimit(limits.paymasterPostOpGasLimit ?? 0n, charged.postOpGas / 2n);
        return { ...charged, postOpGas: charged.postOpGas + penalty };
      },
    },
  };
};

/** Pimlico SingletonPaymasterV8 from the npm package. */
export const singleton08 = singletonForV08(
  {
    version: 'singleton-0.8',
    title: 'Pimlico SingletonPaymasterV8 (npm build)',
    entryPointVersion: '0.8',
    artifact: 'SingletonPaymasterV8',
  },
  singletonHash,
);

const NO_OVERRIDE = word(0);

/** Replaces an EIP-7702 operation's initCode in the hash: contains the delegate instead of the marker. */
const initCodeOverride = ({ initCode }: PackedUserOperation, terms: PromiseTerms): string => {
  if (!isEip7702(initCode)) return NO_OVERRIDE;
  return digits(keccak(digits(neededTerm(terms, 'eip7702Delegate')), digits(initCode).slice(40)));
};

/** keccak256(abi.encode(hash of the npm build, initCodeOverride)). */
const hashWithDelegate = (op: PackedUserOperation, terms: PromiseTerms): Hex =>
  keccak(digits(singletonHash(op, terms)), initCodeOverride(op, terms));

/** Pimlico SingletonPaymasterV8 from the public repository, whose hash includes the delegate of an EIP-7702 account. */
export const singleton08Eip7702 = singletonForV08(
  {
    version: 'singleton-0.8-eip7702',
    title: 'Pimlico SingletonPaymasterV8 (repository version)',
    entryPointVersion: '0.8',
  },
  hashWithDelegate,
);
