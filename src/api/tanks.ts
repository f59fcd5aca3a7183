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
  hasTanks: z.boolean().describe('The contract keeps a balance per funding wallet; else its deposit is everyone’s'),
  signerKind: z
    .enum(['many', 'one', 'fixed'])
    .describe('Whether the contract accepts several signing keys, one that can be replaced, or one for good'),
  owner: address
    .nullable()
    .describe('Who may withdraw: the funding wallet, or the owner of the contract; null where it does not say'),
  canWithdraw: z.boolean().describe('False if the contract allows no withdrawal from here'),
  balanceWei: weiText.nullable(),
  reservedWei: weiText,
  pendingWithdrawalsWei: weiText.describe('What withdrawals that are not mined yet take out of it'),
  freeWei: weiText.nullable(),
  burnWeiPerDay: weiText.describe(
    'What was paid for operations in the last seven days, per day; in the first day: what was paid so far',
  ),
  daysLeft: z.number().nullable().describe('At that pace; null where nothing was paid'),
  lowBalanceThresholdWei: weiText.nullable().describe('Below this it is low; null: below twenty operations'),
  lowBelowWei: weiText.describe('The threshold, or the cost of twenty operations like the newest; 0 before the first'),
  level: z.enum(['good', 'low', 'empty', 'unknown']),
  signer: z.strictObject({
    vault: address.nullable(),
    next: address.nullable().describe('Prepared, and not yet signed with'),
    agrees: z.boolean().nullable().describe("Whether the contract accepts the vault's; null where it cannot be asked"),
  }),
  unchecked,
  error: z.string().nullable().describe('Why the balance cannot be read'),
});

export const tankProcedures = {
  'tanks.get': procedure({
    summary: "Show the balance of a DApp's gas tank, what is reserved, and how long it lasts",
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
