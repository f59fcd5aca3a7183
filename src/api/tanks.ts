import { z } from 'zod';
import { address } from '../shared/schema/hex.ts';
import { wei, weiText } from '../shared/schema/quantity.ts';
import { id } from '../shared/schema/text.ts';
import { unchecked } from './chains.ts';
import { procedure } from './procedure.ts';

const tank = z.strictObject({
  paymasterId: z.string(),
  chainId: z.number(),
  symbol: z.string(),
  version: z.string(),
  contract: address.nullable(),
  fundingWallet: address.nullable(),
  hasTanks: z
    .boolean()
    .describe('True: the contract keeps a balance per funding wallet; false: all DApps share its deposit'),
  signerKind: z
    .enum(['many', 'one', 'fixed'])
    .describe('Whether the contract accepts several signing keys, one that can be replaced, or one permanent key'),
  owner: address
    .nullable()
    .describe(
      'Who may withdraw: the funding wallet, or the owner of the contract; null if the contract does not report it',
    ),
  canWithdraw: z.boolean().describe('False if the contract allows no withdrawal from here'),
  balanceWei: weiText.nullable(),
  reservedWei: weiText,
  pendingWithdrawalsWei: weiText.describe('Sum of the withdrawals that are not mined yet'),
  freeWei: weiText.nullable(),
  burnWeiPerDay: weiText.describe(
    'Average cost of operations per day, over the last seven days; on the first day, the total so far',
  ),
  daysLeft: z.number().nullable().describe('At this average; null if nothing was paid'),
  lowBalanceThresholdWei: weiText
    .nullable()
    .describe('Threshold set by the operator; null: the cost of twenty operations'),
  lowBelowWei: weiText.describe(
    'The threshold in use: set by the operator, or the cost of twenty operations like the newest; 0 before the first',
  ),
  level: z.enum(['good', 'low', 'empty', 'unknown']),
  signer: z.strictObject({
    vault: address.nullable(),
    next: address.nullable().describe('The prepared next key, which does not sign yet'),
    agrees: z
      .boolean()
      .nullable()
      .describe("Whether the contract accepts the vault's key; null if the contract cannot be read"),
  }),
  unchecked,
  error: z.string().nullable().describe('Why the balance cannot be read'),
});

export const tankProcedures = {
  'tanks.get': procedure({
    summary: "Show the balance of a DApp's gas tank, the reserved part, and how long the balance lasts",
    input: z.strictObject({ paymasterId: id }),
    output: tank,
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'tanks.setThreshold': procedure({
    summary: 'Set the balance below which a gas tank is low; null: the cost of twenty operations',
    input: z.strictObject({ paymasterId: id, lowBalanceThresholdWei: wei.nullable() }),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
};
