import type { BenchDesk } from './desk.ts';
import { drive } from './drive.ts';
import { measure } from './measure.ts';
import { senders, sponsorTraffic } from './operations.ts';
import { typicalRules } from './scenarios.ts';

/** What a list of senders and conditions cost a decision, against a DApp of the same desk that has none. */
export interface ConditionFigures {
  readonly addresses: number;
  readonly conditions: number;
  /** CPU of the desk per decision, µs, each the least of some rounds: what else the machine does only adds to it. */
  readonly cpuMicros: { readonly without: number; readonly with: number };
  /** The goal is below 1.25. */
  readonly ratio: number;
}

const ADDRESSES = 100_000;

/** What operators ask of operations: each holds for the traffic. */
const CONDITIONS = [
  'calls.all(c, c.method == "mint" && c.args.amount <= 10)',
  'calls.all(c, c.value == 0)',
  'size(calls) <= 3',
  'op.callGasLimit <= 500000',
  'op.maxFeePerGas <= 50000000000',
  'op.maxCostWei < wei("0.05")',
  '!op.deploys && op.entryPoint == "0.6"',
  'time.getDayOfWeek() in [0, 1, 2, 3, 4, 5, 6]',
  'time >= timestamp("2025-01-01T00:00:00Z") && time < timestamp("2100-01-01T00:00:00Z")',
  '!has(context.policyId) || context.policyId == "summer"',
];

const ROUNDS = 15;
const LOAD = { connections: 8, seconds: 1 };
/** V8 is done with either DApp's way through the desk. */
const WARM_UP = { connections: 8, requests: 15_000, seconds: 20 };

/** The accounts of the traffic, and others until there are enough. */
const listed = (): string[] => [
  ...senders,
  ...Array.from(
    { length: ADDRESSES - senders.length },
    (_, index) => `0x${(0xcafe_0000_0000 + index).toString(16).padStart(40, '0')}`,
  ),
];

/** Measures both DApps of one desk in turn, so that whatever else the machine does slows both. */
export const measureConditions = async (desk: BenchDesk): Promise<ConditionFigures> => {
  const { call, paymasterId, url } = desk;
  const plain = await desk.otherDapp('Plain');
  for (const id of [paymasterId, plain.paymasterId]) await typicalRules(desk, id);
  const policyData = { mode: 'ALLOW', addresses: listed() };
  await call('rules.create', { paymasterId, rule: { name: 'Members', policyType: 'SENDERS', policyData } });
  for (const [index, expression] of CONDITIONS.entries()) {
    const rule = { name: `Condition ${index}`, policyType: 'CONDITION', policyData: { expression, message: 'No.' } };
    await call('rules.create', { paymasterId, rule });
  }
  const [traffic, plainTraffic] = [sponsorTraffic(url, desk.path), sponsorTraffic(url, plain.path)];
  await drive(url, plainTraffic, WARM_UP);
  await drive(url, traffic, WARM_UP);
  const cpuMicros = { without: Infinity, with: Infinity };
  for (let round = 0; round < ROUNDS; round += 1) {
    cpuMicros.without = Math.min(cpuMicros.without, (await measure(desk, plainTraffic, LOAD)).cpuMicros);
    cpuMicros.with = Math.min(cpuMicros.with, (await measure(desk, traffic, LOAD)).cpuMicros);
  }
  const ratio = Number((cpuMicros.with / cpuMicros.without).toFixed(2));
  return { addresses: ADDRESSES, conditions: CONDITIONS.length, cpuMicros, ratio };
};
