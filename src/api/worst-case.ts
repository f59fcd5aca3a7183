import { z } from 'zod';
import { traceStep } from '../shared/schema/decision.ts';
import { id } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

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
            afterMs: z.number().describe('After the start of the attack'),
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

/** Procedures that compute the highest cost that a policy allows one hostile user to cause. */
export const worstCaseProcedures = {
  'policies.worstCase': procedure({
    summary:
      'Compute the most that an attacker with the API key can make the operator pay at once, per hour and per day',
    input: z.strictObject({ paymasterId: id }),
    output: z.strictObject({
      revision: z.string().describe('The policy revision in force'),
      at: z.number().describe('When the chain and the ledger were looked at, epoch ms'),
      coin: z.string().describe('What the coin of the chain is called'),
      tankWei: wei.nullable().describe('Balance of the gas tank; null: the chain has no RPC URL'),
      baseFeeWei: wei.nullable(),
      operationWei: wei.nullable().describe('The most that one operation can cost; null: none is sponsored'),
      bounds: z.array(bound).readonly(),
      perAccount: z
        .array(stop)
        .readonly()
        .describe('Rules that count each account by itself and stop no attacker: new accounts are free'),
      asksWebhooks: z.boolean().describe('True: webhooks are asked too. They are assumed to verify'),
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
            amountsWei: perPeriod.describe('The worst case with it'),
          }),
        )
        .readonly()
        .describe('What could be changed, in the order of what it saves; what saves nothing too'),
    }),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'CHAIN_UNREACHABLE', 'CONTRACT_MISMATCH'],
  }),
};
