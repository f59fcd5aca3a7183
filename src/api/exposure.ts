import { z } from 'zod';
import { weiText as wei } from '../shared/schema/quantity.ts';
import { unreachableState } from './chains.ts';
import { procedure } from './procedure.ts';

/** The sum of reservations for signed operations that are neither mined nor released. */
const reserved = { reservedWei: wei, operations: z.number().describe('How many operations may still take it') };

const chainExposure = z.strictObject({
  chainId: z.number(),
  ...reserved,
  state: z.enum(['reachable', 'unreachable', 'unchecked']).describe('unchecked: it has no RPC URL'),
  error: z.string().nullable().describe('Why the chain cannot be reached'),
  unreachable: unreachableState,
});

const tank = z.strictObject({
  balanceWei: wei.nullable().describe('On chain; null where it cannot be read'),
  reservedWei: wei.describe('Of this tank, for all DApps that share it'),
  freeWei: wei.nullable(),
  operationsLeft: z.string().nullable().describe("How many more like the DApp's newest it covers, at their maximum"),
  lowBelowWei: wei.describe('Below this it is low'),
  level: z.enum(['good', 'low', 'empty', 'unknown']),
  sharedBy: z.number().describe('How many DApps are paid from it'),
  error: z.string().nullable().describe('Why the balance cannot be read, or why no tank exists'),
});

export const exposureProcedures = {
  'exposure.get': procedure({
    summary: 'Show what is signed and not yet mined, per chain and DApp, and what each gas tank has left',
    output: z.strictObject({
      chains: z.array(chainExposure),
      dapps: z.array(z.strictObject({ paymasterId: z.string(), chainId: z.number(), ...reserved, tank })),
    }),
  }),
};
