import Database from 'better-sqlite3';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type DataFolder, openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { gasdesk } from '../support/cli.ts';
import { playsAll, sized } from '../support/combinations.ts';
import { operation } from '../support/operations.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { DAPPS, START, draft, sender, storeDecisions } from './stored-decisions.ts';

const cli = resolve(import.meta.dirname, '../../src/cli/index.ts');
const tempFolder = useTempFolders();

/**
 * Makes a process tell how much memory it has had at most, in KiB, as the last thing on stderr. Linux counts into
 * `resourceUsage().maxRSS` what the parent had when it started the process; `VmHWM` is the process's own.
 */
const TELL_MEMORY = `data:text/javascript,import { existsSync, readFileSync } from 'node:fs';
  process.on('exit', () => {
    const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
    const own = /VmHWM:[ \\t]*([0-9]+)/.exec(status)?.[1];
    process.stderr.write('maxRSS ' + (own ?? process.resourceUsage().maxRSS));
  });`;

/** V8 lets its heap grow before it collects, by as much as there is to collect; held down, what is kept shows. */
const SMALL_HEAP = ['--max-old-space-size=48', '--max-semi-space-size=2'];

const exportCommand = (folder: DataFolder, ...args: string[]): ChildProcess & { stdout: NodeJS.ReadableStream } => {
  const command = ['--import', TELL_MEMORY, ...SMALL_HEAP, cli, 'decisions', 'export', ...args, '--data', folder.dir];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

/** Runs `decisions export` to its end and reads its output line by line, keeping none of it. */
const exported = async (folder: DataFolder, ...filters: string[]) => {
  const child = exportCommand(folder, ...filters);
  const stderr = text(child.stderr as NodeJS.ReadableStream);
  const exit = once(child, 'exit') as Promise<[number]>;
  const seqs: number[] = [];
  const keys = new Set<string>();
  for await (const line of createInterface({ input: child.stdout })) {
    const decision = JSON.parse(line) as { seq: number };
    seqs.push(decision.seq);
    keys.add(Object.keys(decision).join());
  }
  const [code] = await exit;
  const maxRssMiB = Number(/maxRSS (\d+)$/.exec(await stderr)?.[1]) / 1024;
  return { code, seqs, keys: [...keys], maxRssMiB, stderr: (await stderr).replace(/maxRSS \d+$/, '') };
};

/** Runs `decisions export` in this process, whose memory use proves nothing. */
const exportedHere = async (folder: DataFolder, ...filters: string[]) => {
  const { code, stdout, stderr } = await gasdesk(['decisions', 'export', ...filters, '--data', folder.dir]);
  const decisions = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { seq: number });
  const keys = new Set(decisions.map((decision) => Object.keys(decision).join()));
  return { code, seqs: decisions.map(({ seq }) => seq), keys: [...keys], stderr };
};

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The `seq` of decision `n` of a stored folder: its place in the log, which begins with the start of the engine. */
const seqOf = (n: number): number => n + 1;

/** The `seq` of every decision in a database, in order. */
const seqsIn = ({ database }: DataFolder): number[] => {
  const opened = new Database(database, { readonly: true });
  try {
    return opened.prepare<[], number>('SELECT seq FROM decision ORDER BY seq').pluck().all();
  } finally {
    opened.close();
  }
};

let few: DataFolder;
beforeAll(async () => {
  few = openDataFolder(tempFolder());
  await storeDecisions(few, 2_000);
});

describe('decisions export', () => {
  test('writes all decisions in order', async () => {
    const { code, seqs } = await exported(few);
    expect([code, seqs]).toEqual([0, range(1, 2_000).map(seqOf)]);
  });

  test.runIf(playsAll)('takes the memory for 20,000 decisions that 2,000 take', async () => {
    const many = openDataFolder(tempFolder());
    await storeDecisions(many, 20_000);
    const small = await exported(few);
    const large = await exported(many);
    expect([small.code, large.code]).toEqual([0, 0]);
    expect(large.seqs).toEqual(range(1, 20_000).map(seqOf));
    // 16 MiB of it is SQLite's page cache. The 18,000 more, kept in memory, would be 72 MiB of text alone.
    expect(large.maxRssMiB - small.maxRssMiB).toBeLessThan(35);
  });

  test('writes the fields that are promised, in that order', async () => {
    const { keys } = await exportedHere(few, '--to', String(START + 10_000));
    expect(keys).toEqual([
      'id,seq,at,method,mode,chainId,entryPoint,paymasterId,dapp,sender,nonce,userOpHash,outcome,code,rule,message,' +
        'hint,paymasterAndData,validAfter,validUntil,maxCostWei,actualCostWei,settlement,request,trace',
    ]);
  });

  test('writes a table where asked, as much of it as the lines hold', async () => {
    const args = ['--format', 'csv', '--outcome', 'denied', '--data', few.dir];
    const { stdout } = await gasdesk(['decisions', 'export', ...args]);
    const [head = '', ...rows] = stdout.trimEnd().split('\r\n');
    expect(head).toMatch(/^seq,time,dapp,chainId,outcome,code,/);
    expect(rows.map((row) => Number(row.split(',')[0]))).toEqual(
      range(1, 2_000)
        .filter((n) => n % 3 === 0)
        .map(seqOf),
    );
  });

  test('is complete and in order while the engine adds decisions', async () => {
    const busy = openDataFolder(tempFolder());
    const stored = sized(20_000, 2_000);
    await storeDecisions(busy, stored);
    const engine = await startEngine({ dir: busy.dir });
    onTestFinished(() => engine.stop());
    let done = false;
    const adding = addUntil(engine, () => done);
    const { code, seqs, maxRssMiB } = await exported(busy);
    done = true;
    const added = await adding;

    expect(code).toBe(0);
    expect(added).toBeGreaterThan(0);
    expect(seqs.length).toBeGreaterThanOrEqual(stored);
    expect(seqs).toEqual(seqsIn(busy).slice(0, seqs.length));
    expect(maxRssMiB).toBeLessThan(200);
  });

  test.each<[string, string[], (n: number) => boolean]>([
    ['DApp', ['--dapp', 'dapp-1'], (n) => n % 3 === 1],
    ['sender, in any letter case', ['--sender', sender(3)], (n) => n % 7 === 3],
    ['outcome', ['--outcome', 'denied'], (n) => n % 3 === 0],
    ['rule', ['--rule', 'spendingLimit'], (n) => n % 3 === 0 && n % 2 === 1],
    ['time, ISO 8601', ['--from', '2026-01-01T00:10:00Z', '--to', '2026-01-01T00:20:00Z'], (n) => n >= 600 && n < 1200],
    ['time, epoch ms', ['--from', String(START + 1_990_000)], (n) => n >= 1990],
    [
      'all at once',
      ['--dapp', DAPPS[0], '--outcome', 'denied', '--sender', sender(0), '--rule', 'contracts'],
      (n) => n % 42 === 0,
    ],
    ['what nothing matches', ['--sender', `0x${'de'.repeat(20)}`], () => false],
  ])('filters by %s, as the list does', async (_, filters, matches) => {
    const expected = range(1, 2_000).filter(matches).map(seqOf);
    expect((await exportedHere(few, ...filters)).seqs).toEqual(expected);

    const args = ['--json', '--limit', '1000', ...filters, '--data', few.dir];
    const { stdout } = await gasdesk(['decisions', 'list', ...args]);
    const listed = JSON.parse(stdout) as { seq: number }[];
    expect(listed.map(({ seq }) => seq)).toEqual(expected.reverse().slice(0, 1000));
  });

  test.each([
    ['--from', 'yesterday'],
    ['--to', '2026-13-01'],
    ['--sender', '0x12'],
    ['--outcome', 'maybe'],
    ['--format', 'xlsx'],
    ['--since', '0'],
  ])('says that %s %s is bad usage', async (flag, value) => {
    const { code, stderr, seqs } = await exportedHere(few, flag, value);
    expect([code, seqs]).toEqual([2, []]);
    expect(stderr).toContain(flag.slice(2));
  });

  test('ends quietly when its reader has enough, and lets the folder go', async () => {
    const child = exportCommand(few);
    const stderr = text(child.stderr as NodeJS.ReadableStream);
    const exit = once(child, 'exit');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await exit).toEqual([0, null]);
    expect((await stderr).replace(/maxRSS \d+$/, '')).toBe('');
    expect((await exportedHere(few, '--to', String(START + 3_000))).seqs).toEqual([1, 2].map(seqOf));
  });

  test('agrees with what is shown of a single decision', async () => {
    const { stdout } = await gasdesk(['decisions', 'show', 'decision-7', '--json', '--data', few.dir]);
    expect(JSON.parse(stdout)).toEqual({ ...draft(7), seq: seqOf(7) });
  });
});

/** Has an engine make decisions, one after the other, and answers how many. */
const addUntil = async (engine: ServingEngine, isDone: () => boolean): Promise<number> => {
  const dapp = await engine.dapp({});
  const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });
  let added = 0;
  for (; !isDone(); added += 1) await dapp.sponsor(op);
  return added;
};
