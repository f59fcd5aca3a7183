import { expect, test } from 'vitest';
import { encodeExecute } from '../../../test/support/account-call-data.ts';
import { decidedText } from '../../../test/support/decided-record.ts';
import { type Situation, inputsOf, together } from '../../../test/support/situation.ts';
import { ITEMS, call, items, limit, responseWith, withResponse } from '../../../test/support/situations.ts';
import { explainRecord } from './explain-record.ts';
import { type PastDecision, pastDecision } from './past-decision.ts';
import { type StoredRecord, readRecord } from './stored-record.ts';

const minting: Situation = {
  policy: { contracts: [items()], rules: [limit()] },
  op: { callData: encodeExecute(ITEMS, 0n, call('mint')) },
};
const inShadow: Situation = { policy: { rules: [{ ...limit(), enforcement: 'shadow' }] } };

const read = (record: StoredRecord, revision: unknown): PastDecision => {
  const settled = { seq: 1, settlement: 'settled', actualCostWei: '5' } as const;
  const { facts, ...decision } = pastDecision({ ...record, ...settled }, revision);
  // A whole record has the durations in its trace, and no one decides by them.
  return { ...decision, facts: facts && { ...facts, webhooks: facts.webhooks.map((one) => ({ ...one, micros: 0 })) } };
};

test.each<[string, Situation]>([
  ['sponsored', minting],
  ['denied at its limit', together(minting, { held: { limit: 5n } })],
  ['denied by its method', together(minting, { op: { callData: encodeExecute(ITEMS, 0n, call('burn')) } })],
  ['counted by a limit in shadow', together(minting, inShadow)],
  ['over a limit in shadow', together(minting, inShadow, { held: { limit: 5n } })],
  ['answered by a webhook', together(minting, withResponse(responseWith()), { policy: { webhooks: [] } })],
])('an operation that is %s takes the same from its accounts as its explanation says', (_what, situation) => {
  const inputs = inputsOf(situation);
  const [stored, revision] = [readRecord(decidedText(...inputs)), inputs[1]];
  const past = read(stored, revision);
  expect(past.reservations.length).toBeGreaterThan(0);
  expect(past).toEqual(read(explainRecord(stored, revision), revision));
});

test('what a decision took is not known if this version decides it differently, or does not know its policy', () => {
  const inputs = inputsOf(minting);
  const stored = readRecord(decidedText(...inputs));
  const other = { ...stored, steps: ['gas pass OTHER_CODE 1'] };
  for (const [record, revision] of [[other, inputs[1]] as const, [stored, undefined] as const]) {
    expect(read(record, revision).reservations).toEqual([]);
    expect(read(explainRecord(record, revision), revision).reservations).toEqual([]);
  }
});
