import { z } from 'zod';
import { traceStep } from '../shared/schema/decision.ts';
import { id } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const wei = z.string().describe('wei, decimal');
const stop = z.strictObject({
  rule: z.string(),
  name: z.string().nullable().describe('Name that the operator gave it; null if it has none'),
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
  period: z.enum(['atOnce', 'hour', 'day']).describe('At once (without waiting), any 60 minutes, any 24 hours'),
  amountWei: wei.nullable().describe('Maximum cost; null: nothing stops the attacker'),
  stoppedBy: stop.nullable(),
  ladder: z
    .array(stop.extend({ amountWei: wei }))
    .readonly()
    .describe('What each rule would allow if it were the only one, lowest amount first'),
  attack: z
    .strictObject({
      startsAt: z.number().describe('A start time at which the policy allows the largest amount, epoch ms'),
      amountWei: wei,
      volleys: z
        .array(
          z.strictObject({
            afterMs: z.number().describe('After the start of the attack'),
            count: z.string().describe('Number of operations, each by a new account'),
            costWei: wei.describe('Of one of them'),
            op: z.record(z.string(), z.unknown()).describe('In the format of JSON-RPC'),
          }),
        )
        .readonly(),
      last: verdict.describe('Verdict on its last operation; null: none is sponsored'),
      next: verdict.describe('Verdict on one more operation; null: nothing stops the attack'),
    })
    .describe('Operations that were decided one after the other, and not signed'),
});

/** Procedures that compute the highest cost that a policy allows one hostile user to cause. */
export const worstCaseProcedures = {
  'policies.worstCase': procedure({
    summary:
      'Compute the most that an attacker with the API key can make the operator pay at once, per hour and per day',
    input: z.strictObject({
      paymasterId: id,
      people: z
        .int()
        .min(1)
        .max(1_000_000_000)
        .optional()
        .describe('How many people an attacker may be, for limits that count people. Default: any number'),
    }),
    output: z.strictObject({
      revision: z.string().describe('The policy revision in force'),
      at: z.number().describe('Time when the chain and the ledger were read, epoch ms'),
      coin: z.string().describe("Symbol of the chain's coin"),
      tankWei: wei.nullable().describe('Balance of the gas tank; null: the chain has no RPC URL'),
      baseFeeWei: wei.nullable(),
      operationWei: wei.nullable().describe('Maximum cost of one operation; null: none is sponsored'),
      bounds: z.array(bound).readonly(),
      perAccount: z
        .array(stop)
        .readonly()
        .describe('Rules that count each account separately. They stop no attacker, because new accounts are free'),
      perPerson: z
        .array(stop.extend({ allows: z.string().describe('What each person may have, such as 3 operations per day') }))
        .readonly()
        .describe('Limits that count each person. They stop an attacker if the number of people is given'),
      people: z.int().nullable().describe('The number given; null: any number'),
      asksWebhooks: z
        .boolean()
        .describe('True: the policy also calls webhooks. They are assumed to approve every operation'),
      leavesRulesOut: z
        .boolean()
        .describe(
          'True: the policy has conditions, which an attacker meets, rules with a schedule or a condition, or limits in US dollars without a price',
        ),
      takesTokens: z
        .boolean()
        .describe(
          'True: users may pay in tokens. The worst case excludes such operations, and no spending limit applies to them',
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
            amountsWei: perPeriod.describe('The worst case after the change'),
          }),
        )
        .readonly()
        .describe('Possible changes, largest saving first, including those that save nothing'),
    }),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'CHAIN_UNREACHABLE', 'CONTRACT_MISMATCH'],
  }),
};
