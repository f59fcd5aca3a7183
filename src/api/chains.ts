import { z } from 'zod';
import { DEFAULT_BREAKER } from '../shared/words/breaker.ts';
import { coinPriceSource } from '../shared/schema/coin-price.ts';
import { gasScheduleName, gasScheduleReading } from '../shared/schema/gas-schedule.ts';
import { address } from '../shared/schema/hex.ts';
import { chainId, httpUrl, name } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

/** Bounds for the period of a burn-rate breaker, in seconds. */
export const breakerSeconds = { least: 60, most: 7 * 86_400 } as const;

const positiveWei = z.string().regex(/^[1-9]\d{0,77}$/, 'must be a positive number of wei, decimal');

const breaker = z
  .union([
    z.strictObject({
      amountWei: positiveWei.describe(
        'Maximum that may be signed for within the period: sum of maximum costs in wei, decimal',
      ),
      seconds: z.int().min(breakerSeconds.least).max(breakerSeconds.most),
    }),
    z.literal('default').describe(DEFAULT_BREAKER),
  ])
  .nullable()
  .describe(
    'Gasdesk denies an operation that would exceed it, and pauses every DApp on the chain. If the chain has several DApps, Gasdesk pauses only a DApp that would exceed half of it. null: none',
  );

const unreachable = z.strictObject({
  budgetWei: positiveWei.describe(
    'wei, decimal: the most that is signed for, as the sum of maximum costs, until the node answers. An answer renews it once an hour has passed since the last operation was signed unchecked',
  ),
});

/** The budget of a chain while its node is unreachable, and how much of it is used. */
export const unreachableState = unreachable
  .extend({
    signedWei: z.string().describe('Used part of the budget in wei, decimal'),
    since: z
      .number()
      .nullable()
      .describe('Time of the first operation that counts, to the minute; null if none counts'),
  })
  .nullable()
  .describe('What Gasdesk may sign while the node is unreachable; null: nothing');

/** True if the chain has no RPC URL. */
export const unchecked = z
  .boolean()
  .describe('The chain has no RPC URL: operations are signed without checking fees and gas tank');

const maxOperationCostWei = positiveWei
  .nullable()
  .describe(
    "wei, decimal: the most that one operation may cost; null: that of the largest usual operations at the chain's price (20 million gas before Amsterdam), and never more than `defaultMaxOperationCostWei`",
  );

const price = coinPriceSource.nullable().describe("Source of the native coin's price in US dollars; null: none");

const forwardBundler = z
  .enum(['own', 'all'])
  .nullable()
  .describe(
    "Passes the bundler's methods that DApps send to the desk on to the chain's bundler. own: of operations, only those that the desk has signed for the DApp; all: any; null: no method",
  );
const gasSchedule = z.strictObject({
  name: gasScheduleName.describe('In force'),
  source: z
    .enum(['pinned', 'eth_config', 'eth_estimateGas', 'assumed'])
    .describe('pinned: by the operator. assumed: the node reports none that Gasdesk knows, or there is no node'),
  next: gasScheduleReading.shape.next,
});

const chain = z.strictObject({
  chainId: z.number(),
  name: z.string(),
  symbol: z.string(),
  rpc: z.string().nullable().describe('Without credentials'),
  bundler: z.string().nullable().describe('Without credentials'),
  treasury: address.nullable().describe("Takes the users' fees; null: the signer's address"),
  breaker,
  unchecked,
  unreachable: unreachableState,
  breakerAmountWei: z
    .string()
    .nullable()
    .describe(
      'Current amount of the breaker in wei, decimal; null: no breaker, or the balance of the gas tanks is unknown',
    ),
  maxOperationCostWei,
  defaultMaxOperationCostWei: z
    .string()
    .describe('wei, decimal: the most that one operation may cost where `maxOperationCostWei` is null'),
  price,
  forwardBundler,
  gasSchedule: gasSchedule.describe('What the chain charges for gas'),
  explorer: z.string().nullable().describe('Its public block explorer'),
  builtIn: z.boolean(),
});

const signer = z.strictObject({ chainId: z.number(), address });

/** If a key is replaced, it is deleted. Its signatures remain valid until they expire. */
const replace = z.boolean().default(false).describe('Replace the existing key');

const paymasterContract = z.strictObject({
  chainId: z.number(),
  version: z.string(),
  address,
  checked: z.boolean().describe('Hash and signer of the contract matched when it was attached'),
});

const paymasterVersion = z.strictObject({
  version: z.string(),
  title: z.string(),
  entryPointVersion: z.string(),
  entryPoint: address,
  hasTanks: z.boolean().describe('The contract keeps a balance per funding wallet'),
  takesTokens: z.boolean(),
  deployable: z.boolean(),
});

const SIGNER_KEY = z
  .string('must be a 0x-prefixed 32-byte private key')
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a 0x-prefixed 32-byte private key');

const contractTarget = z.strictObject({ chainId, version: z.string() });

export const chainProcedures = {
  'chains.set': procedure({
    summary: 'Add a chain, or change the settings that are given',
    input: z.strictObject({
      chainId: chainId.positive('must be a positive number'),
      rpc: httpUrl.optional(),
      bundler: httpUrl.nullable().optional().describe('null: none'),
      name: name.optional(),
      symbol: name.optional(),
      treasury: address.optional(),
      breaker: breaker.optional(),
      unreachable: unreachable.nullable().optional(),
      maxOperationCostWei: maxOperationCostWei.optional(),
      price: price.optional(),
      forwardBundler: forwardBundler.optional(),
      gasSchedule: gasScheduleName.nullable().optional().describe('null: the one that the node reports'),
      mustAnswer: z.boolean().default(false).describe('Refuse a URL at which nothing answers'),
    }),
    output: chain.extend({
      nodeAnswers: z
        .boolean()
        .optional()
        .describe('Whether a node answered at the given `rpc` with its chain id; absent: no `rpc` was given'),
      bundlerAnswers: z
        .boolean()
        .optional()
        .describe('Whether a bundler answered at the given `bundler` with its chain id; absent: none was given'),
    }),
    errors: ['VAULT_LOCKED', 'CHAIN_MISMATCH', 'CHAIN_UNREACHABLE'],
  }),
  'chains.identify': procedure({
    summary: 'Ask the node at a URL for its chain id. Changes nothing',
    input: z.strictObject({ url: httpUrl }),
    output: z.strictObject({
      chainId: z.number().nullable().describe('null: no answer, or an answer without a chain id'),
    }),
  }),
  'chains.list': procedure({ summary: 'List the supported chains and their settings', output: z.array(chain) }),
  'chains.coinPrice': procedure({
    summary:
      "Show the price of a chain's native coin according to a price source, which need not be saved. Changes nothing",
    input: z.strictObject({ chainId, price: coinPriceSource }),
    output: z.strictObject({
      usd: z.string().nullable().describe('US dollars for one coin, decimal; null: no usable price'),
      updatedAt: z
        .number()
        .nullable()
        .describe('Time of the answer in the feed, epoch seconds; null: the source is not a feed'),
      error: z.string().nullable().describe('Why the price is unknown'),
    }),
  }),
  'chains.remove': procedure({
    summary: 'Remove the settings of a chain; refused while it has DApps, contracts or reservations, unless forced',
    input: z.strictObject({ chainId, force: z.boolean().default(false) }),
    errors: ['CHAIN_NOT_FOUND', 'CHAIN_IN_USE', 'VAULT_LOCKED'],
  }),
  'signers.create': procedure({
    summary: 'Create the key that signs sponsorships on a chain',
    input: z.strictObject({ chainId, replace }),
    output: signer,
    errors: ['CHAIN_NOT_SUPPORTED', 'SIGNER_EXISTS', 'VAULT_LOCKED'],
  }),
  'signers.import': procedure({
    summary: 'Import the key that signs sponsorships on a chain',
    input: z.strictObject({ chainId, privateKey: SIGNER_KEY, replace }),
    output: signer,
    errors: ['CHAIN_NOT_SUPPORTED', 'SIGNER_EXISTS', 'VAULT_LOCKED'],
  }),
  'signers.list': procedure({ summary: 'List the signers, without their keys', output: z.array(signer) }),
  'signers.prepareNext': procedure({
    summary: 'Create the next signing key of a chain, or return the prepared one. The current key keeps signing',
    input: z.strictObject({ chainId }),
    output: signer,
    errors: ['SIGNER_MISSING', 'VAULT_LOCKED'],
  }),
  'signers.useNext': procedure({
    summary: 'Switch to the prepared key; refused while an attached contract does not accept it',
    input: z.strictObject({ chainId }),
    output: signer,
    errors: [
      'SIGNER_MISSING',
      'CONTRACT_MISMATCH',
      'RPC_MISSING',
      'PAYMASTER_NOT_READY',
      'CHAIN_UNREACHABLE',
      'VAULT_LOCKED',
    ],
  }),
  'signers.dropNext': procedure({
    summary: 'Delete the prepared key, unless a contract accepts it or is about to',
    input: z.strictObject({ chainId }),
    errors: ['VAULT_LOCKED', 'CONTRACT_MISMATCH', 'CHAIN_UNREACHABLE', 'RPC_MISSING'],
  }),
  'paymasterContracts.use': procedure({
    summary: 'Attach a deployed paymaster contract',
    input: z.strictObject({ ...contractTarget.shape, address }),
    output: paymasterContract.extend({
      replaced: z
        .string()
        .nullable()
        .describe('The contract that it replaces, with its balance and how to return to it; null: none'),
    }),
    errors: ['VERSION_NOT_SUPPORTED', 'CHAIN_UNREACHABLE', 'CONTRACT_MISMATCH', 'VAULT_LOCKED', 'CHAIN_NOT_SUPPORTED'],
  }),
  'paymasterContracts.versions': procedure({
    summary: 'List the paymaster versions that a DApp may have',
    output: z.array(paymasterVersion),
  }),
  'paymasterContracts.list': procedure({
    summary: 'List the attached paymaster contracts',
    output: z.array(paymasterContract),
  }),
};
