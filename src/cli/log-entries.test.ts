import { expect, test } from 'vitest';
import type { EntryBody, EntryKind } from '../core/log/entry.ts';
import { entryWords } from './log-entries.ts';

const names = {
  dapp: (id: string) => (id === 'd1' ? 'Game' : undefined),
  chain: (chainId: number) => `chain ${chainId}`,
  account: () => undefined,
};

type Row = { [Kind in EntryKind]: readonly [kind: Kind, body: EntryBody<Kind>, words: string] }[EntryKind];

const ID = '01932f10-1111-7000-8000-000000000001';
const settled = { decision: ID, settlement: 'settled', actualCostWei: '2000000000000000', block: 7 } as const;
const ROWS: readonly Row[] = [
  ['start', { engine: '1.0.0' }, 'Gasdesk 1.0.0 started'],
  ['stop', {}, 'Gasdesk stopped'],
  [
    'policy',
    { paymasterId: 'd1', hash: 'sha256:0123456789abcdef' },
    'Policy of DApp “Game” in force: sha256:0123456789ab',
  ],
  ['policy', { paymasterId: 'gone', hash: 'sha256:01' }, 'Policy of DApp “gone” in force: sha256:01'],
  ['settlement', settled, 'Decision 01932f10-1111 settled, cost 0.002 of the native coin, block 7'],
  [
    'settlement',
    { ...settled, reverted: true },
    'Decision 01932f10-1111 settled, cost 0.002 of the native coin, block 7, its call reverted',
  ],
  [
    'settlement',
    { decision: ID, settlement: 'released', actualCostWei: null, block: null },
    'Decision 01932f10-1111 released',
  ],
  [
    'hold',
    { hold: 3, account: 'tank:1', amount: '500000000000000000' },
    'Hold 3 of 0.5 of the native coin while a withdrawal is signed: tank:1',
  ],
  ['release', { holds: [3] }, 'Hold 3 ended'],
  ['release', { holds: [3, 4] }, 'Holds 3, 4 ended'],
  ['reset', { kind: 'breaker', id: '1' }, 'Rolling window restarted from zero: breaker 1'],
  [
    'action',
    {
      action: 'rules.create',
      via: 'cli',
      by: 'operator',
      changes: [
        { subject: 'rule', id: 'r1', before: null, after: { dapp: 'd1', name: 'Per user', active: 1 } },
        { subject: 'setting', id: 'port', before: 1, after: 2 },
      ],
    },
    'Rule “Per user” of DApp “Game” added; Setting port changed',
  ],
];

test.each(ROWS)('%s %j: %s', (kind, body, words) => {
  expect(entryWords(kind, body, names)).toBe(words);
});
