import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { deny, pass, skip } from '../rules/rule.ts';
import { createTrace } from './trace.ts';

const paused = { target: '0x11', contract: 'Items' };
const empty = { balanceWei: '0', promisedWei: '0', neededWei: '1' };

describe('a trace', () => {
  test('keeps the steps in their order, with what was compared and how long it took', async () => {
    const clock = new ManualClock();
    const trace = createTrace(clock);
    trace.note('gas', 'GAS_GIVEN', { callGasLimit: '1' });
    trace.run('contracts', () => {
      void clock.advance(2);
      return pass('CALLS_WHITELISTED', { calls: 1 });
    });
    trace.run('gasTank', () => skip('BALANCE_UNKNOWN'));
    expect(trace.steps).toEqual([
      { rule: 'gas', outcome: 'pass', code: 'GAS_GIVEN', evidence: { callGasLimit: '1' }, micros: 0 },
      { rule: 'contracts', outcome: 'pass', code: 'CALLS_WHITELISTED', evidence: { calls: 1 }, micros: 2000 },
      { rule: 'gasTank', outcome: 'skip', code: 'BALANCE_UNKNOWN', evidence: {}, micros: 0 },
    ]);
    expect(trace.reason()).toBeUndefined();
  });

  test('gives the first denial as the reason, and keeps the others for the operator', () => {
    const trace = createTrace(new ManualClock());
    trace.run('notImplemented', () => pass('ALL_RULES_ENFORCED'));
    trace.run('contracts', () => deny('CONTRACT_PAUSED', paused));
    trace.run('gasTank', () => deny('GAS_TANK_EMPTY', empty));
    expect(trace.reason()).toEqual({
      code: 'CONTRACT_PAUSED',
      rule: 'contracts',
      message: 'The operation calls Items (0x11), whose sponsoring is paused.',
      hint: 'Activate the rule "Items" again.',
    });
    expect(trace.steps.map(({ code }) => code)).toEqual(['ALL_RULES_ENFORCED', 'CONTRACT_PAUSED', 'GAS_TANK_EMPTY']);
  });
});
