import { z } from 'zod';
import { gasScheduleName } from '../shared/schema/gas-schedule.ts';
import { id } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const gas = z.string().describe('gas, decimal');
const cause = z.strictObject({
  operations: z.number(),
  gas: z.string().describe('gas, decimal; negative if the cause costs less'),
});

/** What a fork of the chain would change. */
export const rehearsalProcedures = {
  'policies.rehearse': procedure({
    summary:
      'Decide past decisions of a DApp again under another gas schedule: what would be refused, and what would cost more; changes nothing',
    input: z.strictObject({
      paymasterId: id,
      schedule: gasScheduleName.describe('The gas schedule to rehearse'),
      last: z.int().min(1).max(100_000).default(10_000).describe('How many decisions, the newest ones'),
    }),
    output: z.strictObject({
      schedule: gasScheduleName,
      coin: z.string().describe('What the coin of the chain is called'),
      decisions: z.number(),
      unknown: z.number().describe('Could not be evaluated: the record is incomplete'),
      refused: z
        .strictObject({
          operations: z.number(),
          senders: z.number(),
          byCode: z.record(z.string(), z.number()),
          first: z
            .array(
              z.strictObject({
                id,
                at: z.number().describe('epoch ms'),
                sender: z.string(),
                code: z.string(),
                rule: z.string(),
              }),
            )
            .readonly()
            .describe('The first 1,000, in order'),
        })
        .describe('Operations that were sponsored, and would have been denied'),
      nowSponsored: z.number().describe('Operations that were denied, and would have been sponsored'),
      moreExpensive: z
        .strictObject({
          operations: z.number(),
          gas: gas.describe('At least so much more, decimal'),
          wei: z.string().describe('At least so much more at the price that each operation paid, wei, decimal'),
          byCause: z.strictObject({
            data: cause.describe('The transaction and its data'),
            authorization: cause.describe('EIP-7702 authorisations'),
            account: cause.describe('Accounts that operations create, and places for their nonces'),
          }),
        })
        .describe('Sponsored operations that would have cost more'),
      leftOut: z.array(z.string()).readonly().describe('What the amounts do not contain'),
    }),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY'],
  }),
};
