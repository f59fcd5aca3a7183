import { z } from 'zod';

/** The gas schedules that Gasdesk knows, by the fork of Ethereum that introduced them, oldest first. */
export const gasScheduleName = z.enum(['cancun', 'prague', 'osaka', 'amsterdam']);

export type GasScheduleName = z.output<typeof gasScheduleName>;

/** The gas schedule that a node reports. */
export const gasScheduleReading = z.strictObject({
  name: gasScheduleName.nullable().describe('null: what the node reports matches no gas schedule that Gasdesk knows'),
  source: z.enum(['eth_config', 'eth_estimateGas']).describe('The method of the node that showed it'),
  next: z
    .strictObject({ name: gasScheduleName, at: z.int().describe('epoch ms') })
    .nullable()
    .describe('The gas schedule that the node is configured to change to; null: none'),
});

export type GasScheduleReading = z.output<typeof gasScheduleReading>;

/** The state of an account before its EIP-7702 authorisation takes effect. */
export const authority = z.enum(['new', 'existing', 'delegated']);

/**
 * `new`: the account does not exist. `existing`: it has coins or has sent transactions, and has no code. `delegated`: it has code.
 */
export type Authority = z.output<typeof authority>;
