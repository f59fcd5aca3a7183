import { z } from 'zod';
import { costGrouping } from '../shared/schema/cost.ts';
import { weiText } from '../shared/schema/quantity.ts';
import { id } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const epochMs = z.int().min(0);

/** Groups in one answer; the rest is added up in one group. */
export const MOST_COST_GROUPS = 1_000;

const group = z.strictObject({
  key: z.string().describe('DApp id, methods, address or month (UTC); empty if unknown'),
  name: z.string().describe('What people call it'),
  operations: z.number().describe('Mined operations'),
  reverted: z.number().describe('Of these, those whose call reverted'),
  costWei: weiText.describe('What tanks paid or, without a tank, the deposit: the sum of all that follows'),
  workWei: weiText.describe('Gas that the chain used, at the base fee'),
  tipWei: weiText.describe('The tip for that gas'),
  revertedWei: weiText.describe('Gas and tip of operations whose call reverted'),
  penaltyWei: weiText.describe('Penalty for gas limits that were not used, estimated from the gas of the validation'),
  preVerificationWei: weiText.describe("preVerificationGas above the operation's share of what the bundle cost"),
  contractWei: z
    .string()
    .describe('What the paymaster contract deducted beyond the charge of the EntryPoint, wei; may be negative'),
  unsplitWei: weiText.describe('The cost of operations whose receipt has not been read'),
  usd: z.string().describe('US dollars at the price of the day, decimal, for the operations of which it is known'),
  priced: z.number().describe('The number of these operations'),
});

const period = {
  paymasterId: id.optional().describe('Only operations of this DApp'),
  from: epochMs.optional().describe('Signed at this time or later'),
  to: epochMs.optional().describe('Signed before this time'),
};

export const costProcedures = {
  'costs.get': procedure({
    summary: 'Show what mined operations cost, and for what',
    input: z.strictObject({ ...period, by: costGrouping.default('dapp').describe('What to group by') }),
    output: z.strictObject({
      by: costGrouping,
      chains: z.array(
        z.strictObject({
          chainId: z.number(),
          name: z.string(),
          coin: z.string(),
          total: group,
          groups: z
            .array(group)
            .describe(`The most expensive first, months in order; beyond ${MOST_COST_GROUPS}, the rest is one group`),
        }),
      ),
    }),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'costs.statement': procedure({
    summary: 'Write the statement of a DApp for a month as one self-contained HTML page',
    input: z.strictObject({
      paymasterId: id,
      month: z
        .string()
        .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, 'must be a month such as 2026-11')
        .describe('Month (UTC), such as 2026-11'),
    }),
    output: z.strictObject({ html: z.string(), operations: z.number() }),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
};
