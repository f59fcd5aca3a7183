import { entryPoint09 } from '../entry-points/0.9.ts';
import { typedHash } from '../entry-points/0.8.ts';
import { digits, keccak, toHex } from '../user-operation/hex-digits.ts';
import { SUFFIX_MAGIC, signatureSuffix } from '../user-operation/paymaster-signature.ts';
import { signatureField, suffixFields, windowFields } from './data-fields.ts';
import { isEip7702 } from '../user-operation/user-op-hash.ts';
import { type PaymasterLayout, type SponsorshipTerms, neededTerm } from './layout.ts';
import { modeV07 } from './mode-v07.ts';
import { windowDigits, windowWords } from './operation-words.ts';

/** Number of hex digits of the paymaster's address and its two gas limits. */
const HEAD_DIGITS = 104;

/** The validity window and the signature, in the format that the contract expects at the end of paymasterAndData. */
const suffix = (terms: SponsorshipTerms, signature: string): string => signatureSuffix(windowDigits(terms) + signature);

const mode = modeV07<SponsorshipTerms>({
  // The contract has no postOp.
  paymasterGas: { paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 0n },
  data: suffix,
  fields: () => [...windowFields(6), signatureField, ...suffixFields(77)],
  // keccak256(abi.encode(userOpHash, uint48 validUntil, uint48 validAfter))
  hash: (op, terms) => {
    const paymasterAndData = toHex(digits(op.paymasterAndData).slice(0, HEAD_DIGITS), SUFFIX_MAGIC);
    const domain = { chainId: terms.chainId, entryPoint: entryPoint09.address };
    const delegated = isEip7702(op.initCode) && { delegate: neededTerm(terms, 'eip7702Delegate') };
    return keccak(digits(typedHash({ ...op, paymasterAndData }, { ...domain, ...delegated })), windowWords(terms));
  },
  getHashTypes: 'OP, uint48, uint48',
  getHashValues: (op, terms) => [op, terms.validUntil, terms.validAfter],
});

/**
 * A contract of this repository (resources/solidity/ParallelPaymaster.sol), which pays from its EntryPoint deposit. The
 * validity window and the signature are the suffix of paymasterAndData that the hash of EntryPoint v0.9 does not cover.
 */
export const parallel09: PaymasterLayout = {
  version: 'parallel-0.9',
  title: 'Gasdesk ParallelPaymaster',
  entryPointVersion: '0.9',
  signerGetter: 'signers',
  hasTanks: false,
  chainReads: [],
  signsApart: true,
  deployment: {
    artifact: 'ParallelPaymaster',
    constructorArguments: ({ entryPoint, owner, signer }) => [entryPoint, owner, [signer]],
  },
  ...mode,
};
