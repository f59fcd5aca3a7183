import { z } from 'zod';
import canonicalize from 'canonicalize';
import { sha256 } from 'ethers';

const hex = z.templateLiteral(['0x', z.string()]);
const wei = z
  .string()
  .regex(/^\d{1,200}$/)
  .describe('wei, decimal');

/** A registered smart contract. Lists of rules include it under its `ruleId`. */
const contract = z.strictObject({
  ruleId: z.string(),
  name: z.string(),
  address: hex,
  abi: z.string(),
  methods: z.array(z.string()),
  whitelistedMethods: z.array(z.string()),
  active: z.boolean(),
});

/** A stored rule. Its kind, a {@link ConfigurableRule}, determines the format of `policyData`. */
const rule = z.strictObject({
  ruleId: z.string(),
  name: z.string(),
  policyType: z.string(),
  policyData: z.unknown(),
  active: z.boolean(),
  cycle: z.int().describe('How often a spending limit was updated: each update restarts its windows'),
  when: z.string().optional().describe('A condition in CEL; the rule applies only to operations that meet it'),
  activeFrom: z.int().optional().describe('epoch ms'),
  activeUntil: z.int().optional().describe('epoch ms'),
  enforcement: z.literal('shadow').optional().describe('It denies nothing; absent: it is enforced'),
});

const webhook = z.strictObject({
  webhookId: z.string(),
  webhookUrl: z.string(),
  requestType: z.enum(['GET', 'POST']),
  active: z.boolean(),
});

/**
 * The maximum amount that may be signed for on a chain within a period. If it is exceeded, every DApp on the chain is paused.
 */
const breaker = z.strictObject({ amountWei: wei.describe('Sum of maximum costs'), seconds: z.int() });

/** The operator's settings of a chain that affect decisions. */
const chain = z.strictObject({
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  breaker: z
    .union([breaker, z.literal('default')])
    .nullable()
    .describe('default: a share of the total balance of the gas tanks on the chain. Null: none'),
  unreachableBudgetWei: wei.nullable().describe('Null: nothing is signed while the node is unreachable'),
  maxOperationCostWei: wei
    .nullable()
    .describe("Null: the chain's default, and at most the cost of 20 million gas at its price"),
  price: z
    .discriminatedUnion('source', [
      z.strictObject({ source: z.literal('static'), usd: z.string() }),
      z.strictObject({ source: z.literal('chainlink'), nativeFeed: hex, maxAge: z.int() }),
    ])
    .optional()
    .describe("Source of the coin's price. Absent: none"),
});

/** A pause of all sponsorship, or of one DApp. */
const pause = z.strictObject({
  since: z.int().describe('epoch ms'),
  reason: z.string().nullable().describe("The operator's own words, or the breaker's"),
  dapp: z.string().optional().describe('Name of the paused DApp; absent: all DApps are paused'),
  paymasterId: z.string().optional().describe('The same, by its id'),
});

/** All of the operator's settings, at one point in time, that can change a verdict on a DApp's operations. */
export const policySchema = z.strictObject({
  v: z.literal(1),
  dapp: z.strictObject({
    paymasterId: z.string(),
    name: z.string(),
    chainId: z.int(),
    version: z.string(),
    fundingWallet: hex.nullable(),
    allowedOrigins: z.array(z.string()).readonly(),
    maxExpirySeconds: z.int(),
    tokenMode: z.boolean().describe('Whether users may pay in tokens'),
  }),
  contracts: z.array(contract),
  rules: z.array(rule),
  webhooks: z.array(webhook),
  lowBalanceThresholdWei: wei.nullable().describe('Null: when it covers fewer operations than the default'),
  chain: chain.nullable(),
  paymasterContracts: z.array(z.strictObject({ version: z.string(), address: hex })),
  signer: hex.nullable(),
  treasury: hex.nullable(),
  pause: pause.nullable(),
  resumes: z.strictObject({ desk: z.int(), dapp: z.int() }).describe('Number of pauses that have ended'),
  outstandingSharePercent: z.int().describe('Percentage of a shared gas tank that one user may have outstanding'),
});

/** One revision of a DApp's policy. It is never modified. */
export type Policy = Readonly<z.output<typeof policySchema>>;

export type PolicyContract = Readonly<z.output<typeof contract>>;

export type PolicyRule = Readonly<z.output<typeof rule>>;

export type PolicyWebhook = Readonly<z.output<typeof webhook>>;

export type PolicyPause = Readonly<z.output<typeof pause>>;

/** Identifies a revision: `sha256:` and the hash of its canonical JSON (RFC 8785) in hex. */
export const policyHash = (policy: Policy): string =>
  `sha256:${sha256(new TextEncoder().encode(canonicalize(policy))).slice(2)}`;
