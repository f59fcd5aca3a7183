import { describe, expect, it, test } from 'vitest';
import { encodeExecute } from '../../../test/support/account-call-data.ts';
import { decidedLine, decidedText } from '../../../test/support/decided-record.ts';
import { type Situation, inputsOf, together } from '../../../test/support/situation.ts';
import { ITEMS, call, items, limit, responseWith, withResponse } from '../../../test/support/situations.ts';
import { explainRecord } from './explain-record.ts';
import { type LeanRecord, readRecord } from './stored-record.ts';

const minting: Situation = {
  policy: { contracts: [items()], rules: [limit()] },
  op: { callData: encodeExecute(ITEMS, 0n, call('mint')) },
};
const situations: readonly (readonly [string, Situation])[] = [
  ['sponsored', minting],
  ['denied at its limit', together(minting, { held: { limit: 5n } })],
  ['denied by its method', together(minting, { op: { callData: encodeExecute(ITEMS, 0n, call('burn')) } })],
  ['answered by a webhook', together(minting, withResponse(responseWith()), { policy: { webhooks: [] } })],
];

const { seq: _, settlement: __, actualCostWei: ___, ...whole } = decidedLine(...inputsOf(minting));
const [, policy] = inputsOf(minting);
const lean = readRecord(decidedText(...inputsOf(minting))) as LeanRecord;

test.each(situations)(
  'the whole record of an operation that is %s is made again from the stored one',
  (_what, situation) => {
    const inputs = inputsOf(situation);
    const { seq: _seq, settlement: _settled, actualCostWei: _cost, ...record } = decidedLine(...inputs);
    expect(explainRecord(readRecord(decidedText(...inputs)), inputs[1])).toEqual(record);
  },
);

it('stores no words, no trace and no amounts', () => {
  for (const [, situation] of situations) {
    const text = decidedText(...inputsOf(situation));
    expect(text).not.toMatch(/"(?:message|hint|evidence|reservations|calls|trace)"/);
  }
});

describe('a record that this version does not make again', () => {
  const codes = whole.trace.map(({ rule, outcome, code }) => ({ rule, outcome, code, evidence: {} }));

  it('shows its own words, and says so, if only the trace of the other version was different', () => {
    const other = { ...lean, traceHash: 'ab'.repeat(32), engine: '0.0.1' };
    expect(explainRecord(other, policy)).toEqual({ ...whole, engine: '0.0.1', wordsDiffer: true });
  });

  it.each<[string, LeanRecord, unknown, RegExp]>([
    ['another step', { ...lean, steps: lean.steps.with(0, 'gas pass OTHER_CODE 1') }, policy, /Gasdesk .* differently/],
    ['a step less', { ...lean, steps: lean.steps.slice(1) }, policy, /Gasdesk .* differently/],
    ['no policy', lean, undefined, /policy .* not known/],
    ['another policy', lean, { ...policy, rules: [] }, /cannot read/],
    ['something that is no policy', lean, 'a policy', /cannot read/],
    ['facts of another form', { ...lean, facts: { v: 2 } }, policy, /cannot read/],
  ])('shows the stored codes: %s', (_what, record, revision, message) => {
    const shown = explainRecord(record, revision);
    expect(shown).toMatchObject({ outcome: 'sponsored', hint: '', wordsDiffer: true });
    expect(shown.message).toMatch(message);
    expect(shown.trace.map(({ code }) => code)).toEqual(record.steps.map((step) => step.split(' ')[2]));
    if (record.steps === lean.steps) expect(shown.trace).toMatchObject(codes);
  });
});
