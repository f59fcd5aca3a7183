import { keccak } from '../user-operation/hex-digits.ts';
import { signatureField, windowFields } from './data-fields.ts';
import type { PaymasterLayout, SponsorshipTerms } from './layout.ts';
import { modeV07 } from './mode-v07.ts';
import { operationWordsV07, windowWords } from './operation-words.ts';

const mode = modeV07<SponsorshipTerms>({
  // The contract has no postOp.
  paymasterGas: { paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 0n },
  // abi.encode(uint48 validUntil, uint48 validAfter) || signature
  data: (terms, signature) => windowWords(terms) + signature,
  fields: () => [...windowFields(32), signatureField],
  hash: (op, terms) => keccak(operationWordsV07(op, terms), windowWords(terms)),
  getHashTypes: 'OP, uint48, uint48',
  getHashValues: (op, terms) => [op, terms.validUntil, terms.validAfter],
});

const contract = { signerGetter: 'verifyingSigner', hasTanks: false, chainReads: [], ...mode } as const;

/** eth-infinitism VerifyingPaymaster for EntryPoint v0.7. It has no tanks: its EntryPoint deposit pays. */
export const verifying07: PaymasterLayout = {
  version: 'verifying-0.7',
  title: 'eth-infinitism VerifyingPaymaster 0.7',
  entryPointVersion: '0.7',
  deployment: {
    artifact: 'VerifyingPaymaster-0.7',
    constructorArguments: ({ entryPoint, signer }) => [entryPoint, signer],
  },
  ...contract,
};

/** The same contract for EntryPoint v0.8, from eth-infinitism's samples. No package contains its code. */
export const verifying08: PaymasterLayout = {
  version: 'verifying-0.8',
  title: 'eth-infinitism VerifyingPaymaster 0.8',
  entryPointVersion: '0.8',
  ...contract,
};
