import { z } from 'zod';
import { exactPositiveInput } from '../shared/schema/exact-positive.ts';
import { traceStep } from '../shared/schema/decision.ts';
import { id } from '../shared/schema/text.ts';
import { contractProcedures } from './contracts.ts';
import { paymasterProcedures } from './paymasters.ts';
import { policyProcedures } from './policies.ts';
import { procedure } from './procedure.ts';
import { ruleProcedures } from './rules.ts';
import { webhookProcedures } from './webhooks.ts';

const callOf = <Name extends string, Input extends z.ZodType>(name: Name, { input }: { readonly input: Input }) =>
  z.strictObject({ name: z.literal(name), input });

const policyChange = z.discriminatedUnion('name', [
  callOf('policies.apply', policyProcedures['policies.apply']),
  callOf('rules.create', ruleProcedures['rules.create']),
  callOf('rules.updateLimit', ruleProcedures['rules.updateLimit']),
  callOf('rules.update', ruleProcedures['rules.update']),
  callOf('rules.delete', ruleProcedures['rules.delete']),
  callOf('rules.activate', ruleProcedures['rules.activate']),
  callOf('rules.deactivate', ruleProcedures['rules.deactivate']),
  callOf('contracts.create', contractProcedures['contracts.create']),
  callOf('contracts.update', contractProcedures['contracts.update']),
  callOf('contracts.delete', contractProcedures['contracts.delete']),
  callOf('webhooks.create', webhookProcedures['webhooks.create']),
  callOf('webhooks.setUrl', webhookProcedures['webhooks.setUrl']),
  callOf('webhooks.update', webhookProcedures['webhooks.update']),
  callOf('webhooks.delete', webhookProcedures['webhooks.delete']),
  callOf('paymasters.setTokenMode', paymasterProcedures['paymasters.setTokenMode']),
  callOf('paymasters.setMaxExpiry', paymasterProcedures['paymasters.setMaxExpiry']),
]);

export type PolicyChange = z.output<typeof policyChange>;

const outcome = z.enum(['sponsored', 'denied']);
const flipCounts = z.strictObject({ nowSponsored: z.number(), nowDenied: z.number() });
const weiText = z.string().describe('wei, decimal');

const assumption = z.enum(['price', 'webhook']);

const reportCounts = {
  decisions: z.number(),
  same: z.number().describe('Sponsored both then and under the draft, or denied both times'),
  ...flipCounts.shape,
  unknown: z.number().describe('Could not be evaluated: a value was not read at the time, or the record is incomplete'),
  costWei: z.strictObject({ before: weiText, after: weiText }).describe('Actual costs; the maximum if unknown'),
  senders: flipCounts.describe('Number of users with at least one such operation'),
};

const trialReport = z.strictObject({
  ...reportCounts,
  unknownBy: z
    .partialRecord(z.enum(['record', 'webhook', 'price', 'token', 'person', 'gas']), z.number())
    .describe('The same, by what was not read or called at the time'),
  assumed: z
    .strictObject({
      decisions: z.number(),
      same: z.number(),
      ...flipCounts.shape,
      by: z.partialRecord(assumption, z.number()).describe('By what was assumed; a decision may need both'),
      costWei: z.strictObject({ before: weiText, after: weiText }),
      usd: z.string().nullable().describe('The assumed price of the coin, US dollars'),
    })
    .optional()
    .describe('Decisions evaluated only under an assumption. The other counts and costs leave them out'),
  byRule: z.record(z.string(), flipCounts).describe('By the rule that denies, under the draft or then'),
  flips: z
    .array(
      z.strictObject({
        id,
        at: z.number().describe('epoch ms'),
        sender: z.string(),
        from: outcome,
        to: outcome,
        code: z.string(),
        rule: z.string(),
        assumed: z.array(assumption).readonly().optional().describe('What was assumed'),
      }),
    )
    .describe('The first 1,000 decisions that would change, in order'),
});

const trialSeries = z
  .strictObject({
    from: z.number().describe('epoch ms'),
    stepMs: z.number(),
    steps: z.array(z.strictObject({ before: z.number(), after: z.number() })).readonly(),
  })
  .describe('Operations sponsored over time, then and under the draft');

const limitChange = z.discriminatedUnion('name', [
  callOf('rules.create', ruleProcedures['rules.create']),
  callOf('rules.updateLimit', ruleProcedures['rules.updateLimit']),
]);

const thresholdText = z.string().describe('Decimal, in the unit of the limit: operations, whole coins, or US dollars');

const thresholdSeries = z
  .strictObject({
    from: z.number().describe('epoch ms'),
    stepMs: z.number(),
    steps: z
      .array(
        z.strictObject({
          sponsored: z.number().describe('Sponsored both then and under the threshold'),
          denied: z.number().describe('Denied both times'),
          ...flipCounts.shape,
          unknown: z.number(),
        }),
      )
      .readonly(),
  })
  .describe('Numbers of operations over time');

const trial = { trialId: id.describe('As "policies.try" answered it') };

const thresholdTrial = { trialId: id.describe('As "policies.tryThresholds" answered it') };

export const policyTrialProcedures = {
  'policies.try': procedure({
    summary:
      'Start a trial: decide past decisions again under a changed policy; changes nothing. It ends the previous trial',
    input: z.strictObject({
      change: policyChange.describe('The call that would make the change'),
      from: z.number().optional().describe('Only decisions made at this time (epoch ms) or later'),
      to: z.number().optional().describe('Only decisions made before this time (epoch ms)'),
      last: z.int().positive().optional().describe('Only this many decisions, the newest ones'),
      assume: z
        .array(assumption)
        .optional()
        .describe("What to assume where the record lacks it: price: today's price; webhook: the webhook agrees"),
    }),
    output: z.strictObject(trial),
    errors: [
      'PAYMASTER_NOT_FOUND',
      'PAYMASTER_NOT_READY',
      'POLICY_FILE_INVALID',
      'RULE_NOT_FOUND',
      'NOT_A_LIMIT',
      'SMART_CONTRACT_NOT_FOUND',
      'UNKNOWN_CONTRACT_METHOD',
      'WEBHOOK_NOT_FOUND',
    ],
  }),
  'policies.trial': procedure({
    summary: 'Show the progress and the result of a trial. Waits until it has advanced',
    input: z.strictObject({
      ...trial,
      seen: z
        .int()
        .default(-1)
        .describe('Number of tried decisions that the caller already knows. The call waits for more'),
    }),
    output: z.strictObject({
      done: z.number().describe('Decisions tried so far'),
      of: z.number().nullable().describe('Number of decisions to try; null until they are counted'),
      result: z
        .strictObject({ report: trialReport, series: trialSeries })
        .nullable()
        .describe('Null until the trial is complete'),
    }),
    errors: ['TRIAL_NOT_FOUND', 'TRIAL_TOO_BIG'],
  }),
  'policies.flip': procedure({
    summary: 'Show how a trial decided one of its flips, step by step',
    input: z.strictObject({ ...trial, decisionId: id }),
    output: z.strictObject({
      outcome,
      code: z.string(),
      rule: z.string().nullable(),
      message: z.string(),
      hint: z.string(),
      trace: z.array(traceStep),
    }),
    errors: ['TRIAL_NOT_FOUND', 'TRIAL_TOO_BIG', 'DECISION_NOT_FOUND'],
  }),
  'policies.tryThresholds': procedure({
    summary:
      'Start a trial of many thresholds of one limit on past decisions; changes nothing. It ends the previous such trial',
    input: z.strictObject({
      change: limitChange.describe('The call that would set the limit, with any threshold'),
      from: z.number().describe('Only decisions made at this time (epoch ms) or later'),
      to: z.number().optional().describe('Only decisions made before this time (epoch ms)'),
    }),
    output: z.strictObject(thresholdTrial),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'RULE_NOT_FOUND', 'NOT_A_LIMIT'],
  }),
  'policies.atThreshold': procedure({
    summary:
      'Show what past decisions would be under a threshold, at once from a sample, and exactly once all are read',
    input: z.strictObject({
      ...thresholdTrial,
      threshold: exactPositiveInput.describe('Decimal, in the unit of the limit'),
      seen: z
        .int()
        .default(-1)
        .describe('Number of decisions that the caller already knows. The call waits for more, or for another call'),
    }),
    output: z
      .strictObject({
        done: z.number().describe('Decisions read so far'),
        of: z.number().describe('Decisions to read. Approximate until all are read'),
        isWhole: z.boolean().describe('All decisions are read: the numbers are those that "policies.try" finds'),
        sampled: z
          .number()
          .describe('Decisions in the sample. Its part that is not read yet stands for all that are not read yet'),
        report: z.strictObject(reportCounts),
        series: thresholdSeries,
        useful: z
          .strictObject({
            least: thresholdText.describe('The smallest amount of an operation. A lower threshold denies all of them'),
            most: thresholdText.describe('The most that would be used without the limit. A higher one denies nothing'),
          })
          .nullable()
          .describe('Null if the limit concerns none of the decisions'),
      })
      .nullable()
      .describe('Null: the trial was ended meanwhile'),
    errors: ['TRIAL_NOT_FOUND', 'TRIAL_TOO_BIG', 'NOT_A_LIMIT'],
  }),
  'policies.endThresholds': procedure({ summary: 'End a trial of thresholds', input: z.strictObject(thresholdTrial) }),
  'policies.cancelTrial': procedure({ summary: 'End a trial, and discard its result', input: z.strictObject(trial) }),
};
