import { addressWord, bytesTail, keccak, word } from '../user-operation/hex-digits.ts';
import { biconomyToken } from './biconomy-token.ts';
import { abiSignatureFields, fundingWalletField, windowFields } from './data-fields.ts';
import { neededTerm } from './layout.ts';
import type { PaymasterLayout, SponsorshipTerms } from './layout.ts';
import { modeV06 } from './mode-v06.ts';
import { operationWordsV06, windowWords } from './operation-words.ts';

const tankAndWindow = (terms: SponsorshipTerms): string =>
  addressWord(neededTerm(terms, 'fundingWallet')) + windowWords(terms);

/** Biconomy VerifyingSingletonPaymaster 1.1.0 for EntryPoint v0.6: one contract with a gas tank per funding wallet. */
export const biconomy110: PaymasterLayout = {
  version: '1.1.0',
  title: 'Biconomy VerifyingSingletonPaymaster 1.1.0',
  entryPointVersion: '0.6',
  signerGetter: 'verifyingSigner',
  signerSetter: 'setSigner',
  hasTanks: true,
  tankCharge: (deductedWei) => deductedWei,
  chainReads: [],
  deployment: {
    artifact: 'VerifyingSingletonPaymaster',
    constructorArguments: ({ owner, entryPoint, signer }) => [owner, entryPoint, signer],
  },
  token: biconomyToken,
  ...modeV06<SponsorshipTerms>({
    // abi.encode(address paymasterId, uint48 validUntil, uint48 validAfter, bytes signature)
    data: (terms, signature) => tankAndWindow(terms) + word(0x80) + bytesTail(signature),
    fields: () => [fundingWalletField(32), ...windowFields(32), ...abiSignatureFields(0x80)],
    hash: (op, terms) => keccak(operationWordsV06(op, terms), tankAndWindow(terms)),
    getHashTypes: 'OP, address, uint48, uint48',
    getHashValues: (op, terms) => [op, neededTerm(terms, 'fundingWallet'), terms.validUntil, terms.validAfter],
    overheadGas: 12_000n, // the contract's default, which its owner may change
  }),
};
