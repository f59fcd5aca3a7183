import { max } from '../../shared/bigints.ts';
import { type UserOperationV06, isV06 } from '../../shared/schema/user-operation.ts';
import { digits, uintDigits } from '../user-operation/hex-digits.ts';
import type { PaymasterGas } from '../user-operation/paymaster-fields.ts';
import { type DataField, asAddress, signatureField, windowFields } from './data-fields.ts';
import { neededTerm } from './layout.ts';
import { windowDigits } from './operation-words.ts';
import { mostUnits } from './token-charge.ts';
import type {
  DeployableContract,
  Deployment,
  ModeLayout,
  PaymasterLayout,
  PromiseTerms,
  SponsorshipTerms,
  TokenLayout,
  TokenTerms,
} from './layout.ts';

/** The properties of one mode of Pimlico's SingletonPaymaster. All other properties depend on the EntryPoint. */
export interface SingletonMode<Terms> {
  readonly paymasterGas: PaymasterGas;
  data(terms: Terms, signature: string): string;
  fields(data: string): readonly DataField<Terms>[];
  readonly getHashTypes: string;
  getHashValues(op: object, terms: Terms): readonly unknown[];
}

const SPONSORED = 0;
const TOKEN = 1;

const uint128 = (value: bigint): string => uintDigits(value, 16);

/** The first byte of the data: the mode and, in the lowest bit, allowAllBundlers. */
const modeByte = (mode: number, { allowAllBundlers = true }: PromiseTerms): string =>
  uintDigits((mode << 1) | Number(allowAllBundlers), 1);

const modeField = (mode: number): DataField<PromiseTerms> => ({
  name: 'modeAndAllowAllBundlers',
  length: 1,
  kind: 'number',
  meaning: 'The mode, and in its lowest bit whether every bundler may send the operation.',
  words: (value) =>
    `${mode === TOKEN ? 'token mode' : 'sponsorship'}, ${value & 1n ? 'every bundler' : "only bundlers of the contract's list"}`,
  error: (value) => (value >> 1n === BigInt(mode) ? undefined : `the mode is ${value >> 1n}, must be ${mode}`),
  terms: (value) => ({ allowAllBundlers: (value & 1n) === 1n }),
});

const getHash = (mode: number) => ({ getHashTypes: 'uint8, OP', getHashValues: (op: object) => [mode, op] });

const sponsored: SingletonMode<SponsorshipTerms> = {
  // This mode has no postOp.
  paymasterGas: { paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 0n },
  data: (terms, signature) => modeByte(SPONSORED, terms) + windowDigits(terms) + signature,
  fields: () => [modeField(SPONSORED), ...windowFields(6), signatureField],
  ...getHash(SPONSORED),
};

/** Flags for the optional fields that are present. The order of the fields differs from that of the bits. */
const flags = ({ preFund, recipient, constantFee }: TokenTerms): string =>
  uintDigits(
    (preFund === undefined ? 0 : 4) | (recipient === undefined ? 0 : 2) | (constantFee === undefined ? 0 : 1),
    1,
  );

/**
 * Measured gas of validation, of postOp, and of the EntryPoint's work around postOp. Excludes the token's
 * `transferFrom`.
 */
const VALIDATION_GAS = 25_000n;
const POST_OP_GAS = 8_000n;
const AROUND_TRANSFER_GAS = 11_000n;

/**
 * Gas terms for taking tokens. The minimum covers a plain ERC-20, as measured (39,000 in postOp and 21,000 in
 * validation; with preFund 14,000 and 57,000), and the EntryPoint's gas around postOp. If the token is known to use
 * more gas, more is charged.
 */
const chargedGas: TokenLayout['chargedGas'] = (_op, { preFunded = false, transferGas } = {}) => {
  const { prefund, afterwards } = transferGas ?? { prefund: 0n, afterwards: 0n };
  const around = afterwards + AROUND_TRANSFER_GAS;
  return preFunded
    ? { postOpGas: max(20_000n, around), paymasterValidationGasLimit: max(65_000n, VALIDATION_GAS + prefund) }
    : { postOpGas: max(45_000n, around), paymasterValidationGasLimit: 30_000n };
};

/**
 * Adds 10 %: a call gets only 63/64 of the available gas, and the token's gas use may change slightly until the
 * operation is mined.
 */
const withSlack = (transferGas: bigint): bigint => (transferGas * 11n) / 10n;

const NUMBERS = {
  postOpGas: [16, 'gas', 'Gas of postOp that the sender is charged for.'],
  exchangeRate: [32, 'number', 'Smallest units of the token for 1e18 wei.'],
  paymasterValidationGasLimit: [16, 'gas', "Gas of the paymaster's validation that the sender is charged for."],
  preFund: [16, 'number', 'Smallest units of the token that are taken before the operation runs.'],
  constantFee: [16, 'number', 'Smallest units of the token that are added to the charge.'],
} as const;
const ADDRESSES = {
  token: 'The token that the sender pays in.',
  treasury: 'Receives the tokens.',
  recipient: "Receives what is left of the operation's maximum cost.",
} as const;

const numberField = (name: keyof typeof NUMBERS): DataField<TokenTerms> => {
  const [length, kind, meaning] = NUMBERS[name];
  return { name, length, kind, meaning, terms: (value) => ({ [name]: value }) };
};

const addressField = (name: keyof typeof ADDRESSES): DataField<TokenTerms> => ({
  name,
  length: 20,
  kind: 'address',
  meaning: ADDRESSES[name],
  terms: (value) => ({ [name]: asAddress(value) }),
});

const flagsField: DataField<TokenTerms> = {
  name: 'flags',
  length: 1,
  kind: 'number',
  meaning: 'Which optional fields follow: 4 preFund, 2 recipient, 1 constantFee.',
  error: (value) => (value < 8n ? undefined : `flags are ${value}, must be below 8`),
};

/** The byte after the mode contains flags for the optional fields that follow. */
const tokenFields = (data: string): readonly DataField<TokenTerms>[] => {
  const present = Number(`0x0${data.slice(2, 4)}`);
  return [
    modeField(TOKEN),
    flagsField,
    ...windowFields(6),
    addressField('token'),
    numberField('postOpGas'),
    numberField('exchangeRate'),
    numberField('paymasterValidationGasLimit'),
    addressField('treasury'),
    ...(present & 4 ? [numberField('preFund')] : []),
    ...(present & 1 ? [numberField('constantFee')] : []),
    ...(present & 2 ? [addressField('recipient')] : []),
    signatureField,
  ];
};

const token: SingletonMode<TokenTerms> = {
  paymasterGas: { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 60_000n },
  data: (terms, signature) =>
    [
      modeByte(TOKEN, terms),
      flags(terms),
      windowDigits(terms),
      digits(terms.token),
      uint128(terms.postOpGas),
      uintDigits(terms.exchangeRate, 32),
      uint128(terms.paymasterValidationGasLimit),
      digits(neededTerm(terms, 'treasury')),
      terms.preFund === undefined ? '' : uint128(terms.preFund),
      terms.constantFee === undefined ? '' : uint128(terms.constantFee),
      digits(terms.recipient ?? '0x'),
      signature,
    ].join(''),
  fields: tokenFields,
  ...getHash(TOKEN),
};

/**
 * Gas that EntryPoint v0.6 spends around an operation's call, mostly for logging a revert reason of up to 2,048 bytes.
 */
const AROUND_CALL_GAS_V06 = 25_000n;

/**
 * The maximum cost, in wei, that EntryPoint v0.6 has counted when postOp takes the tokens. Account and paymaster share
 * one `verificationGasLimit` (AA40). The EntryPoint reserves two more such limits for postOp; `postOpGas` covers them.
 */
const chargedCostV06 = (op: UserOperationV06): bigint =>
  (op.callGasLimit + op.verificationGasLimit + op.preVerificationGas + AROUND_CALL_GAS_V06) * op.maxFeePerGas;

/** Without an artifact, the contract can be attached but not deployed. */
export type SingletonContract = Pick<PaymasterLayout, 'version' | 'title' | 'entryPointVersion'> & {
  readonly artifact?: DeployableContract;
};

export type SingletonLayout = PaymasterLayout & { readonly token: TokenLayout };

const deploymentOf = (artifact: DeployableContract): Deployment => ({
  artifact,
  // owner, manager (may change signers and the list of bundlers), signers
  constructorArguments: ({ entryPoint, owner, signer }) => [entryPoint, owner, owner, [signer]],
});

/**
 * Pimlico's SingletonPaymaster: one contract with both modes, which pays from its EntryPoint deposit. `modeOf` adds to
 * a mode the properties that all singletons for an EntryPoint version have in common.
 */
export const singletonLayout = (
  { artifact, ...named }: SingletonContract,
  modeOf: <Terms extends PromiseTerms>(mode: SingletonMode<Terms>) => ModeLayout<Terms>,
): SingletonLayout => {
  const contract = {
    ...named,
    signerGetter: 'signers',
    ...(artifact !== undefined && { deployment: deploymentOf(artifact) }),
  } as const;
  const tokenMode = modeOf(token);
  return {
    ...contract,
    hasTanks: false,
    chainReads: [],
    ...modeOf(sponsored),
    token: {
      ...contract,
      ...tokenMode,
      hasMarkup: false,
      chargedGas,
      postOpGas: (transferGas) => POST_OP_GAS + withSlack(transferGas),
      preFundGas: (transferGas) => VALIDATION_GAS + withSlack(transferGas),
      leastChargedGas: ({ preVerificationGas }, { postOpGas }) => preVerificationGas + postOpGas,
      maxTokenCost: (op, price) => mostUnits(isV06(op) ? chargedCostV06(op) : tokenMode.reservedCost(op), op, price),
    },
  };
};
