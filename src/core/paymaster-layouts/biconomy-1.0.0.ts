import { addressWord, bytesTail, keccak, word } from '../user-operation/hex-digits.ts';
import { abiSignatureFields, fundingWalletField } from './data-fields.ts';
import { neededTerm } from './layout.ts';
import type { PaymasterLayout, SponsorshipTerms } from './layout.ts';
import { modeV06 } from './mode-v06.ts';
import { operationWordsV06 } from './operation-words.ts';

const tank = (terms: SponsorshipTerms): string => addressWord(neededTerm(terms, 'fundingWallet'));

/**
 * Biconomy VerifyingSingletonPaymaster 1.0.0 for EntryPoint v0.6. It has no validity window, so its signatures never
 * expire.
 */
export const biconomy100: PaymasterLayout = {
  version: '1.0.0',
  title: 'Biconomy VerifyingSingletonPaymaster 1.0.0',
  entryPointVersion: '0.6',
  signerGetter: 'verifyingSigner',
  signerSetter: 'setSigner',
  hasTanks: true,
  tankCharge: (deductedWei) => deductedWei,
  neverExpires: true,
  chainReads: [],
  ...modeV06<SponsorshipTerms>({
    // abi.encode(address paymasterId, bytes signature)
    data: (terms, signature) => tank(terms) + word(0x40) + bytesTail(signature),
    fields: () => [fundingWalletField(32), ...abiSignatureFields(0x40)],
    hash: (op, terms) => keccak(operationWordsV06(op, terms), tank(terms)),
    getHashTypes: 'OP, address',
    getHashValues: (op, terms) => [op, neededTerm(terms, 'fundingWallet')],
    overheadGas: 9_600n, // the contract's default, which its owner may change
  }),
};
