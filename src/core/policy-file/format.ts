import { z } from 'zod';
import { address } from '../../shared/schema/hex.ts';
import { JsonNumber } from '../../shared/schema/decimal.ts';
import { httpUrl, name } from '../../shared/schema/text.ts';
import { bindingFields } from '../rules/binding.ts';
import { maxExpiry, origin } from '../policy/dapp-settings.ts';
import { denialWords, isRuleType, ruleTypes } from '../decision/rule-words.ts';
import { revealsCredentials } from '../webhooks/hidden-credentials.ts';

/** An object schema whose error for an unknown field lists the known fields. */
const fields = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `is not a field here. The fields are: ${Object.keys(shape).join(', ')}`
        : undefined,
  });

/** A required list. It must be written even if empty, so that a forgotten list does not count as an empty one. */
const list = <Item extends z.ZodType>(item: Item, key: string) =>
  z.array(item, {
    error: (issue) => (issue.input === undefined ? `is required; use "${key}: []" for none` : undefined),
  });

const active = z.boolean().default(true);

/** The error for an ABI in a file. */
export const ABI_ERROR = 'must be a list of methods, or the JSON of an ABI as text';

const contract = fields({
  name,
  address,
  abi: z.union([z.string(), z.array(z.string())], ABI_ERROR),
  methods: z.array(z.string()).max(1000).default([]),
  active,
});

const rule = fields({
  name,
  type: z.string().refine(isRuleType, `must be one of: ${ruleTypes.map(({ setup }) => setup.policyType).join(', ')}`),
  data: z.record(z.string(), z.unknown()).default({}),
  active,
  ...bindingFields,
});

/** Credentials belong in the vault, because a file in git is not secret. */
export const CREDENTIALS_ERROR =
  'must contain no user name, password, query value or key: set the URL in the console, and write [secret] here in place of each value and key. Applying the file then keeps the stored values';

const webhook = fields({
  url: httpUrl.refine((url) => !revealsCredentials(url), CREDENTIALS_ERROR),
  method: z.enum(['GET', 'POST']).default('POST'),
  active,
});

const isNumberOrText = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'string' || value instanceof JsonNumber;

/** A number, with or without quotes. */
const digits = z
  .custom<number | string | JsonNumber>(isNumberOrText, 'must be a number')
  .transform((value) => (value instanceof JsonNumber ? value.source : String(value)));

const quantity = digits.pipe(z.string().regex(/^(?:0|[1-9]\d{0,38})$/, 'must be a whole number'));

const gas = fields({
  callGasLimit: quantity.optional(),
  verificationGasLimit: quantity.optional(),
  preVerificationGas: quantity.optional(),
  paymasterVerificationGasLimit: quantity.optional(),
  paymasterPostOpGasLimit: quantity.optional(),
});

const call = fields({
  to: z.string().min(1),
  method: z.string().optional(),
  args: z.array(z.unknown()).default([]),
  value: quantity.default('0'),
});

const operation = fields({
  sender: address.optional(),
  calls: z.array(call).default([]),
  gas: gas.optional(),
  maxFeePerGas: quantity.optional(),
  deploys: z.boolean().default(false),
  identified: z.boolean().default(true),
  context: z.record(z.string(), z.unknown()).optional(),
});

const EXPECTATION = 'must be "sponsored", or "denied:" with a denial code such as LIMIT_REACHED';

const expectation = z.union(
  [z.literal('sponsored'), z.strictObject({ denied: z.string().refine((code) => denialWords.has(code), EXPECTATION) })],
  EXPECTATION,
);

const test = fields({ name, operation, expect: expectation });

/**
 * An origin in the form that browsers send: host in lower-case ASCII, no default port. Any other spelling would never
 * match.
 */
const AS_SENT = /^(?!http:.*:80$|https:.*:443$)[!-@[-~]+(?<!\/)$/;
const AS_SENT_ERROR = 'must be as browsers send it: lower case, without "/" at the end and without the default port';

export const fileSchema = fields({
  version: z.literal(1, 'must be 1'),
  contracts: list(contract, 'contracts'),
  rules: list(rule, 'rules'),
  webhooks: list(webhook, 'webhooks'),
  lowBalance: digits
    .pipe(z.string().regex(/^\d{1,60}(?:\.\d{1,18})?$/, 'must be an amount of the coin, such as 0.5, or null'))
    .nullable()
    .default(null),
  allowedOrigins: list(origin.regex(AS_SENT, AS_SENT_ERROR), 'allowedOrigins').max(100),
  tokenMode: z.boolean('must be true or false').default(false),
  maxExpirySeconds: z.int().min(maxExpiry.least).max(maxExpiry.most).default(maxExpiry.default),
  tests: z.array(test).max(1000).default([]),
});

type Read = z.output<typeof fileSchema>;

/** A contract in a file. Its ABI has been converted to JSON. */
export type FileContract = Omit<Read['contracts'][number], 'abi'> & { readonly abi: string };

/** A rule in a file. Its `data` has the format that operators send for its kind. */
export type FileRule = Read['rules'][number];

export type FileTest = Read['tests'][number];

export type PolicyFile = Omit<Read, 'contracts'> & { readonly contracts: readonly FileContract[] };
