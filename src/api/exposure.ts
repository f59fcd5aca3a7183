import { z } from 'zod';
import { weiText as wei } from '../shared/schema/quantity.ts';
import { unreachableState } from './chains.ts';
import { procedure } from './procedure.ts';

/** The sum of reservations for signed operations that are neither mined nor released. */
const reserved = { reservedWei: wei, operations: z.number().describe('Number of operations for which it is reserved') };

const chainExposure = z.strictObject({
  chainId: z.number(),
  ...reserved,
  state: z.enum(['reachable', 'unreachable', 'unchecked']).describe('unchecked: it has no RPC URL'),
  error: z.string().nullable().describe('Why the chain cannot be reached'),
  unreachable: unreachableState,
});

const tank = z.strictObject({
  balanceWei: wei.nullable().describe('Balance on chain; null if it cannot be read'),
  reservedWei: wei.describe('Reserved in this tank, for all DApps that share it'),
  freeWei: wei.nullable(),
  operationsLeft: z
    .string()
    .nullable()
    .describe("Number of further operations like the DApp's newest that the tank covers, at their maximum cost"),
  lowBelowWei: wei.describe('The tank is low below this balance'),
  level: z.enum(['good', 'low', 'empty', 'unknown']),
  sharedBy: z.number().describe('Number of DApps for which the tank pays'),
  error: z.string().nullable().describe('Why the balance cannot be read, or why no tank exists'),
});

export const exposureProcedures = {
  'exposure.get': procedure({
    summary:
      'Show the reservations for operations that are not mined yet, per chain and DApp, and the free balance of each gas tank',
    output: z.strictObject({
      chains: z.array(chainExposure),
      dapps: z.array(z.strictObject({ paymasterId: z.string(), chainId: z.number(), ...reserved, tank })),
    }),
  }),
};
