import { z } from 'zod';
import { procedure } from './procedure.ts';

const wei = z.string().describe('wei, decimal');

/** What is signed and may still be taken: neither mined nor released. */
const promised = { promisedWei: wei, operations: z.number().describe('How many operations may still take it') };

const chainExposure = z.strictObject({
  chainId: z.number(),
  ...promised,
  state: z.enum(['reachable', 'unreachable', 'noRpc']),
  fault: z.string().nullable().describe('Why the chain cannot be reached'),
});

const tank = z.strictObject({
  balanceWei: wei.nullable().describe('On chain; null where it cannot be read'),
  promisedWei: wei.describe('Of this tank, for all DApps that share it'),
  freeWei: wei.nullable(),
  operationsLeft: z.string().nullable().describe("How many more like the DApp's newest it covers, at their maximum"),
  level: z.enum(['good', 'low', 'empty', 'unknown']),
  sharedBy: z.number().describe('How many DApps are paid from it'),
  fault: z.string().nullable().describe('Why the balance cannot be read, or why there is no tank'),
});

/** What the desk has signed for, and what there is to pay it with. */
export const exposureProcedures = {
  'exposure.get': procedure({
    summary: 'Tell what is signed and not yet mined, per chain and DApp, and what each gas tank has left',
    input: z.strictObject({}),
    output: z.strictObject({
      chains: z.array(chainExposure),
      dapps: z.array(z.strictObject({ paymasterId: z.string(), chainId: z.number(), ...promised, tank })),
    }),
    errors: [],
  }),
};
