import { z } from 'zod';
import { address } from '../shared/schema/hex.ts';
import type { RuleType } from '../core/rules/rule.ts';
import { ruleTypes } from '../core/decision/rule-words.ts';
import { expression } from '../core/conditions/expression.ts';
import { bindingFields, bindingUpdate } from '../core/rules/binding.ts';
import { limitUpdate, typedLimitUpdate } from '../core/rules/spending-limit/index.ts';
import { walkedStep } from '../shared/schema/decision.ts';
import { id, name } from '../shared/schema/text.ts';
import { wholeUrls } from './whole-urls.ts';
import { procedure } from './procedure.ts';

type Data = z.ZodType<Readonly<Record<string, unknown>>>;
type Several<Option> = [Option, Option, ...Option[]];

const definition = (dataOf: (setup: RuleType['setup']) => z.ZodType) =>
  z.discriminatedUnion(
    'policyType',
    ruleTypes.map(({ setup }) =>
      z.strictObject({ name, policyType: z.literal(setup.policyType), policyData: dataOf(setup), ...bindingFields }),
    ) as Several<
      z.ZodObject<{ name: typeof name; policyType: z.ZodLiteral<string>; policyData: z.ZodType } & typeof bindingFields>
    >,
  );

/** Body of rule creation on the management interface. */
export const ruleDefinition = definition(({ sent, managed = sent }) => managed);

/** The data of a registered contract, which is listed among the rules. */
const contractData = z.strictObject({ address, whitelistedMethods: z.array(z.string()), methods: z.array(z.string()) });

export const CONTRACT_TYPE = 'WHITELISTED_CONTRACT';

const rule = z.strictObject({
  _id: z.string(),
  name: z.string(),
  policyType: z.enum([...ruleTypes.map(({ setup }) => setup.policyType), CONTRACT_TYPE]),
  organisationId: z.string(),
  paymasterId: z.string(),
  createdBy: z.string(),
  chainId: z.number(),
  active: z.boolean(),
  policyData: z.union([...ruleTypes.map(({ setup }) => setup.stored), contractData] as unknown as Several<Data>),
  ...bindingFields,
  // Not validated: a newer version of Gasdesk may refuse a stored condition that an older one accepted.
  when: z.string().optional().describe('The condition in CEL, as it was stored'),
});

/** Body of a rule update, for rules of any type. An absent field keeps its value. */
export const ruleUpdate = z.strictObject({
  name: name.optional(),
  policyData: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'In the same format as for a new rule. Changing the data of a limit starts a new window, except for a lifetime limit',
    ),
  ...bindingUpdate,
});

const shadowResult = z.strictObject({
  ruleId: z.string(),
  operations: z.int().describe('Sponsored operations that the rule has checked since it was set'),
  wouldDeny: z.int().describe('Number of these that it would have denied'),
  users: z.int().describe('Their users'),
});

const lastUse = z.strictObject({
  ruleId: z.string(),
  lastAt: z.number().nullable().describe('epoch ms; null: no decision that was read has used it'),
  knownSince: z.number().describe('epoch ms of the first decision that was read whose policy contains it'),
});

const limitUsage = z.strictObject({
  ruleId: z.string(),
  name: z.string(),
  active: z.boolean(),
  unit: z.enum(['operations', 'wei', 'usd']).describe('usd: 10^-18 US dollars'),
  threshold: z.string().describe('In the unit, decimal'),
  used: z.string().describe('Reserved and settled in the window; for a limit per user, of the user who has used most'),
  windowEndsAt: z.number().nullable().describe('epoch ms; null: it has no end'),
  perUser: z
    .strictObject({
      users: z.number().describe('Number of users in this window'),
      atLimit: z.number().describe('Number of these users who have used up the limit'),
      nearest: z
        .array(z.strictObject({ user: z.string().describe('Address; keyed hash of a person'), used: z.string() }))
        .describe('The 10 users or people closest to the limit'),
    })
    .nullable()
    .describe('Null for a limit for all users together'),
});

export { limitUpdate };

const target = z.strictObject({ paymasterId: id, ruleId: id });

/** Procedures for the rules of a DApp (its policy). Registered contracts are listed among them. */
export const ruleProcedures = {
  'rules.create': procedure({
    summary: 'Add a rule: spending limit, webhook or wallet deployment',
    input: z.strictObject({ paymasterId: id, rule: definition(({ sent }) => sent), whole: wholeUrls }),
    output: rule,
    errors: ['PAYMASTER_NOT_FOUND', 'RULE_NAME_EXISTS', 'VAULT_LOCKED'],
  }),
  'rules.list': procedure({
    summary: 'List the rules and registered contracts of a DApp',
    input: z.strictObject({ paymasterId: id, whole: wholeUrls }),
    output: z.array(rule),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'rules.usage': procedure({
    summary: 'Show the usage of each spending limit of a DApp in its current window, and the top users',
    input: z.strictObject({ paymasterId: id }),
    output: z.array(limitUsage),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'rules.lastUses': procedure({
    summary:
      'Show when the registered contracts and rules of a DApp were last used by an operation that was sponsored, or that a rule of the same kind denied',
    input: z.strictObject({
      paymasterId: id,
      last: z.int().min(1).max(100_000).default(10_000).describe('How many decisions to read, the newest ones'),
    }),
    output: z.array(lastUse),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'rules.decideAgain': procedure({
    summary:
      'Decide a recorded operation again, with its recorded facts, under the policy in force. Nothing is signed or stored',
    input: z.strictObject({ decisionId: id }),
    output: z.strictObject({
      verdict: z
        .enum(['sponsored', 'denied', 'webhooks', 'gasUnknown', 'notRead', 'notReplayable'])
        .describe(
          'webhooks: no rule denies it, and its webhooks, which were not called, would decide; gasUnknown: no rule denies it, and its gas was not estimated; notRead: no rule denies it, but a rule needs something that was not read, such as a token balance; notReplayable: its record is incomplete',
        ),
      reason: z
        .strictObject({ code: z.string(), rule: z.string(), message: z.string(), hint: z.string() })
        .nullable()
        .describe('Why it is denied'),
      steps: z
        .array(walkedStep)
        .readonly()
        .describe(
          'What each rule says now, in the order in which rules are checked; webhooks: only the rules before them; notReplayable: empty',
        ),
    }),
    errors: ['DECISION_NOT_FOUND', 'PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY'],
  }),
  'rules.evaluate': procedure({
    summary:
      'Evaluate a condition on a recorded operation, with the contracts that are registered now. Nothing is stored',
    input: z.strictObject({ decisionId: id, expression }),
    output: z.strictObject({
      answer: z
        .enum(['true', 'false', 'failed', 'notReplayable'])
        .describe('failed: it cannot be evaluated; notReplayable: the record lacks the values that conditions read'),
      failure: z.string().nullable().describe('Why it cannot be evaluated'),
      readings: z
        .array(z.strictObject({ text: z.string(), value: z.string().nullable().describe('Null: it is not there') }))
        .describe(
          'Values that the expression reads, shortened if they are long; for a loop, the values of its first items',
        )
        .readonly(),
    }),
    errors: ['DECISION_NOT_FOUND', 'PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY'],
  }),
  'rules.updateLimit': procedure({
    summary: 'Update a spending limit and start a new cycle',
    input: z.strictObject({ ...target.shape, update: typedLimitUpdate }),
    errors: ['PAYMASTER_NOT_FOUND', 'RULE_NOT_FOUND', 'RULE_NAME_EXISTS', 'NOT_A_LIMIT'],
  }),
  'rules.update': procedure({
    summary: 'Update a rule of any type: its name, its data, when it applies and its enforcement',
    input: z.strictObject({ ...target.shape, update: ruleUpdate, whole: wholeUrls }),
    output: rule,
    errors: ['PAYMASTER_NOT_FOUND', 'RULE_NOT_FOUND', 'RULE_NAME_EXISTS', 'VAULT_LOCKED'],
  }),
  'rules.shadowResults': procedure({
    summary: "Show what a DApp's rules in shadow would have denied since they were set",
    input: z.strictObject({ paymasterId: id }),
    output: z.array(shadowResult),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'rules.delete': procedure({
    summary: 'Delete a rule. Registered contracts are deleted by their address',
    input: target,
    errors: ['PAYMASTER_NOT_FOUND', 'RULE_NOT_FOUND'],
  }),
  'rules.activate': procedure({
    summary: 'Unpause a rule',
    input: target,
    errors: ['PAYMASTER_NOT_FOUND', 'RULE_NOT_FOUND'],
  }),
  'rules.deactivate': procedure({
    summary: 'Pause a rule; its cycle continues',
    input: target,
    errors: ['PAYMASTER_NOT_FOUND', 'RULE_NOT_FOUND'],
  }),
};
