import { z } from 'zod';
import { webhookResponse } from '../webhooks/webhook-response.ts';

const digits = z.string().regex(/^\d{1,200}$/, 'must be a decimal string');
const wei = digits.describe('wei, decimal');
const gas = digits.describe('gas, decimal');
const hex = z.templateLiteral(['0x', z.string()]);

/** Balances and prices on chain at one block. */
const chainSnapshot = z.strictObject({
  balanceWei: wei.describe('What the gas tank holds'),
  pendingWithdrawalsWei: wei.describe('Withdrawals that were sent and are not mined'),
  baseFeeWei: wei,
  suggestedTipWei: wei.optional().describe('Absent where the node suggests none'),
  believedBaseFeeWei: wei
    .optional()
    .describe('The base fee as far as it is believed; absent where no node answered before'),
  believedTipWei: wei.optional().describe('The suggested tip as far as it is believed'),
  depositsWei: wei.optional().describe('What the gas tanks of the chain hold together. Absent: no rule asked'),
  l1DataGas: gas.describe('What a chain of layer 2 charges for the data of the operation'),
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
    updatedAt: z.int().optional().describe('When the feed answered it, epoch seconds'),
    error: z.undefined().optional(),
  }),
  z.strictObject({ usd: z.null(), error: z.string().describe('Why no price is usable') }),
]);

/** The on-chain state of an operation's account. */
const accountFacts = z.strictObject({
  hasCode: z.boolean().describe('Also by the EIP-7702 authorisation of the operation'),
  nextNonce: digits.describe('EntryPoint.getNonce for the key in the nonce'),
  creationFailure: z
    .enum(['AA13', 'AA14', 'AA15'])
    .optional()
    .describe('What the EntryPoint said when it tried to make the account'),
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

/** How the user pays in a token. Amounts are in the token's smallest unit. */
const tokenFacts = z.strictObject({
  address: hex,
  symbol: z.string(),
  decimals: z.int(),
  premium: z.string().describe('Percent'),
  preFund: z.boolean(),
  treasury: hex,
  exchangeRate: digits.describe('Units for 1e18 wei'),
  transferGas: z.strictObject({ prefund: gas, afterwards: gas }).describe("What the token's transferFrom uses"),
  isTaken: z.boolean().optional().describe('False: it was tried, and the tokens were not taken. Absent: not tried'),
  left: holdings.optional().describe('What the sender had after the trial, where the tokens were taken'),
  callGasUsed: gas
    .optional()
    .describe(
      'What the call of the operation uses where it has enough gas and the tokens are taken, unlike by its own',
    ),
  holdings: holdings
    .nullable()
    .optional()
    .describe('Of the sender. Null: the token cannot be read. Absent: not looked at'),
});

/**
 * Everything that was read or awaited before an operation was decided, as plain JSON. Anyone can replay the decision
 * from it. Large numbers are decimal strings; the operation's quantities are hex.
 */
export const factsSchema = z.strictObject({
  v: z.literal(1),
  at: z.int().describe('The one reading of the clock, epoch ms'),
  stage: z.enum(['draft', 'final']).describe('draft: data to estimate gas with; gas and fees may be open'),
  contract: z.strictObject({
    version: z.string().describe('By which it is attached; in token mode that of the contract that takes tokens'),
    address: hex,
    signer: hex,
    fundingWallet: hex.optional(),
  }),
  op: z.record(z.string(), z.unknown()).describe('The operation with its gas, in the form of JSON-RPC'),
  gasSource: z.enum(['GAS_GIVEN', 'GAS_ESTIMATED', 'GAS_NOT_ESTIMATED']),
  expiryDuration: z.int().describe('Seconds'),
  senderNonce: digits.optional().describe('Of the paymaster contract'),
  delegate: hex.optional().describe('Whose code an EIP-7702 account runs'),
  hasNode: z.boolean().describe('False: the chain has no RPC URL'),
  chain: chainSnapshot.nullable().describe('Null: no node answered'),
  account: accountFacts.optional().describe('Absent: not asked'),
  price: coinPrice.optional().describe('Absent: not asked'),
  gasUsed: z
    .strictObject({ validation: gas.describe('Creation and validation of the account'), call: gas })
    .nullable()
    .optional()
    .describe('What it uses where it is simulated. Null: the node does not. Absent: not asked, since it fits without'),
  token: tokenFacts.optional(),
  holdings: z
    .record(z.string(), holding)
    .optional()
    .describe('What the sender holds, by the questions of TOKEN_HOLDING rules. Absent: no rule asked'),
  shared: z
    .strictObject({ bySenders: z.boolean(), byDapps: z.boolean(), chain: z.boolean() })
    .describe('Whether another sender or DApp uses the gas tank, and another DApp the chain'),
  context: z.record(z.string(), z.unknown()).optional().describe('What the client sent with the operation'),
  webhooks: z.array(webhookResponse),
});

export type Facts = Readonly<z.output<typeof factsSchema>>;

export type Holding = Readonly<z.output<typeof holding>>;

export type ChainSnapshot = z.output<typeof chainSnapshot>;

export type CoinPrice = NonNullable<Facts['price']>;
