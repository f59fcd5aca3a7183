import { z } from 'zod';

/** The longest text that can be inspected, in characters. */
export const MAX_INSPECTED = 128 * 1024;

/** How to show a value. Times are unix seconds, amounts are wei; both are in decimal. */
const valueKind = z.enum(['address', 'bytes', 'gas', 'hash', 'number', 'text', 'time', 'wei']);

/** A named range of the bytes. */
export const namedBytes = z.strictObject({
  name: z.string().describe('Name in the contract or the standard'),
  offset: z.int().describe('In bytes'),
  length: z.int().describe('In bytes'),
  hex: z.string(),
  kind: valueKind,
  value: z.string().describe('Meaning of the bytes; empty if they have no further meaning'),
  meaning: z.string(),
});

export type NamedBytes = z.output<typeof namedBytes>;

const namedValue = z.strictObject({ name: z.string(), kind: valueKind, value: z.string(), meaning: z.string() });

/** A value that is computed, or otherwise not a range of the bytes. */
export type NamedValue = z.output<typeof namedValue>;

const check = z.strictObject({
  name: z.string(),
  ok: z.boolean().nullable().describe('Null: unknown'),
  words: z.string(),
});

export type InspectionCheck = z.output<typeof check>;

/** A call that an operation makes, decoded with the registered contracts. */
export const decodedCall = z.strictObject({
  target: z.string(),
  contract: z.string().nullable().describe('Name of the registered contract; null if none is registered there'),
  method: z.string().nullable().describe('Full signature; null if no registered ABI has it'),
  args: z.array(z.string()).nullable().describe('As text, long values shortened; null if they do not match the method'),
  valueWei: z.string(),
  data: z.string(),
  operation: z.enum(['call', 'delegatecall', 'staticcall']),
});

const section = z.strictObject({
  title: z.string(),
  path: z.string().describe('Its position in the inspected value; empty for the whole'),
  bytes: z.array(namedBytes).describe('One after the other, from the first byte to the last; empty where it is none'),
  values: z.array(namedValue),
  checks: z.array(check),
  calls: z.array(decodedCall),
  notes: z.array(z.string()),
});

export type InspectionSection = z.output<typeof section>;

const reading = z.strictObject({
  what: z.enum([
    'paymasterAndData',
    'userOperation',
    'bundle',
    'transaction',
    'callData',
    'revertData',
    'error',
    'hash',
    'address',
  ]),
  title: z.string(),
  sureness: z.enum(['certain', 'likely', 'possible']),
  why: z.string().describe('Why this reading is certain, likely or possible'),
  symbol: z.string().nullable().describe("Symbol of the chain's coin; null if the chain is unknown"),
  sections: z.array(section),
});

export type InspectionReading = z.output<typeof reading>;

export const inspection = z.strictObject({
  title: z.string(),
  readings: z.array(reading).describe('Most certain reading first; empty if none matches'),
  misfits: z
    .array(z.strictObject({ what: z.string(), why: z.string() }))
    .describe('Readings that were tried and do not match, with the reason'),
});

export type Inspection = z.output<typeof inspection>;
