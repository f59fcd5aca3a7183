import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { exportDecisions } from '../../src/cli/export-decisions.ts';
import type { ReplayReport } from '../../src/core/replay/replay-export.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';
import { draft, storeDecisions } from '../export/stored-decisions.ts';
import { openReview } from '../review/open-review.ts';
import { type CliResult, gasdesk, gasdeskProcess } from '../support/cli.ts';
import { RESERVED_WEI, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const desk = useOfflineDesk();

/** Has a chain of its own, whose burn-rate breaker is the only rule in which a test changes a constant. */
const BREAKER_CHAIN = 900_001;
const op = (nonce: number): Record<string, unknown> =>
  operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { nonce });

const fileOf = (decisions: readonly DecisionRecord[]): string => {
  const file = join(tempFolder(), 'decisions.jsonl');
  writeFileSync(file, decisions.map((decision) => `${JSON.stringify(decision)}\n`).join(''));
  return file;
};
const replayed = async (...args: string[]): Promise<CliResult & { report: ReplayReport }> => {
  const result = await gasdesk(['decisions', 'replay', '--json', ...args]);
  return { ...result, report: JSON.parse(result.stdout) as ReplayReport };
};
const sameOf = (decisions: number, notReplayable = {}): ReplayReport => ({
  decisions,
  byOtherEngine: 0,
  different: [],
  notReplayable,
  same: decisions - Object.values<number>(notReplayable).reduce((sum, count) => sum + count, 0),
});

let [game, quiet]: SponsoredDapp[] = [];
let exported: DecisionRecord[] = [];
let text = '';
const parsed = (lines: string): DecisionRecord[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as DecisionRecord);
beforeAll(async () => {
  game = await desk().dapp();
  await desk().limit(game, { thresholdType: 'COUNT', threshold: 2, type: 'SMART_ACCOUNT' });
  for (const nonce of [0, 1, 2]) await game.sponsor(op(nonce));
  await desk().clock.advance(60_000);
  await game.sponsor({ sender: 'nobody' });
  await desk().limit(game, { thresholdType: 'NATIVE_ASSET', threshold: 0.5 });
  await game.sponsor(op(3));
  // Half of it is this DApp's: exactly one operation.
  const breaker = { amountWei: String(2n * RESERVED_WEI), seconds: 3_600 };
  await desk().call('chains.set', { chainId: BREAKER_CHAIN, name: 'Quiet', breaker });
  quiet = await desk().dapp(BREAKER_CHAIN);
  await desk().dapp(BREAKER_CHAIN);
  await quiet.sponsor(op(0));
  text = (await gasdesk(['decisions', 'export', '--data', desk().dir])).stdout;
  exported = parsed(text);
});

describe('an export', () => {
  test('holds each policy revision once, with the first decision by it', () => {
    const carriers = exported.filter(({ policyRevision }) => policyRevision !== undefined);
    expect(exported.map(({ outcome, code }) => (outcome === 'error' ? outcome : code))).toEqual([
      'SPONSORED',
      'SPONSORED',
      'LIMIT_REACHED',
      'error',
      'LIMIT_REACHED',
      'SPONSORED',
    ]);
    expect(carriers.map((carrier) => exported.indexOf(carrier))).toEqual([0, 4, 5]);
    expect(new Set(carriers.map(({ policy }) => policy)).size).toBe(3);
  });

  test('that is narrowed holds the revisions of what is left', async () => {
    const from = String(exported[4]?.at);
    const { stdout } = await gasdesk(['decisions', 'export', '--data', desk().dir, '--from', from]);
    const file = join(tempFolder(), 'some.jsonl');
    writeFileSync(file, stdout);
    expect((await replayed(file)).report).toEqual(sameOf(3, { FAILED: 1 }));
  });

  test('is opened for review, and exported again as it was', async () => {
    const { service } = await openReview(fileOf(exported));
    const lines: string[] = [];
    const out = new Writable({ write: (chunk: Buffer, _, done) => done(void lines.push(chunk.toString())) });
    await exportDecisions((name, input) => service.call(name, input), {}, out);
    expect(parsed(lines.join(''))).toEqual(exported);
  });
});

describe('decisions replay', () => {
  test('decides the same again, while the service runs', async () => {
    const { code, report } = await replayed('--data', desk().dir);
    expect({ code, report }).toEqual({ code: 0, report: sameOf(6, { FAILED: 1 }) });
  });

  test('decides the same again, from a data folder without a running service', async () => {
    const dir = tempFolder();
    for (const name of ['gasdesk.db', 'gasdesk.db-wal']) {
      if (existsSync(join(desk().dir, name))) cpSync(join(desk().dir, name), join(dir, name));
    }
    const { code, report } = await replayed('--data', dir);
    expect({ code, report }).toEqual({ code: 0, report: sameOf(6, { FAILED: 1 }) });
  });

  test('decides the same again, from an export alone, whatever the order of its keys', async () => {
    const turned = JSON.parse(text.split('\n')[0] ?? '', (_key, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    ) as DecisionRecord;
    const { code, report } = await replayed(fileOf([turned, ...exported.slice(1)]));
    expect({ code, report }).toEqual({ code: 0, report: sameOf(6, { FAILED: 1 }) });
  });

  test('takes the decisions of a DApp and of a time', async () => {
    const file = fileOf(exported);
    const later = String(exported[4]?.at);
    expect((await replayed(file, '--dapp', quiet?.paymasterId ?? '')).report).toEqual(sameOf(1));
    expect((await replayed(file, '--from', later)).report).toEqual(sameOf(3, { FAILED: 1 }));
    expect((await replayed(file, '--to', later)).report).toEqual(sameOf(3));
    expect((await replayed('--data', desk().dir, '--to', later)).report).toEqual(sameOf(3));
  });

  test('takes the DApp by its name too, and refuses one that is not there', async () => {
    const file = fileOf(exported);
    const { dapp: name, paymasterId } = exported.at(-1)!;
    const named = exported.filter(({ dapp }) => dapp === name).length;
    for (const from of [[file], ['--data', desk().dir]]) {
      expect((await replayed(...from, '--dapp', name.toUpperCase())).report.decisions).toBe(named);
      expect((await replayed(...from, '--dapp', paymasterId.slice(0, 8))).report).toEqual(sameOf(1));
      const { code, stderr } = await gasdesk(['decisions', 'replay', ...from, '--dapp', 'Elsewhere']);
      expect(code).toBe(1);
      expect(stderr).toContain('DApp');
      expect(stderr).toContain('"Elsewhere"');
    }
  });

  test('says it in a sentence', async () => {
    const { stdout } = await gasdesk(['decisions', 'replay', fileOf(exported)]);
    expect(stdout).toBe(
      'Decisions: 6. Same: 5. Different: 0.\n' + 'Not replayable: 1 (failed before they were decided).\n',
    );
  });
});

const changed = (index: number, change: Partial<DecisionRecord>): DecisionRecord[] =>
  exported.map((decision, at) => (at === index ? { ...decision, ...change } : decision));
/** The digits of the signature in the data of version 1.1.0: three words at its end, of which 65 bytes are the signature. */
const SIGNATURE_START = -3 * 64;
/** The same with another first digit of its signature. */
const otherSignature = (paymasterAndData: string): string => {
  const [head, signature] = [paymasterAndData.slice(0, SIGNATURE_START), paymasterAndData.slice(SIGNATURE_START)];
  return `${head}${signature.startsWith('1') ? '2' : '1'}${signature.slice(1)}`;
};

describe('what is not what deciding again comes to is named, and the exit code is 1', () => {
  test.each<[string, (first: DecisionRecord) => Partial<DecisionRecord>, string[]]>([
    ['an outcome', () => ({ outcome: 'denied' as const }), ['outcome']],
    ['a step', ({ trace }) => ({ trace: trace.slice(1) }), ['trace[0].rule']],
    ['a reservation', ({ reservations = [] }) => ({ reservations: reservations.slice(1) }), ['reservations']],
    ['a fact', ({ facts }) => ({ facts: { ...(facts as object), expiryDuration: 1 } }), ['validUntil']],
    [
      'a policy',
      ({ policyRevision }) => ({ policyRevision: { ...(policyRevision as object), outstandingSharePercent: 99 } }),
      ['policy'],
    ],
    [
      'a fact that is no operation',
      ({ facts }) => ({ facts: { ...(facts as object), opChanges: { nonce: 'seven' } } }),
      ['decide'],
    ],
  ])('%s', async (_what, change, fields) => {
    const [first] = exported;
    const { code, report } = await replayed(fileOf(changed(0, change(first!))));
    expect(code).toBe(1);
    expect(report.different.map(({ field }) => field)).toEqual(expect.arrayContaining(fields));
    expect(report.different[0]).toEqual({
      id: first?.id,
      field: expect.any(String),
      stored: expect.anything(),
      replayed: expect.anything(),
    });
  });

  test('a signature, unless signatures are left out', async () => {
    const file = fileOf(changed(0, { paymasterAndData: otherSignature(exported[0]!.paymasterAndData) }));
    const { code, report } = await replayed(file);
    expect(code).toBe(1);
    expect(report.different.map(({ field }) => field)).toContain('signer');
    const { report: without } = await replayed(file, '--no-signatures');
    expect(without.different.map(({ field }) => field)).not.toContain('signer');
  });

  test('but for what another version said in its own words', async () => {
    const told = { message: 'In other words.', hint: 'Do something else.' };
    const trace = exported[2]!.trace.map((step) => ({ ...step, evidence: { more: 'than there was' } }));
    const { code, report } = await replayed(fileOf(changed(2, { ...told, trace, engine: '0.0.1' })));
    expect({ code, report }).toEqual({ code: 0, report: { ...sameOf(6, { FAILED: 1 }), byOtherEngine: 1 } });
    const { stdout } = await gasdesk(['decisions', 'replay', fileOf(changed(2, { ...told, engine: '0.0.1' }))]);
    expect(stdout).toContain(
      'Decided by another version: 1 (messages, hints, evidence and names of calls not compared).',
    );
    expect((await replayed(fileOf(changed(2, { code: 'SPONSORED', engine: '0.0.1' })))).code).toBe(1);
  });

  test('to people, in a short table', async () => {
    const { code, stdout } = await gasdesk(['decisions', 'replay', fileOf(changed(0, { code: 'FREE'.repeat(50) }))]);
    expect(code).toBe(1);
    expect(stdout).toContain('Same: 4. Different: 1.');
    expect(stdout).toMatch(new RegExp(`${exported[0]?.id} +code +(FREE)+F?R?E?… +SPONSORED\n$`));
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThan(200);
  });
});

describe('what cannot be decided again says why, and is no difference', () => {
  test.each<[string, () => DecisionRecord[], Record<string, number>]>([
    ['an export of before there were facts', () => [{ ...draft(2), seq: 2 }], { WITHOUT_FACTS: 1 }],
    ['an export without the policy', () => exported.slice(1, 3), { WITHOUT_POLICY: 2 }],
    ['facts of another form', () => changed(0, { facts: { v: 2 } }).slice(0, 1), { UNKNOWN_FORM: 1 }],
    ['a policy of another form', () => changed(0, { policyRevision: { v: 2 } }).slice(0, 2), { UNKNOWN_FORM: 2 }],
  ])('%s', async (_what, decisions, reasons) => {
    const lines = decisions();
    const { code, report } = await replayed(fileOf(lines));
    expect({ code, report }).toEqual({ code: 0, report: sameOf(lines.length, reasons) });
  });

  test('a data folder older than facts', async () => {
    const dir = tempFolder();
    await storeDecisions(openDataFolder(dir), 100);
    const { code, report } = await replayed('--data', dir);
    expect({ code, report }).toEqual({ code: 0, report: sameOf(100, { WITHOUT_FACTS: 99, FAILED: 1 }) });
  });
});

test('a file that cannot be read is said, and nothing else', async () => {
  const file = join(tempFolder(), 'nothing.jsonl');
  const { code, stdout, stderr } = await gasdesk(['decisions', 'replay', file]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`Cannot read ${file}: ENOENT`);
});

test('one constant changed in a rule: replay names the decisions that it changes, and no others', async () => {
  const root = resolve(import.meta.dirname, '../..');
  const other = tempFolder();
  for (const part of ['api', 'cli', 'core', 'demo', 'engine', 'shared']) {
    cpSync(join(root, 'src', part), join(other, 'src', part), { recursive: true });
  }
  cpSync(join(root, 'package.json'), join(other, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(other, 'node_modules'));
  const rule = join(other, 'src/core/rules/burn-rate/burn-rate.ts');
  const source = readFileSync(rule, 'utf8');
  const patched = source.replace('const DAPP_PART = 2n;', 'const DAPP_PART = 4n;');
  expect(patched).not.toBe(source);
  writeFileSync(rule, patched);
  const file = fileOf(exported);
  const { code, stdout } = await gasdeskProcess(
    ['decisions', 'replay', file, '--json'],
    {},
    join(other, 'src/cli/index.ts'),
  );
  const { same, different } = JSON.parse(stdout) as ReplayReport;
  expect({ code, same, ids: new Set(different.map(({ id }) => id)) }).toEqual({
    code: 1,
    same: 4,
    ids: new Set([exported[5]?.id]),
  });
  expect(different).toContainEqual({ id: exported[5]?.id, field: 'outcome', stored: 'sponsored', replayed: 'denied' });
  expect((await replayed(file)).code).toBe(0);
});
