import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { addressWord, digits, keccak, uintDigits, word } from '../user-operation/hex-digits.ts';
import { fundingWalletField, markupField, signatureField, windowFields } from './data-fields.ts';
import { neededTerm } from './layout.ts';
import type { PaymasterLayout, SponsorshipTerms } from './layout.ts';
import { modeV07 } from './mode-v07.ts';
import { operationWordsV07, windowDigits, windowWords } from './operation-words.ts';
import type { PaymasterGas } from '../user-operation/paymaster-fields.ts';
import { NO_MARKUP, markupOf } from './price-markup.ts';

/**
 * Gas that the contract charges a tank in addition to each operation's cost. Its owner can set up to 100,000;
 * Biconomy's own deployments use 50,000.
 */
const UNACCOUNTED_GAS = 50_000n;

/**
 * The contract requires a postOp limit above its unaccounted gas. Its owner can set that to at most 100,000, so this
 * limit is sufficient for any setting.
 */
const PAYMASTER_GAS: PaymasterGas = { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 100_001n };

/** The contract charges the EntryPoint's maximum penalty for unused gas and never refunds any of it. In wei. */
const neverRefunded = (op: UserOperation): bigint => {
  const { callGasLimit, paymasterPostOpGasLimit, maxFeePerGas } = { ...PAYMASTER_GAS, ...op };
  return ((callGasLimit + paymasterPostOpGasLimit) * 10n * maxFeePerGas) / 100n;
};

/** Biconomy sponsorship paymaster for EntryPoint v0.7: one contract with a gas tank per funding wallet. */
export const biconomy200: PaymasterLayout = {
  version: '2.0.0',
  title: 'Biconomy sponsorship paymaster 2.0.0',
  entryPointVersion: '0.7',
  signerGetter: 'verifyingSigner',
  signerSetter: 'setSigner',
  hasTanks: true,
  // The contract's event does not include the penalty that it never refunds.
  tankCharge: (deductedWei, readOp) => {
    const op = readOp();
    return op && deductedWei + neverRefunded(op);
  },
  delayedWithdrawal: true,
  chainReads: [],
  ...modeV07<SponsorshipTerms>({
    paymasterGas: PAYMASTER_GAS,
    // address paymasterId || uint48 validUntil || uint48 validAfter || uint32 priceMarkup || signature
    data: (terms, signature) =>
      digits(neededTerm(terms, 'fundingWallet')) + windowDigits(terms) + uintDigits(markupOf(terms), 4) + signature,
    fields: () => [fundingWalletField(20), ...windowFields(6), markupField(4), signatureField],
    hash: (op, terms) =>
      keccak(
        operationWordsV07(op, terms),
        addressWord(neededTerm(terms, 'fundingWallet')),
        windowWords(terms),
        word(markupOf(terms)),
      ),
    getHashTypes: 'OP, address, uint48, uint48, uint32',
    getHashValues: (op, terms) => [
      op,
      neededTerm(terms, 'fundingWallet'),
      terms.validUntil,
      terms.validAfter,
      markupOf(terms),
    ],
    reservedCost: (op, entryPointMaximum, terms) => {
      const cost = entryPointMaximum + UNACCOUNTED_GAS * op.maxFeePerGas;
      const charged = (cost * BigInt(markupOf(terms))) / BigInt(NO_MARKUP);
      return charged + neverRefunded(op);
    },
  }),
};
