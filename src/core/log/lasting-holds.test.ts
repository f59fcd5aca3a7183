import { describe, expect, test } from 'vitest';
import { logCrypto } from '../../engine/log/ed25519.ts';
import { type EntryBody, type EntryKind, entryText } from './entry.ts';
import { LedgerCheck } from './ledger-check.ts';
import { leafHash } from './merkle-tree.ts';
import { LogVerifier } from './verify.ts';

const NOBODY = { name: 'nobody', publicKey: new Uint8Array(32) };
const TANK = { kind: 'tank', id: '1:0xabc' } as const;
const ACCOUNT = 'tank:1:0xabc';

/** Entries that follow each other. */
const linesOf = (entries: readonly (readonly [EntryKind, unknown])[]): string[] => {
  let previous: string | null = null;
  return entries.map(([kind, body], entry) => {
    const text = entryText({ entry, at: entry, kind, previous }, JSON.stringify(body));
    previous = Buffer.from(leafHash(Buffer.from(text), logCrypto.sha256)).toString('hex');
    return text;
  });
};

const faultsOf = (lines: readonly string[], from = 0) => {
  const before = from === 0 ? [] : [leafHash(Buffer.from(lines[0] ?? ''), logCrypto.sha256)];
  const verifier = new LogVerifier({
    key: NOBODY,
    crypto: logCrypto,
    engine: '1.0.0',
    withSignatures: false,
    from,
    before,
  });
  for (const text of lines.slice(from)) verifier.add({ text, bytes: Buffer.from(text) });
  return verifier.report().faults.map(({ entry, fault, detail }) => [entry, fault, detail]);
};

const start = (holds?: readonly number[]): readonly [EntryKind, unknown] => [
  'start',
  { engine: '1.0.0', ...(holds !== undefined && { holds }) },
];
const hold = (number: number): readonly [EntryKind, EntryBody<'hold'>] => [
  'hold',
  { hold: number, account: ACCOUNT, amount: '5' },
];

describe('when another engine starts', () => {
  const held = (check: LedgerCheck): string | undefined =>
    check.compare([{ account: TANK, kind: 'tank', amount: 1n }], ['-1'])[0]?.computed;

  test('the holds that it names continue, and the others end', () => {
    const check = new LedgerCheck();
    for (const number of [1, 2, 3]) check.hold({ hold: number, account: ACCOUNT, amount: String(10 ** number) });
    expect(check.releaseAllBut([1, 3])).toEqual([]);
    expect(held(check)).toBe('1010');
  });

  test('without any it ends all of them', () => {
    const check = new LedgerCheck();
    check.hold({ hold: 1, account: ACCOUNT, amount: '5' });
    expect(check.releaseAllBut()).toEqual([]);
    expect(held(check)).toBe('0');
  });

  test('a log with lasting holds verifies', () => {
    expect(faultsOf(linesOf([start(), hold(1), hold(2), start([1]), start([1]), ['release', { holds: [1] }]]))).toEqual(
      [],
    );
  });

  test.each([
    ['never began', [start(), hold(1), start([1, 7])], 7],
    ['was released', [start(), hold(1), ['release', { holds: [1] }], start([1])], 1],
    ['an earlier start ended', [start(), hold(1), start(), start([1])], 1],
    ['is named twice', [start(), hold(1), start([1, 1])], 1],
  ] satisfies [string, (readonly [EntryKind, unknown])[], number][])(
    'a hold that %s cannot continue',
    (_, entries, number) => {
      expect(faultsOf(linesOf(entries))).toEqual([
        [entries.length - 1, 'MISPLACED', expect.stringContaining(`Hold ${number} `)],
      ]);
    },
  );

  test('in a part of a log it may have begun before', () => {
    expect(faultsOf(linesOf([hold(1), start([1])]), 1)).toEqual([]);
  });

  test.each([[[]], [['1']], [[1.5]], [7]])('%j are no holds', (holds) => {
    expect(faultsOf(linesOf([start(holds as number[])]))).toEqual([[0, 'NOT_AN_ENTRY', expect.any(String)]]);
  });
});
