import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { LogFaultCode } from '../../src/core/log/log-report.ts';
import { logWords } from '../../src/core/log/report-words.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import { everyEntry } from './every-entry.ts';
import { createForger } from './forger.ts';

const desk = useOfflineDesk();
/** Of a desk that has decided nothing else. */
const fresh = useOfflineDesk();
const { verify } = createForger(randomBytes(32));

interface AnyEntry {
  readonly kind: string;
  readonly at: number;
  readonly body: Readonly<Record<string, unknown>>;
}

type Log = readonly string[];
const parsed = (text: string): AnyEntry => JSON.parse(text) as AnyEntry;

const indexOf = (log: Log, isMeant: (entry: AnyEntry) => boolean): number => {
  const index = log.findIndex((text) => isMeant(parsed(text)));
  if (index < 0) throw new Error('There is no such entry');
  return index;
};
const outcome = (wanted: string) => (entry: AnyEntry) => entry.body['outcome'] === wanted;
const denied = (log: Log): number => indexOf(log, (entry) => outcome('denied')(entry) && 'facts' in entry.body);

/** Rewrites the body of an entry. */
const withBody = (log: Log, index: number, change: (body: AnyEntry['body']) => object): string[] => {
  const entry = parsed(log[index] ?? '');
  return log.with(index, JSON.stringify({ ...entry, body: change(entry.body) }));
};
const inserted = (log: Log, index: number, kind: string, body: object): string[] =>
  log.toSpliced(
    index,
    0,
    JSON.stringify({ entry: 0, at: parsed(log[index - 1] ?? '').at, kind, previous: null, body }),
  );

const appended = (log: Log, kind: string, body: object): string[] => inserted(log, log.length, kind, body);

/** A settlement of the newest sponsored decision, of which nothing is settled. */
const settled = (log: Log, settlement: string, actualCostWei: string | null, block: number | null): string[] => {
  const { id } = parsed(log[log.findLastIndex((text) => outcome('sponsored')(parsed(text)))] ?? '').body;
  return appended(log, 'settlement', { decision: id, settlement, actualCostWei, block });
};

const unfounded = ({ facts: _, policy: __, engine: ___, reservations: ____, ...body }: AnyEntry['body']): object =>
  body;

const attacks: readonly (readonly [name: string, fault: LogFaultCode, forge: (log: Log) => string[]])[] = [
  [
    'a denial turned round, without its facts',
    'NOT_REPLAYABLE',
    (log) => withBody(log, denied(log), (body) => ({ ...unfounded(body), outcome: 'sponsored' })),
  ],
  ['a denial without facts, called too long', 'NOT_REPLAYABLE', (log) => withBody(log, denied(log), unfounded)],
  [
    'a denial called a failure',
    'VERDICT_DIFFERS',
    (log) => withBody(log, denied(log), (body) => ({ ...body, outcome: 'error' })),
  ],
  [
    'a hold of less than nothing',
    'HOLD_INVALID',
    (log) => appended(log, 'hold', { hold: 99, account: `tank:31337:0xabc`, amount: '-1' }),
  ],
  [
    'a hold of what is no tank',
    'HOLD_INVALID',
    (log) => appended(log, 'hold', { hold: 99, account: 'limit:x:0:0:', amount: '1' }),
  ],
  ['a hold that ends and is none', 'HOLD_INVALID', (log) => appended(log, 'release', { holds: [99] })],
  ['a cost below nothing', 'SETTLEMENT_INVALID', (log) => settled(log, 'settled', '-1', 20)],
  ['a cost above the maximum', 'SETTLEMENT_INVALID', (log) => settled(log, 'settled', String(10n ** 60n - 1n), 20)],
  ['a settlement without a cost', 'SETTLEMENT_INVALID', (log) => settled(log, 'settled', null, 20)],
  ['a release with a cost', 'SETTLEMENT_INVALID', (log) => settled(log, 'released', '1', null)],
  [
    'a release after it was settled',
    'SETTLEMENT_INVALID',
    (log) => settled(settled(log, 'settled', '1', 20), 'released', null, null),
  ],
  [
    'the same settlement twice',
    'SETTLEMENT_INVALID',
    (log) => settled(settled(log, 'settled', '1', 20), 'settled', '1', 20),
  ],
  ['a breaker that begins anew', 'RESET_INVALID', (log) => appended(log, 'reset', { kind: 'breaker', id: '31337' })],
  [
    'a decision under an older policy',
    'POLICY_NOT_IN_FORCE',
    (log) => {
      const entry = log.findLastIndex((text) => parsed(text).kind === 'policy');
      return log.toSpliced(entry, 1);
    },
  ],
  [
    'a copy of a decision under another id',
    'LEDGER_DIFFERS',
    (log) => {
      const index = indexOf(log, outcome('sponsored'));
      return withBody(log.toSpliced(index, 0, log[index] ?? ''), index + 1, (body) => ({ ...body, id: 'copy' }));
    },
  ],
  [
    'a key that stands twice',
    'NOT_AN_ENTRY',
    (log) => {
      const index = denied(log);
      return log.with(index, (log[index] ?? '').replace('"outcome":', '"outcome":"sponsored","outcome":'));
    },
  ],
  [
    'a key that stands twice, once in other letters',
    'NOT_AN_ENTRY',
    (log) => {
      const index = denied(log);
      return log.with(index, (log[index] ?? '').replace('"outcome":', '"out\\u0063ome" : "sponsored","outcome":'));
    },
  ],
  ...(['dapp', 'mode', 'method'] as const).map(
    (field) =>
      [
        ...([`another ${field}`, 'VERDICT_DIFFERS'] as const),
        (log: Log) => withBody(log, denied(log), (body) => ({ ...body, [field]: 'another' })),
      ] as const,
  ),
  ...(
    [
      ['options', { changes: { userOperation: {}, options: { mode: 'ERC20' } } }],
      ['userOperation', { changes: { userOperation: { callData: '0x' }, options: {} } }],
      ['received', { received: ['another'] }],
    ] as const
  ).map(
    ([field, forged]) =>
      [
        ...([`${field} that do not follow`, 'VERDICT_DIFFERS'] as const),
        (log: Log) =>
          withBody(log, denied(log), (body) => ({ ...body, request: { ...(body['request'] as object), ...forged } })),
      ] as const,
  ),
  ...(
    [
      ['the calls', { calls: [] }],
      ['the operation beside its changes', { userOperation: {} }],
    ] as const
  ).map(
    ([what, forged]) =>
      [
        ...([`${what}, which no stored request has`, 'ODD_FIELD'] as const),
        (log: Log) =>
          withBody(log, denied(log), (body) => ({ ...body, request: { ...(body['request'] as object), ...forged } })),
      ] as const,
  ),
  ['a field more', 'ODD_FIELD', (log) => withBody(log, denied(log), (body) => ({ ...body, more: 1 }))],
  [
    'a version that was never started',
    'UNKNOWN_ENGINE',
    (log) => withBody(log, denied(log), (body) => ({ ...body, engine: '99.0.0' })),
  ],
];

test('what an owner wrote and signed is named', async () => {
  const log = await everyEntry(desk());
  const told = attacks.map(([name, , forge]) => [name, verify(forge(log)).faults.map(({ fault }) => fault)] as const);
  expect(told.map(([name, faults], index) => [name, faults.find((fault) => fault === attacks[index]?.[1])])).toEqual(
    attacks.map(([name, fault]) => [name, fault]),
  );
});

test('what was not decided again is counted, and the sentence says it', async () => {
  const report = verify(await everyEntry(fresh()));
  expect(report.checked).toEqual({
    decisions: 12,
    replayed: 9,
    notReplayed: { FAILED: 2, TRUNCATED: 1 },
    unsignedTail: 0,
    signatures: false,
    amounts: true,
    reservedTwice: 0,
  });
  expect(logWords(report)).toMatch(
    /^\d+ entries, complete, signed by gasdesk\/forged\. 9 of 12 verdicts follow; 3 were not decided again: 2 \(failed before they were decided\), 1 \(denials of requests that were too long to store whole\)\. Every amount of a decision that was decided again follows from the entries\. Signers were not checked\.$/,
  );
});

test('a desk asked twice in one second signs the same twice: it is counted, and can be mined once', async () => {
  const dapp = await desk().dapp();
  const log = await everyEntry(desk());
  const before = verify(log).checked.reservedTwice;
  const again = operation({ to: `0x${'ab'.repeat(20)}`, data: '0x' }, { nonce: '0x9999' });
  await dapp.sponsor(again);
  await dapp.sponsor(again);
  const twice = await everyEntry(desk());
  const report = verify(twice);
  expect([report.faults, report.checked.reservedTwice]).toEqual([[], before + 1]);
  const ids = twice
    .map(parsed)
    .filter(({ kind, body }) => kind === 'decision' && JSON.stringify(body).includes('"nonce":"0x9999"'))
    .map(({ body }) => body['id']);
  const mined = ids.map((decision) => ({ decision, settlement: 'settled', actualCostWei: '1', block: 20 }));
  const settledTwice = mined.reduce((entries, body) => appended(entries, 'settlement', body), twice);
  expect(verify(settledTwice).faults[0]).toMatchObject({ fault: 'SETTLEMENT_INVALID' });
});
