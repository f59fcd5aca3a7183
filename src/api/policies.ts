import { z } from 'zod';
import { policySchema } from '../core/policy.ts';
import { traceStep } from '../shared/schema/decision.ts';
import { id } from '../shared/schema/text.ts';
import { contractProcedures } from './contracts.ts';
import { paymasterProcedures } from './paymasters.ts';
import { procedure } from './procedure.ts';
import { ruleProcedures } from './rules.ts';
import { webhookProcedures } from './webhooks.ts';

const change = z.strictObject({
  change: z.enum(['added', 'changed', 'removed']),
  text: z.string().describe('What differs, by names'),
});

const testResult = z.strictObject({
  name: z.string(),
  passed: z.boolean(),
  expected: z.string(),
  actual: z.string().describe('"sponsored", or "denied: " and the code'),
  message: z.string().describe('Why it is denied; empty if it is sponsored'),
});

const revision = z.string().max(100).describe('The name of a revision, or its beginning: 4 or more hex digits');
const revisionName = z.string().describe('sha256: and the hash of its canonical JSON');

const wei = z.string().describe('wei, decimal');
const stop = z.strictObject({
  rule: z.string(),
  name: z.string().nullable().describe('What the operator has named it; null for what has no name'),
  code: z.string(),
});
const perPeriod = z.strictObject({ atOnce: wei.nullable(), hour: wei.nullable(), day: wei.nullable() });
const verdict = z
  .strictObject({
    outcome: z.enum(['sponsored', 'denied']),
    code: z.string().nullable(),
    message: z.string().describe('Why it is denied; empty if it is sponsored'),
    trace: z.array(traceStep).readonly(),
  })
  .nullable();

const bound = z.strictObject({
  period: z.enum(['atOnce', 'hour', 'day']).describe('Nothing is waited for, any 60 minutes, any 24 hours'),
  amountWei: wei.nullable().describe('The most that it can cost; null: nothing stops the attacker'),
  stoppedBy: stop.nullable(),
  ladder: z
    .array(stop.extend({ amountWei: wei }))
    .readonly()
    .describe('What each rule would let through if it were the only one, the least first'),
  attack: z
    .strictObject({
      startsAt: z.number().describe('A moment at which the policy lets most through, epoch ms'),
      amountWei: wei,
      volleys: z
        .array(
          z.strictObject({
            afterMs: z.number().describe('After the attack has begun'),
            count: z.string().describe('So many operations, each by a new account'),
            costWei: wei.describe('Of one of them'),
            op: z.record(z.string(), z.unknown()).describe('In the form of JSON-RPC'),
          }),
        )
        .readonly(),
      last: verdict.describe('On its last operation; null: none is sponsored'),
      next: verdict.describe('On one more; null: nothing stops it'),
    })
    .describe('Operations that were decided one after the other, and not signed'),
});

const file = {
  text: z.string().describe('A policy file: YAML'),
  expect: revision.optional().describe('Refused if another revision is in force'),
};

const applied = z.strictObject({ paymasterId: id, ...file });

/** The call of a procedure that changes a policy. */
const callOf = <Name extends string, Input extends z.ZodType>(name: Name, { input }: { readonly input: Input }) =>
  z.strictObject({ name: z.literal(name), input });

const policyChange = z.discriminatedUnion('name', [
  callOf('policies.apply', { input: applied }),
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
  callOf('paymasters.setMaxExpiry', paymasterProcedures['paymasters.setMaxExpiry']),
]);

/** The call of a procedure that changes a policy, read by its schema. */
export type PolicyChange = z.output<typeof policyChange>;

const outcome = z.enum(['sponsored', 'denied']);
const flipCounts = z.strictObject({ nowSponsored: z.number(), nowDenied: z.number() });
const weiText = z.string().describe('wei, decimal');

const trialReport = z.strictObject({
  decisions: z.number(),
  same: z.number().describe('Sponsored then and under the draft, or denied both times'),
  ...flipCounts.shape,
  unknown: z.number().describe('What would have been asked then was not, or the record is not whole'),
  costWei: z
    .strictObject({ before: weiText, after: weiText })
    .describe('Actual costs; the maximum where that is not known'),
  senders: flipCounts.describe('Users of whom an operation is among those'),
  byRule: z.record(z.string(), flipCounts).describe('By the rule that denies, under the draft or then'),
  flips: z
    .array(
      z.strictObject({
        id,
        at: z.number().describe('epoch ms'),
        sender: z.string(),
        ...{ from: outcome, to: outcome, code: z.string(), rule: z.string() },
      }),
    )
    .describe('The first 1,000 decisions that would have been others, in order'),
});

const trialSeries = z
  .strictObject({
    from: z.number().describe('epoch ms'),
    stepMs: z.number(),
    steps: z.array(z.strictObject({ before: z.number(), after: z.number() })).readonly(),
  })
  .describe('Operations sponsored over time, then and under the draft');

const trial = { trialId: id.describe('As "policies.try" answered it') };

/** A difference between two revisions. */
export type PolicyChangeView = z.output<typeof change>;

/** What came of a test of a policy file. */
export type PolicyTestView = z.output<typeof testResult>;

/** The policies of DApps: their revisions, and policies as files. */
export const policyProcedures = {
  'policies.history': procedure({
    summary: 'List the policies of a DApp that were in force, newest first, each with what changed',
    input: z.strictObject({ paymasterId: id, limit: z.int().min(1).max(200).default(50) }),
    output: z.array(
      z.strictObject({
        revision: revisionName,
        at: z.number().describe('Since when, epoch ms'),
        changes: z.array(change).nullable().describe('Against the one before; null for the first'),
      }),
    ),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY'],
  }),
  'policies.show': procedure({
    summary: 'Show the policy of a DApp that is in force, or a revision of it',
    input: z.strictObject({ paymasterId: id, revision: revision.optional() }),
    output: z.strictObject({
      revision: revisionName,
      isInForce: z.boolean(),
      policy: policySchema,
      file: z.string().describe('What of it stands in a policy file'),
      settings: z
        .array(z.strictObject({ title: z.string(), value: z.string() }))
        .describe('What of it stands in no file'),
    }),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'POLICY_REVISION_NOT_FOUND'],
  }),
  'policies.diff': procedure({
    summary: 'Tell what differs between two revisions of the policy of a DApp',
    input: z.strictObject({ paymasterId: id, from: revision, to: revision }),
    output: z.strictObject({ from: revisionName, to: revisionName, changes: z.array(change) }),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'POLICY_REVISION_NOT_FOUND'],
  }),
  'policies.export': procedure({
    summary: 'Write the policy of a DApp as a file, without credentials',
    input: z.strictObject({
      paymasterId: id,
      into: file.text.optional().describe('A policy file: what of it is the same stays as it was written'),
    }),
    output: z.strictObject({ revision: revisionName, text: file.text }),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'POLICY_FILE_INVALID'],
  }),
  'policies.plan': procedure({
    summary: 'Tell what applying a policy file would change, and what its tests say; nothing is changed',
    input: z.strictObject({ paymasterId: id, ...file }),
    output: z.strictObject({
      revision: revisionName.describe('The one in force, from which it would change'),
      changes: z.array(change),
      tests: z.array(testResult),
    }),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'POLICY_FILE_INVALID', 'POLICY_CHANGED'],
  }),
  'policies.apply': procedure({
    summary: 'Make a policy file the policy of a DApp, as one revision or not at all',
    input: applied,
    output: z.strictObject({
      before: revisionName,
      revision: revisionName.describe('The one in force now; the same if nothing has changed'),
      changes: z.array(change),
      tests: z.array(testResult),
    }),
    errors: [
      'PAYMASTER_NOT_FOUND',
      'PAYMASTER_NOT_READY',
      'POLICY_FILE_INVALID',
      'POLICY_TESTS_FAILED',
      'POLICY_CHANGED',
      'CONTRACT_ADDRESS_EXISTS',
      'RULE_NAME_EXISTS',
    ],
  }),
  'policies.try': procedure({
    summary:
      'Begin to decide past decisions again as if a change of the policy had been made; nothing is changed. It ends the trial before',
    input: z.strictObject({
      change: policyChange.describe('The call that would make the change'),
      from: z.number().optional().describe('Only decisions made at this time (epoch ms) or later'),
      to: z.number().optional().describe('Only decisions made before this time (epoch ms)'),
      last: z.int().positive().optional().describe('Only so many, the newest'),
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
    summary: 'Tell how far a trial is, and what came of it; waits until there is more to tell',
    input: z.strictObject({
      ...trial,
      seen: z.int().default(-1).describe('How many tried decisions the caller knows of: it waits for the next ones'),
    }),
    output: z.strictObject({
      done: z.number().describe('Decisions tried so far'),
      of: z.number().nullable().describe('How many there are to try; null until they are counted'),
      result: z.strictObject({ report: trialReport, series: trialSeries }).nullable().describe('Null until it is over'),
    }),
    errors: ['TRIAL_NOT_FOUND', 'TRIAL_TOO_BIG'],
  }),
  'policies.flip': procedure({
    summary: 'Show how a trial decided one of its flips, step by step',
    input: z.strictObject({ ...trial, decisionId: id }),
    output: z.strictObject({
      ...{ outcome, code: z.string(), rule: z.string().nullable(), message: z.string(), hint: z.string() },
      trace: z.array(traceStep),
    }),
    errors: ['TRIAL_NOT_FOUND', 'TRIAL_TOO_BIG', 'DECISION_NOT_FOUND'],
  }),
  'policies.cancelTrial': procedure({
    summary: 'End a trial, and forget what came of it',
    input: z.strictObject(trial),
  }),
  'policies.worstCase': procedure({
    summary:
      'Tell the most that a holder of the API key with any number of accounts can make the operator pay at once, per hour and per day',
    input: z.strictObject({ paymasterId: id }),
    output: z.strictObject({
      revision: revisionName.describe('The one in force'),
      at: z.number().describe('When the chain and the ledger were looked at, epoch ms'),
      coin: z.string().describe('What the coin of the chain is called'),
      tankWei: wei.nullable().describe('Balance of the gas tank; null: the chain has no RPC URL'),
      baseFeeWei: wei.nullable(),
      operationWei: wei.nullable().describe('The most that one operation can cost; null: none is sponsored'),
      bounds: z.array(bound).readonly(),
      perAccount: z
        .array(stop)
        .readonly()
        .describe('Rules that bind each account by itself and stop nobody: new accounts are free'),
      asksWebhooks: z.boolean().describe('True: webhooks are asked too. They are taken to verify'),
      leavesRulesOut: z
        .boolean()
        .describe(
          'True: there are conditions, which an attacker meets, or rules that bind only at times or under a condition',
        ),
      takesTokens: z
        .boolean()
        .describe(
          'True: users may pay in tokens. Such operations are not counted here, and no spending limit binds them',
        ),
      suggestions: z
        .array(
          z.strictObject({
            change: z.enum([
              'limitForAll',
              'limitPerUser',
              'maxOperationCost',
              'breaker',
              'walletDeploymentOff',
              'tankShare',
              'tank',
            ]),
            sentence: z.string(),
            amountsWei: perPeriod.describe('The worst case with it'),
          }),
        )
        .readonly()
        .describe('What could be changed, in the order of what it saves; what saves nothing too'),
    }),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'CHAIN_UNREACHABLE', 'CONTRACT_MISMATCH'],
  }),
  'policies.test': procedure({
    summary: 'Run the tests of a policy file; nothing is changed',
    input: z.strictObject({
      text: file.text,
      paymasterId: id.optional().describe('The DApp whose version and chain it is for; absent: 1.1.0 on Ethereum'),
    }),
    output: z.array(testResult),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'POLICY_FILE_INVALID'],
  }),
};
