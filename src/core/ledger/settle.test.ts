import { describe, expect, test } from 'vitest';
import { type Candidate, type MinedSlot, settleRange } from './settle.ts';

const SLOT = { entryPoint: '0xEE', paymaster: '0xAA', sender: '0x55', nonce: 7n };
const mined = (changes: Partial<MinedSlot> = {}): MinedSlot => ({ ...SLOT, blockNumber: 12, ...changes });
const candidate = (seq: number, changes: Partial<Candidate> = {}): Candidate => ({
  ...SLOT,
  nonce: '7',
  seq,
  settlement: 'reserved',
  ...changes,
});
const NONE = { candidates: [], accountedFor: [] };

test('an operation settles the decision with its hash, whatever other decisions have its slot', () => {
  const one = mined();
  expect(settleRange({ ...NONE, withHash: new Map([[one, [candidate(3)]]]), candidates: [candidate(4)] })).toEqual({
    changes: [{ seq: 3, to: 'settled', mined: one }],
    putBack: 0,
    unmatched: [],
  });
});

test('an operation with decisions of several DApps leaves these unconfirmed, and is reported once', () => {
  const one = mined();
  const decisions = [candidate(3), candidate(4, { settlement: 'unconfirmed' })];
  const changes = [
    { seq: 3, to: 'unconfirmed', block: 12 },
    { seq: 4, to: 'unconfirmed', block: 12 },
  ];
  const candidates = [candidate(5)];
  expect(settleRange({ ...NONE, withHash: new Map([[one, decisions]]), candidates })).toEqual({
    changes,
    putBack: 0,
    unmatched: [{ mined: one, decisions: 2 }],
  });
  const known = decisions.map((decision) => ({ ...decision, settlement: 'unconfirmed' as const }));
  expect(settleRange({ ...NONE, withHash: new Map([[one, known]]), candidates })).toEqual({
    changes,
    putBack: 0,
    unmatched: [],
  });
});

describe('an operation without a decision', () => {
  test('leaves every candidate for its slot unconfirmed, in any letter case', () => {
    const one = mined();
    const candidates = [candidate(4), candidate(5, { entryPoint: '0xee', paymaster: '0xaa' })];
    expect(settleRange({ ...NONE, withHash: new Map([[one, []]]), candidates })).toEqual({
      changes: [
        { seq: 4, to: 'unconfirmed', block: 12 },
        { seq: 5, to: 'unconfirmed', block: 12 },
      ],
      putBack: 0,
      unmatched: [{ mined: one, decisions: 2 }],
    });
  });

  test.each<[difference: string, other: Partial<Candidate>]>([
    ['EntryPoint', { entryPoint: '0xEF' }],
    ['paymaster', { paymaster: '0xAB' }],
    ['sender', { sender: '0x56' }],
    ['nonce', { nonce: '8' }],
  ])('leaves a decision with another %s alone, and is not ours', (_, other) => {
    const withHash = new Map([[mined(), []]]);
    expect(settleRange({ ...NONE, withHash, candidates: [candidate(4, other)] })).toEqual({
      changes: [],
      putBack: 0,
      unmatched: [],
    });
  });

  test('is reported once: not again while all its candidates are unconfirmed', () => {
    const withHash = new Map([[mined(), []]]);
    const known = [candidate(4, { settlement: 'unconfirmed' }), candidate(5, { settlement: 'unconfirmed' })];
    expect(settleRange({ ...NONE, withHash, candidates: known }).unmatched).toEqual([]);
    const [first] = known;
    expect(settleRange({ ...NONE, withHash, candidates: [first!, candidate(5)] }).unmatched).toMatchObject([
      { decisions: 2 },
    ]);
  });
});

describe('a decision that a block of the range accounted for', () => {
  test('returns to reserved if nothing in the range accounts for it any more, before anything is settled', () => {
    const one = mined();
    expect(settleRange({ ...NONE, withHash: new Map([[one, [candidate(3)]]]), accountedFor: [2, 3] })).toMatchObject({
      changes: [
        { seq: 2, to: 'reserved' },
        { seq: 3, to: 'settled' },
      ],
      putBack: 1,
    });
  });

  test('stays unconfirmed while an operation may be its own', () => {
    const withHash = new Map([[mined(), []]]);
    const candidates = [candidate(4, { settlement: 'unconfirmed' })];
    expect(settleRange({ withHash, candidates, accountedFor: [4] })).toMatchObject({
      changes: [{ seq: 4, to: 'unconfirmed', block: 12 }],
      putBack: 0,
    });
  });
});
