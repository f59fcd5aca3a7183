import type { Address } from '../../shared/schema/hex.ts';
import { addressWord, keccak, uintDigits, word } from '../user-operation/hex-digits.ts';
import { type DataField, asAddress, markupField, signatureField, windowFields } from './data-fields.ts';
import type { TokenLayout, TokenTerms } from './layout.ts';
import { modeV06 } from './mode-v06.ts';
import { operationWordsV06, windowWords } from './operation-words.ts';
import { markupOf } from './price-markup.ts';
import { mostUnits } from './token-charge.ts';

const NO_ORACLE: Address = `0x${'00'.repeat(20)}`;

/** uint8 priceSource: 0 if the rate comes from the data, 1 if it comes from an oracle. */
const priceSource = ({ oracleAggregator }: TokenTerms): number => (oracleAggregator === undefined ? 0 : 1);

const oracleOf = ({ oracleAggregator = NO_ORACLE }: TokenTerms): Address => oracleAggregator;

const windowAndPrice = (terms: TokenTerms): string =>
  windowWords(terms) +
  addressWord(terms.token) +
  addressWord(oracleOf(terms)) +
  word(terms.exchangeRate) +
  word(markupOf(terms));

const ORACLE = 1n;

/** The aggregator's address is a term only if the rate comes from the aggregator. */
const priceFields = (source: bigint): readonly DataField<TokenTerms>[] => [
  {
    name: 'feeToken',
    length: 32,
    kind: 'address',
    meaning: 'The token that the sender pays in.',
    terms: (value) => ({ token: asAddress(value) }),
  },
  {
    name: 'oracleAggregator',
    length: 32,
    kind: 'address',
    meaning: 'Gives the rate on chain, if the price source says so.',
    terms: (value) => (source === ORACLE ? { oracleAggregator: asAddress(value) } : {}),
  },
  {
    name: 'exchangeRate',
    length: 32,
    kind: 'number',
    meaning: 'Smallest units of the token for 1e18 wei.',
    terms: (value) => ({ exchangeRate: value }),
  },
];

const priceSourceField: DataField<TokenTerms> = {
  name: 'priceSource',
  length: 1,
  kind: 'number',
  meaning: 'Where the exchange rate comes from.',
  words: (value) => (value === 0n ? '0: the rate in this data' : '1: the oracle'),
  error: (value) => (value <= ORACLE ? undefined : `priceSource is ${value}, must be 0 or 1`),
};

const tokenMode = modeV06<TokenTerms>({
  // uint8 priceSource || abi.encode(uint48, uint48, address token, address oracle, uint256, uint32) || signature
  data: (terms, signature) => uintDigits(priceSource(terms), 1) + windowAndPrice(terms) + signature,
  fields: (data) => [
    priceSourceField,
    ...windowFields(32),
    ...priceFields(BigInt(`0x0${data.slice(0, 2)}`)),
    markupField(32),
    signatureField,
  ],
  hash: (op, terms) => keccak(operationWordsV06(op, terms), word(priceSource(terms)), windowAndPrice(terms)),
  getHashTypes: 'OP, uint8, uint48, uint48, address, address, uint256, uint32',
  getHashValues: (op, terms) => [
    op,
    priceSource(terms),
    terms.validUntil,
    terms.validAfter,
    terms.token,
    oracleOf(terms),
    terms.exchangeRate,
    markupOf(terms),
  ],
});

/** Biconomy TokenPaymaster for EntryPoint v0.6: the token mode of version 1.1.0, in a separate contract. */
export const biconomyToken: TokenLayout = {
  version: '1.1.0-token',
  title: 'Biconomy TokenPaymaster for EntryPoint 0.6',
  entryPointVersion: '0.6',
  signerGetter: 'verifyingSigner',
  signerSetter: 'setVerifyingSigner',
  hasMarkup: true,
  ...tokenMode,
  // The contract's default. It is not part of the signed data, and the owner of the contract may change it.
  chargedGas: () => ({ postOpGas: 45_000n, paymasterValidationGasLimit: 0n }),
  postOpGas: (transferGas) => 15_000n + (transferGas * 11n) / 10n,
  // The contract charges for postOp at the transaction's gas price, which may be lower than the operation's, so
  // postOp's gas does not count here.
  leastChargedGas: ({ preVerificationGas }) => preVerificationGas,
  maxTokenCost: (op, price) => mostUnits(tokenMode.reservedCost(op), op, price),
};
