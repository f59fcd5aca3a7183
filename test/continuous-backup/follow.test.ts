import { cpSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { controlClient } from '../../src/engine/control/client.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import type { LogLine } from '../../src/engine/store/log-store.ts';
import { gasdesk, useServe } from '../support/cli.ts';
import { SIGNING_ENV, signingFolder } from '../support/signing-folder.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { copiedUpTo, entriesIn, LOADED_ENV, restoreInto, startLoad } from './followed-desk.ts';

const tempFolder = useTempFolders();
const serve = useServe();

const PHASES = 6;
const OPERATIONS = 400;

/** A desk that was killed under load, while its copy followed. */
let dir: string;
let target: string;
let original: LogLine[];
/** Times of states that the copy contains, and the number of operations that were answered before. */
const moments: { readonly at: number; readonly answered: number }[] = [];

beforeAll(async () => {
  dir = tempFolder();
  target = tempFolder();
  const apiKey = await signingFolder(dir, 1_000_000);
  const desk = await serve(['--data', dir], LOADED_ENV);
  const followed = await gasdesk(['backup', '--follow', target, '--data', dir, '--json'], SIGNING_ENV);
  expect(followed).toMatchObject({ code: 0 });
  const call = controlClient(openDataFolder(dir).controlSocket);
  const load = startLoad(desk.url, apiKey);
  for (let phase = 1; phase <= PHASES; phase += 1) {
    await vi.waitFor(() => expect(load.sponsored()).toBeGreaterThan(phase * OPERATIONS), { timeout: PATIENCE_MS });
    const [answered, now] = [load.sponsored(), Date.now()];
    moments.push({ at: await copiedUpTo(call, now), answered });
  }
  desk.signal('SIGKILL');
  await desk.ended;
  await load.stop();
  original = await entriesIn(dir);
});

describe('a desk that was killed under load', () => {
  test.each([...Array(PHASES).keys()])('comes back as it was at moment %i', async (moment) => {
    const { at, answered } = moments[moment]!;
    const fresh = join(tempFolder(), 'fresh');
    const { manifest } = await restoreInto(target, fresh, at);
    expect(manifest.madeAt).toBeLessThanOrEqual(at);
    const entries = await entriesIn(fresh);
    expect(entries).toEqual(original.slice(0, entries.length));
    expect(entries.length).toBeGreaterThan(answered);
    expect(entries.at(-1)!.at).toBeLessThanOrEqual(at);
    const next = original[entries.length];
    // States are copied once a second, so a later one is missing only for about as long.
    expect(next!.at).toBeGreaterThan(at - 2_500);
  });

  test('has a log that verifies after the restore, under another name', async () => {
    const fresh = join(tempFolder(), 'fresh');
    const key = async (folder: string) => (await gasdesk(['log', 'key', '--data', folder], SIGNING_ENV)).stdout;
    expect((await gasdesk(['restore', target, '--data', fresh], SIGNING_ENV)).code).toBe(0);
    // Signs a checkpoint under the new name.
    expect((await gasdesk(['log', 'export', '--data', fresh], SIGNING_ENV)).code).toBe(0);
    const { stdout, code } = await gasdesk(['log', 'verify', '--data', fresh, '--json'], SIGNING_ENV);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, faults: [] });
    expect(code).toBe(0);
    expect(await key(fresh)).not.toBe(await key(dir));
  });

  test('is not behind by more than the last seconds', async () => {
    const fresh = join(tempFolder(), 'fresh');
    await restoreInto(target, fresh);
    const entries = await entriesIn(fresh);
    expect(entries).toEqual(original.slice(0, entries.length));
    expect(original.at(-1)!.at - entries.at(-1)!.at).toBeLessThan(10_000);
  });

  test('cannot be restored to a time before the copy began', async () => {
    await expect(restoreInto(target, join(tempFolder(), 'fresh'), moments[0]!.at - 86_400_000)).rejects.toMatchObject({
      code: 'BACKUP_UNREADABLE',
    });
  });

  test('keeps its log’s name only if the copy contains the newest checkpoint that it has handed out', async () => {
    const before = join(tempFolder(), 'log.jsonl');
    const { at } = moments[1]!;
    const early = join(tempFolder(), 'early');
    await restoreInto(target, early, at);
    // The checkpoint of the whole log is later than what is restored here.
    expect((await gasdesk(['log', 'export', '--out', before, '--data', dir], SIGNING_ENV)).code).toBe(0);
    await expect(restoreInto(target, join(tempFolder(), 'fresh'), at, before)).rejects.toMatchObject({
      code: 'LOG_ROLLED_BACK',
    });
  });
});

describe('an altered copy', () => {
  const copies = (): string => {
    const copy = tempFolder();
    cpSync(target, copy, { recursive: true });
    return copy;
  };
  const segmentsOf = (copy: string): string[] => {
    const [run] = readdirSync(copy).filter((name) => name !== 'gasdesk-copy.json');
    const folder = join(copy, run!, 'changes');
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name));
  };
  const refused = async (copy: string, words: string): Promise<void> => {
    const fresh = join(tempFolder(), 'fresh');
    await expect(restoreInto(copy, fresh)).rejects.toMatchObject({
      code: 'BACKUP_UNREADABLE',
      message: expect.stringContaining(words) as string,
    });
    expect(() => readdirSync(fresh)).toThrow();
  };

  test('is refused if a byte of it differs', async () => {
    const copy = copies();
    const file = segmentsOf(copy).at(-2)!;
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(file, bytes);
    await refused(copy, 'was altered');
  });

  test('is refused if a segment is cut short', async () => {
    const copy = copies();
    const file = segmentsOf(copy).at(-2)!;
    writeFileSync(file, readFileSync(file).subarray(0, -20));
    await refused(copy, 'was altered');
  });

  test('is refused if a segment is missing', async () => {
    const copy = copies();
    rmSync(segmentsOf(copy).at(-2)!);
    await refused(copy, 'a segment is missing');
  });

  test('is refused if two segments have changed places', async () => {
    const copy = copies();
    const [one, other] = segmentsOf(copy).slice(-3);
    renameSync(one!, `${one!}.x`);
    renameSync(other!, one!);
    renameSync(`${one!}.x`, other!);
    await refused(copy, 'was altered');
  });

  test('is refused with another passphrase', async () => {
    const { stderr, code } = await gasdesk(['restore', target, '--data', join(tempFolder(), 'fresh')], {
      GASDESK_PASSPHRASE: 'another passphrase',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/Wrong passphrase/);
  });

  test('shows nothing of its contents', () => {
    const all = Buffer.concat(segmentsOf(target).map((file) => readFileSync(file)));
    // Encrypted bytes hold any short word by chance, so only long ones are sought.
    for (const word of ['sponsored', 'paymaster', 'SQLite', '"callData"']) expect(all.includes(word), word).toBe(false);
  });
});
