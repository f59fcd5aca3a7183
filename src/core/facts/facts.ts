import { z } from 'zod';
import { authority, gasScheduleName } from '../../shared/schema/gas-schedule.ts';
import { webhookResponse } from '../webhooks/webhook-response.ts';

/** What is wrong with a proof of identity. */
export const subjectFaults = [
  'VOUCHER_FORM',
  'VOUCHER_SIGNATURE',
  'VOUCHER_SIGNER',
  'VOUCHER_TOO_LONG',
  'TOKEN_FORM',
  'TOKEN_ALGORITHM',
  'TOKEN_KEY',
  'TOKEN_SIGNATURE',
  'TOKEN_ISSUER',
  'TOKEN_AUDIENCE',
  'TOKEN_NOT_YET',
  'TOKEN_EXPIRY',
  'TOKEN_CLAIM',
  'TOKEN_SENDER',
] as const;

const digits = z.string().regex(/^\d{1,200}$/, 'must be a decimal string');
const wei = digits.describe('wei, decimal');
const gas = digits.describe('gas, decimal');
const hex = z.templateLiteral(['0x', z.string()]);

/** Balances and prices on chain at one block. */
const chainSnapshot = z.strictObject({
  balanceWei: wei.describe('Balance of the gas tank'),
  pendingWithdrawalsWei: wei.describe('Withdrawals that are sent but not mined'),
  baseFeeWei: wei,
  suggestedTipWei: wei.optional().describe('Absent if the node suggests none'),
  believedBaseFeeWei: wei
    .optional()
    .describe('The base fee that Gasdesk believes; absent if no node has answered before'),
  believedTipWei: wei.optional().describe('The part of the suggested tip that Gasdesk believes'),
  depositsWei: wei.optional().describe('Total balance of the gas tanks on the chain. Absent: no rule needed it'),
  l1DataGas: gas.describe("A layer 2 chain's charge for the layer 1 data of the operation"),
  blockGasLimit: gas.optional(),
});

/** The native coin's price, or why it is unknown. */
const coinPrice = z.union([
  z.strictObject({
    usd: z
      .string()
      .regex(/^\d{1,40}(?:\.\d{1,40})?$/)
      .describe('US dollars for one coin, decimal'),
    source: z.enum(['static', 'feed']),
    updatedAt: z.int().optional().describe('Time of the answer in the feed, epoch seconds'),
    error: z.undefined().optional(),
  }),
  z.strictObject({ usd: z.null(), error: z.string().describe('Why the price is unknown') }),
]);

/** The on-chain state of an operation's account. */
const accountFacts = z.strictObject({
  hasCode: z.boolean().describe('True also if the account gets code from the EIP-7702 authorisation of the operation'),
  nextNonce: digits.describe('EntryPoint.getNonce for the key in the nonce'),
  creationFailure: z
    .enum(['AA13', 'AA14', 'AA15'])
    .optional()
    .describe('The error with which the EntryPoint failed to create the account'),
  validationFailure: hex
    .optional()
    .describe('How the account fails to validate the operation whatever its signature: selector of an error, or 0x'),
  signedFailure: z
    .string()
    .optional()
    .describe(
      'Why the EntryPoint rejects the operation as its account has signed it: an AA code, or the selector of an error',
    ),
});

/** The user's allowance and balance of the payment token, in the token's smallest unit. */
const holdings = z.strictObject({ allowance: digits, balance: digits });

/** The sender's balance of a token that a rule names, in its smallest unit, or why it cannot be read. */
const holding = z.union([
  z.strictObject({ held: digits }),
  z.strictObject({ failure: z.enum(['NO_NODE', 'NO_ANSWER', 'NO_CONTRACT', 'REVERTED', 'NO_NUMBER']) }),
]);

/** Who sends the operation, as a rule of type IDENTITY has verified it, or why it could not. */
const verifiedSubject = z.union([
  z.strictObject({
    source: z.enum(['VOUCHER', 'OIDC']),
    id: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('HMAC-SHA-256 of the person under a key of the vault, hex'),
    expiresAt: z.int().nonnegative().describe('epoch seconds'),
  }),
  z.strictObject({ failure: z.literal('MISSING') }),
  z.strictObject({ failure: z.literal('EXPIRED'), expiresAt: z.int().nonnegative().describe('epoch seconds') }),
  z.strictObject({ failure: z.literal('INVALID'), fault: z.enum(subjectFaults) }),
  z.strictObject({ failure: z.literal('UNVERIFIABLE'), why: z.string() }),
]);

/** How the user pays in a token. Amounts are in the token's smallest unit. */
const tokenFacts = z.strictObject({
  address: hex,
  symbol: z.string(),
  decimals: z.int(),
  premium: z.string().describe('Percent'),
  preFund: z.boolean(),
  treasury: hex,
  exchangeRate: digits.describe('Units for 1e18 wei'),
  transferGas: z.strictObject({ prefund: gas, afterwards: gas }).describe("Gas that the token's transferFrom uses"),
  isTaken: z
    .boolean()
    .optional()
    .describe('False: the payment was simulated, and the tokens were not taken. Absent: not simulated'),
  left: holdings
    .optional()
    .describe("The sender's balance and allowance after the operation's calls and the payment were simulated"),
  callGasUsed: gas
    .optional()
    .describe(
      "Gas that the operation's call uses if it gets enough gas for the tokens to be taken. Present only if its own gas limit is too low for that",
    ),
  holdings: holdings
    .nullable()
    .optional()
    .describe("The sender's balance and allowance. Null: the token cannot be read. Absent: not read"),
});

/**
 * Everything that was read or awaited before an operation was decided, as plain JSON. Anyone can replay the decision
 * from it. Large numbers are decimal strings; the operation's quantities are hex.
 */
export const factsSchema = z.strictObject({
  v: z.literal(1),
  at: z.int().describe('Time of the decision, epoch ms'),
  stage: z.enum(['draft', 'final']).describe('draft: paymaster data for estimating gas; gas and fees may be missing'),
  contract: z.strictObject({
    version: z
      .string()
      .describe('Version under which the contract is attached; in token mode, of the contract that takes tokens'),
    address: hex,
    signer: hex,
    fundingWallet: hex.optional(),
  }),
  op: z.record(z.string(), z.unknown()).describe('The operation with its gas, in the format of JSON-RPC'),
  gasSource: z.enum(['GAS_GIVEN', 'GAS_ESTIMATED', 'GAS_NOT_ESTIMATED']),
  expiryDuration: z.int().describe('Seconds'),
  senderNonce: digits.optional().describe("The paymaster contract's senderNonce"),
  delegate: hex.optional().describe('The contract to which an EIP-7702 account delegates'),
  gasSchedule: gasScheduleName.describe(
    'What the chain charged for gas: as the operator or the node says, else assumed',
  ),
  authority: authority
    .optional()
    .describe('What the sender was before its EIP-7702 authorisation. Absent: it has none, or no node answered'),
  hasNode: z.boolean().describe('False: the chain has no RPC URL'),
  chain: chainSnapshot.nullable().describe('Null: no node answered'),
  account: accountFacts.optional().describe('Absent: not asked'),
  price: coinPrice.optional().describe('Absent: not asked'),
  gasUsed: z
    .strictObject({ validation: gas.describe('Creation and validation of the account'), call: gas })
    .nullable()
    .optional()
    .describe(
      'Gas that the operation uses in simulation. Null: the node cannot simulate it. Absent: not simulated, because the result did not matter',
    ),
  token: tokenFacts.optional(),
  holdings: z
    .record(z.string(), holding)
    .optional()
    .describe("The sender's balances that TOKEN_HOLDING rules need. Absent: no rule needs any"),
  subjects: z
    .record(z.string(), verifiedSubject)
    .optional()
    .describe('Who sends the operation, by what IDENTITY rules trust. Absent: no rule needs it'),
  shared: z
    .strictObject({ bySenders: z.boolean(), byDapps: z.boolean(), chain: z.boolean() })
    .describe('Whether another sender or DApp uses the gas tank, and whether another DApp uses the chain'),
  context: z.record(z.string(), z.unknown()).optional().describe('What the client sent with the operation'),
  webhooks: z.array(webhookResponse),
});

export type Facts = Readonly<z.output<typeof factsSchema>>;

export type Holding = Readonly<z.output<typeof holding>>;

export type VerifiedSubject = Readonly<z.output<typeof verifiedSubject>>;

/** A verified person: who vouched for them, and their keyed hash in hex. */
export type Subject = Pick<Extract<VerifiedSubject, { id: string }>, 'source' | 'id'>;

export type SubjectFault = (typeof subjectFaults)[number];

export type ChainSnapshot = z.output<typeof chainSnapshot>;

export type CoinPrice = NonNullable<Facts['price']>;
