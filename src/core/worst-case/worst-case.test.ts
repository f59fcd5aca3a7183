import { expect, test } from 'vitest';
import { factsWith, policyWith } from '../../../test/support/facts.ts';
import type { Policy, PolicyRule } from '../policy.ts';
import type { Situation } from './attack-operation.ts';
import { type WorstCase, attackReservations, worstCase } from './worst-case.ts';

const ETHER = 10n ** 18n;
const HOUR_MS = 3_600_000;
const { at, hasNode, contract, shared, chain } = factsWith();
const situation: Situation = { at, hasNode, contract, shared, chain };

const find = (...input: Parameters<typeof worstCase>): WorstCase => {
  const finding = worstCase(...input);
  for (;;) {
    const { done, value } = finding.next();
    if (done === true) return value;
  }
};

const limit = (name: string, data: object, hours = 1): PolicyRule => ({
  ...{ ruleId: name, name, policyType: 'PAYMASTER_SA_LIMIT', active: true, cycle: 0 },
  policyData: {
    ...{ cycleDuration: { value: hours, unit: 'hour' }, startTimeInEpoch: at - HOUR_MS / 3 },
    ...{ durationInMs: hours * HOUR_MS, type: 'PAYMASTER', thresholdType: 'COUNT', threshold: '10' },
    ...data,
  },
});

const of = (changes: Partial<Policy> = {}, held?: bigint[]): WorstCase => {
  const policy = policyWith(changes);
  return find(policy, situation, held ?? attackReservations(policy, situation).map(() => 0n));
};
const chainWith = (changes: Partial<NonNullable<Policy['chain']>>): Pick<Policy, 'chain'> => ({
  chain: { name: null, symbol: null, breaker: null, unreachableBudgetWei: null, maxOperationCostWei: null, ...changes },
});
const told = ({ bounds }: WorstCase) =>
  bounds.map(({ amountWei, stoppedBy, attack }) => [
    Number(amountWei) / 1e18,
    stoppedBy?.name ?? stoppedBy?.rule ?? null,
    Number(attack.amountWei) / 1e18,
    attack.next?.code,
  ]);

test('looks', () => {
  const t0 = performance.now();
  const show = (name: string, one: WorstCase) => {
    console.log(
      name,
      (performance.now() - t0).toFixed(0),
      one.operationWei,
      JSON.stringify(told(one)),
      JSON.stringify(one.perAccount),
      JSON.stringify(one.bounds[2]?.ladder),
    );
    for (const s of one.suggestions) console.log('   ', s.sentence, JSON.stringify(s.amountsWei));
  };
  show('none', of());
  show('count', of({ rules: [limit('ten', {})] }));
  show('wei', of({ rules: [limit('wei', { thresholdType: 'NATIVE_ASSET', threshold: '0.05' })] }));
  show('user', of({ rules: [limit('user', { type: 'SMART_ACCOUNT', threshold: '5' })] }));
  show(
    'two',
    of({
      rules: [limit('wei', { thresholdType: 'NATIVE_ASSET', threshold: '0.05' }), limit('day', { threshold: '3' }, 24)],
    }),
  );
  show('breaker', of(chainWith({ breaker: { amountWei: String(ETHER / 20n), seconds: 3600 } })));
  show('breaker60', of(chainWith({ breaker: { amountWei: String(ETHER / 20000n), seconds: 60 } })));
  show('cap', of({ ...chainWith({ maxOperationCostWei: String(ETHER / 500n) }), rules: [limit('ten', {})] }));
  show('pause', of({ pause: { since: 1, reason: null } }));
  const unknown = { ...situation, chain: null, hasNode: false };
  show('unchecked', find(policyWith(), unknown, []));
});
