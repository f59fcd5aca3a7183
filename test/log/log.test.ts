import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { exportedLog } from '../../src/api/log-export.ts';
import type { Caller } from '../../src/api/index.ts';
import { leafHash } from '../../src/core/log/merkle-tree.ts';
import { parseVerifierKey } from '../../src/core/log/signed-note.ts';
import { entryProofError, readEntryProof } from '../../src/core/log/tlog-proof.ts';
import type { LogReport } from '../../src/core/log/log-report.ts';
import { sha256 } from '../../src/engine/base/sha256.ts';
import { logCrypto } from '../../src/engine/log/ed25519.ts';
import { verifyDesk, verifyLogFile } from '../../src/engine/log/verify-log.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { operation } from '../support/operations.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { createRehash } from './rehashed.ts';

const desk = useOfflineDesk();
const tempFolder = useTempFolders();
const call: Caller = (name, input) => desk().call(name, input);
const withSignatures = { withSignatures: true };

const op = (nonce: number) =>
  operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { nonce: `0x${nonce.toString(16)}` });

const exported = async (range = {}): Promise<string[]> => {
  let text = '';
  for await (const part of exportedLog(call, range)) text += part;
  return text.split('\n').slice(0, -1);
};

/** Verifies a log that someone may have written by hand, by the key that the desk hands out. */
const verified = async (lines: readonly (string | Buffer)[]): Promise<LogReport> => {
  const file = join(tempFolder(), 'log.jsonl');
  writeFileSync(file, Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')])));
  return verifyLogFile(file, { ...withSignatures, key: (await call('log.key', {})).key });
};

interface AnyEntry {
  readonly kind: string;
  readonly body: Record<string, unknown>;
}

const parsed = (line: string): AnyEntry => JSON.parse(line) as AnyEntry;

let dapp: SponsoredDapp;
/** A whole log: its head, its entries and its checkpoint. */
let log: readonly string[];
/** The line of the log that a test looks for, counted from its head: entry `index - 1`. */
const lineOf = (isMeant: (entry: AnyEntry) => boolean): number =>
  log.findIndex((line, index) => index > 0 && index < log.length - 1 && isMeant(parsed(line)));
const sponsoredLine = (): number => lineOf(({ kind, body }) => kind === 'decision' && body['outcome'] === 'sponsored');

beforeAll(async () => {
  dapp = await desk().dapp();
  await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 2 });
  for (let nonce = 0; nonce < 4; nonce += 1) await dapp.sponsor(op(nonce));
  await desk().restart();
  expect(codeOf(await dapp.sponsor(op(9)))).toBe('LIMIT_REACHED');
  log = await exported();
});

test('a log verifies as a whole, from a file and in the data folder, and says who signed it', async () => {
  const { origin } = await call('log.key', {});
  const entries = log.length - 2;
  const signed = { origin, size: entries, root: expect.any(String) as string };
  const checked = {
    decisions: 5,
    replayed: 5,
    notReplayed: {},
    unsignedTail: 0,
    signatures: true,
    amounts: true,
    reservedTwice: 0,
  };
  const found = { entries, byOtherEngine: 0, checkpoint: signed, since: null, checked, faults: [] };
  expect(await verified(log)).toEqual({ ok: true, ...found });
  expect(await verifyDesk(call, withSignatures)).toMatchObject({ ok: true, checkpoint: { origin } });
  expect(log.slice(1, -1).map((line) => parsed(line).kind)).toEqual(
    expect.arrayContaining(['start', 'action', 'policy', 'decision', 'stop']),
  );
});

test('every part of a log verifies alone', async () => {
  const size = log.length - 2;
  for (let from = 0; from <= size; from += 3) {
    for (let to = from; to <= size; to += 5) {
      const part = await exported({ from, to });
      expect(part.slice(1, -1)).toEqual(log.slice(from + 1, to + 1));
      expect(await verified(part)).toMatchObject({ ok: true, entries: to - from, faults: [] });
    }
  }
});

test('a part that lacks the roots of what stands before it is not taken for one', async () => {
  const [head = '', ...lines] = await exported({ from: 3 });
  const beheaded = JSON.stringify({ ...(JSON.parse(head) as object), before: [] });
  const { ok, faults } = await verified([beheaded, ...lines]);
  expect([ok, faults.map(({ fault }) => fault)]).toEqual([false, expect.arrayContaining(['HEAD_DIFFERS'])]);
});

describe('what was done to a file is named with its entry:', () => {
  const named = (entry: number | null, fault: string) => ({ ok: false, faults: [{ entry, fault }] });
  const firstFault = async (lines: readonly string[]) => {
    const { ok, faults } = await verified(lines);
    return { ok, faults: faults.slice(0, 1).map(({ entry, fault }) => ({ entry, fault })) };
  };

  test('a byte that is no UTF-8, which each reader would read in another way', async () => {
    const line = Buffer.from(log[2] ?? '');
    line[line.length - 4] = 0xff;
    const { ok, faults } = await verified([...log.slice(0, 2), line, ...log.slice(3)]);
    expect([ok, faults[0]]).toEqual([false, expect.objectContaining({ entry: 1, fault: 'NOT_AN_ENTRY' })]);
  });

  test('a byte changed in any entry', async () => {
    for (let line = 1; line < log.length - 1; line += 1) {
      const changed = log.with(line, (log[line] ?? '').replace(/"at":(\d)/, '"at":2'));
      // No entry follows the last one: only the checkpoint shows the change.
      const fault = line === log.length - 2 ? 'CHECKPOINT_DIFFERS' : 'ALTERED';
      expect(await firstFault(changed)).toEqual(named(line - 1, fault));
    }
  });

  test('an entry removed', async () => {
    for (let line = 1; line < log.length - 2; line += 1) {
      expect(await firstFault(log.toSpliced(line, 1))).toEqual(named(line - 1, 'WRONG_POSITION'));
    }
    expect(await firstFault(log.toSpliced(log.length - 2, 1))).toEqual(named(log.length - 3, 'INCOMPLETE'));
  });

  test('an entry doubled, inserted or moved', async () => {
    for (let line = 1; line < log.length - 1; line += 1) {
      expect(await firstFault(log.toSpliced(line, 0, log[line] ?? ''))).toEqual(named(line, 'WRONG_POSITION'));
    }
    expect(await firstFault(log.toSpliced(3, 0, log[1] ?? ''))).toEqual(named(2, 'WRONG_POSITION'));
    const swapped = log.with(4, log[5] ?? '').with(5, log[4] ?? '');
    expect(await firstFault(swapped)).toEqual(named(3, 'WRONG_POSITION'));
  });

  test('a line that is no entry', async () => {
    expect(await firstFault(log.with(4, '{"entry":3'))).toEqual(named(3, 'NOT_AN_ENTRY'));
    expect(await firstFault(log.with(4, '[]'))).toEqual(named(3, 'NOT_AN_ENTRY'));
  });

  test('a log cut off before its checkpoint', async () => {
    expect(await firstFault([...log.slice(0, 6), log.at(-1) ?? ''])).toEqual(named(5, 'INCOMPLETE'));
    expect(await firstFault(log.slice(0, 6))).toEqual(named(5, 'INCOMPLETE'));
  });

  test('a checkpoint of another log', async () => {
    const other = JSON.stringify({
      checkpoint:
        'example.com/foo\n3\nAAAA\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n',
    });
    expect(await firstFault(log.with(-1, other))).toEqual(named(null, 'CHECKPOINT_UNTRUSTED'));
    const { checkpoint } = JSON.parse(log.at(-1) ?? '') as { checkpoint: string };
    const later = JSON.stringify({ checkpoint: checkpoint.replace(/\n(\d+)\n/, '\n3\n') });
    expect(await firstFault(log.with(-1, later))).toEqual(named(null, 'CHECKPOINT_UNTRUSTED'));
  });
});

describe('what was forged with every hash after it made to fit is named all the same:', () => {
  const rehashed = (lines: readonly string[]): string[] => {
    const rehash = createRehash();
    return lines.map((line, index) => (index === 0 || index === lines.length - 1 ? line : rehash(line)));
  };
  const forged = async (line: number, change: (text: string) => string) => {
    const changed = change(log[line] ?? '');
    expect(changed).not.toBe(log[line]);
    return verified(rehashed(log.with(line, changed)));
  };
  const last = () => log.length - 3;

  test('a verdict', async () => {
    const line = lineOf(({ body }) => body['outcome'] === 'denied');
    const { faults } = await forged(line, (text) => text.replace('"code":"LIMIT_REACHED"', '"code":"PAUSED"'));
    expect(faults).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ entry: line - 1, fault: 'VERDICT_DIFFERS' }),
        expect.objectContaining({ entry: last(), fault: 'CHECKPOINT_DIFFERS' }),
      ]),
    );
  });

  test('except for what another version said in its own words, which is no fault of the entry', async () => {
    const line = lineOf(({ body }) => body['outcome'] === 'denied');
    const inOtherWords = (text: string) => text.replace(/"traceHash":"../, '"traceHash":"..');
    const ofOther = (text: string) => text.replace(/"engine":"[^"]+"/, '"engine":"0.0.1"');
    const action = lineOf(({ kind }) => kind === 'action');
    const start = { ...parsed(log[action] ?? ''), kind: 'start', body: { engine: '0.0.1' } };
    const otherEngine = async (before: readonly string[]) => {
      const { faults, byOtherEngine } = await verified(
        rehashed(before.with(line, ofOther(inOtherWords(log[line] ?? '')))),
      );
      return [byOtherEngine, ...faults.map(({ fault }) => fault)];
    };
    expect(await otherEngine(log.with(action, JSON.stringify(start)))).toEqual([1, 'CHECKPOINT_DIFFERS']);
    expect(await otherEngine(log)).toEqual([1, 'UNKNOWN_ENGINE', 'CHECKPOINT_DIFFERS']);
    expect((await forged(line, inOtherWords)).faults[0]).toMatchObject({ entry: line - 1, fault: 'VERDICT_DIFFERS' });
  });

  test('what an account held', async () => {
    const line = sponsoredLine();
    const { faults } = await forged(line, (text) => text.replace('"held":["0"', '"held":["1"'));
    expect(faults).toContainEqual(expect.objectContaining({ entry: line - 1, fault: 'LEDGER_DIFFERS' }));
  });

  test('a policy', async () => {
    const line = lineOf(({ kind, body }) => kind === 'policy' && JSON.stringify(body).includes('"threshold":"2"'));
    const { faults } = await forged(line, (text) => text.replace('"threshold":"2"', '"threshold":"3"'));
    expect(faults[0]).toMatchObject({ entry: line - 1, fault: 'POLICY_DIFFERS' });
  });

  test('a settlement of what was never sponsored', async () => {
    const line = lineOf(({ kind }) => kind === 'stop');
    const body = '{"decision":"none","settlement":"settled","actualCostWei":"1","block":1}';
    const { faults } = await forged(line, (text) =>
      text.replace('"kind":"stop"', '"kind":"settlement"').replace('"body":{}', `"body":${body}`),
    );
    expect(faults[0]).toMatchObject({ entry: line - 1, fault: 'UNKNOWN_DECISION' });
  });

  test('a settlement that gives back what was not released: the next decision held more', async () => {
    const line = lineOf(({ kind }) => kind === 'stop');
    const { id } = parsed(log[sponsoredLine()] ?? '').body;
    const body = `{"decision":"${String(id)}","settlement":"released","actualCostWei":null,"block":null}`;
    const { faults } = await forged(line, (text) =>
      text.replace('"kind":"stop"', '"kind":"settlement"').replace('"body":{}', `"body":${body}`),
    );
    expect(faults[0]).toMatchObject({ fault: 'LEDGER_DIFFERS' });
  });

  test('anything else: no value ends the verifying, and the checkpoint fits none', async () => {
    const hostile = ['null', '[]', '"x"', '1e999', '{}', '{"a":'.repeat(500) + '1' + '}'.repeat(500), '"\\ud800"'];
    const lines = [sponsoredLine(), lineOf(({ kind }) => kind === 'policy')];
    for (const line of lines) {
      const fields = Object.keys(parsed(log[line] ?? '').body);
      for (const [index, field] of fields.entries()) {
        const before = JSON.stringify(parsed(log[line] ?? '').body[field]);
        const value = hostile.filter((one) => one !== before)[index % (hostile.length - 1)] ?? '';
        const put = (text: string): string => {
          const entry = JSON.parse(text) as AnyEntry;
          return JSON.stringify({ ...entry, body: { ...entry.body, [field]: 'HERE' } }).replace('"HERE"', () => value);
        };
        const { entries, faults } = await forged(line, put);
        const last = faults.at(-1)?.fault;
        expect([field, value, entries, last]).toEqual([field, value, log.length - 2, 'CHECKPOINT_DIFFERS']);
      }
    }
  });

  test('a time', async () => {
    const { faults } = await forged(4, (text) => text.replace(/"at":\d+/, '"at":1'));
    expect(faults[0]).toMatchObject({ entry: 3, fault: 'TIME_RUNS_BACK' });
  });
});

describe('what was done to the data folder is named with its entry:', () => {
  const meddle = (sql: string): void => {
    const database = new Database(join(desk().dir, 'gasdesk.db'));
    database.pragma('foreign_keys = OFF');
    try {
      database.exec(sql);
    } finally {
      database.close();
    }
  };
  /** Changes the database behind the engine's back, and puts it back after the test. */
  const meddled = async (sql: string, back: string): Promise<LogReport> => {
    onTestFinished(() => meddle(back));
    meddle(sql);
    return verifyDesk(call, withSignatures);
  };

  test('a record', async () => {
    const entry = sponsoredLine() - 1;
    const { id } = parsed(log[entry + 1] ?? '').body;
    const swap = (from: string, to: string) =>
      `UPDATE decision SET record = replace(record, '${from}', '${to}') WHERE id = '${String(id)}'`;
    const { faults } = await meddled(
      swap('"code":"SPONSORED"', '"code":"SPONSORER"'),
      swap('"code":"SPONSORER"', '"code":"SPONSORED"'),
    );
    expect(faults).toMatchObject([
      { entry, id: null, fault: 'ALTERED' },
      { entry, id, fault: 'VERDICT_DIFFERS' },
      { entry, id: null, fault: 'ALTERED' },
      { fault: 'CHECKPOINT_DIFFERS' },
    ]);
  });

  test('an entry and the hash that is stored with it', async () => {
    const line = lineOf(({ kind }) => kind === 'action');
    const at = (ms: string) => `UPDATE log_entry SET at = at + ${ms} WHERE position = ${line - 1};`;
    const text = (log[line] ?? '').replace(/"at":(\d+)/, (_, ms: string) => `"at":${Number(ms) + 1}`);
    const hash = (entry: string) =>
      `UPDATE log_entry SET hash = x'${Buffer.from(leafHash(Buffer.from(entry), sha256)).toString('hex')}' WHERE position = ${line - 1};`;
    const { faults } = await meddled(at('1') + hash(text), at('-1') + hash(log[line] ?? ''));
    // The hash of the next entry covers that of this one.
    expect(faults).toContainEqual(expect.objectContaining({ entry: line, fault: 'ALTERED' }));
  });

  test('entries cut off', async () => {
    // Whatever ran before: the last entry is a decision.
    await dapp.sponsor(op(10));
    const cut = (await call('log.page', { from: 0 })).length - 1;
    await call('log.checkpoint', {});
    const { faults } = await meddled(
      `CREATE TABLE cut AS SELECT seq, hash FROM decision WHERE seq >= ${cut}; UPDATE decision SET hash = NULL WHERE seq >= ${cut}`,
      'UPDATE decision SET hash = cut.hash FROM cut WHERE cut.seq = decision.seq; DROP TABLE cut',
    );
    expect(faults.map(({ entry, fault }) => [entry, fault])).toEqual([
      [null, 'ROLLED_BACK'],
      [cut, 'INCOMPLETE'],
      [null, 'STORED_DIFFERS'],
    ]);
    // What was signed before is not signed again, with less in it.
    await expect(call('log.checkpoint', {})).rejects.toThrow('not those that were signed before');
    await expect(exported()).rejects.toThrow('not those that were signed before');
  });
});

test('a receipt proves its decision with nothing but the key, and no other', async () => {
  const { key } = await call('log.key', {});
  const verifier = parseVerifierKey(key, sha256);
  const [decision] = await dapp.decisions();
  const { receipt } = await call('log.receipt', { decisionId: decision?.id ?? '' });
  const proof = readEntryProof(receipt);
  if (proof === undefined || verifier === undefined) throw new Error('There is none');
  expect(parsed(proof.entry).body['id']).toBe(decision?.id);
  expect(entryProofError(proof, verifier, logCrypto)).toBeUndefined();
  const altered = { ...proof, entry: proof.entry.replace('denied', 'sponsored') };
  expect(entryProofError(altered, verifier, logCrypto)).toBe('The entry is not the one that the checkpoint covers');
  await expect(call('log.receipt', { decisionId: 'none' })).rejects.toThrow();
});

test('what the operator changes is an entry with who, how, before and after, and no secret', async () => {
  const before = (await call('log.page', { from: 0 })).length;
  await call('paymasters.rename', { paymasterId: dapp.paymasterId, name: 'Renamed' });
  const [renamed] = await call('log.list', { kind: 'action', limit: 1 });
  expect(renamed).toMatchObject({
    entry: before,
    body: {
      action: 'paymasters.rename',
      changes: [{ subject: 'dapp', id: dapp.paymasterId, after: { name: 'Renamed' } }],
    },
  });
  const whole = (await exported()).join('\n');
  expect(whole).not.toContain(dapp.apiKey);
});

test('the size, the signed part and the key of the log come in one answer', async () => {
  const { size } = await call('log.checkpoint', {});
  const { key } = await call('log.key', {});
  expect(await call('log.state', {})).toEqual({ entries: size, signed: size, key, rollback: null });
});
