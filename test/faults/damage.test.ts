import { closeSync, cpSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { deskClient } from '../../src/demo/desk-client.ts';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { createEngine } from '../../src/engine/index.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { EngineError } from '../../src/shared/errors.ts';
import { gasdesk } from '../support/cli.ts';
import { CHAIN, SIGNING_ENV, signableOperation, signingFolder } from '../support/signing-folder.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const PAGE = 4096;

const open = (dir: string) =>
  createEngine({
    folder: openDataFolder(dir),
    config: loadConfig({ flags: { port: 0 } }),
    log: createLog({ level: 'silent' }),
    passphrase: new Secret(SIGNING_ENV.GASDESK_PASSPHRASE),
    scrypt: { N: 2, r: 1, p: 1 },
  });

let sound: string;
let apiKey: string;
beforeAll(async () => {
  sound = tempFolder();
  apiKey = await signingFolder(sound, 1_000);
  const engine = await open(sound);
  const client = deskClient(await engine.serve());
  for (let nonce = 0; nonce < 60; nonce += 1) {
    await client.sponsor(CHAIN, apiKey, [signableOperation(nonce), { mode: 'SPONSORED' }]);
  }
  await engine.stop();
});

/** A copy of the folder, one page of whose database is zeroed: so far into the file. */
const damaged = (part: number): string => {
  const dir = tempFolder();
  cpSync(sound, dir, { recursive: true });
  const file = join(dir, 'gasdesk.db');
  const pages = readFileSync(file).length / PAGE;
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(PAGE), 0, PAGE, Math.floor(pages * part) * PAGE);
  closeSync(descriptor);
  return dir;
};

const MEND = 'restore the newest backup: "gasdesk restore FILE"';

/** All that goes wrong when the desk is asked for this and that. */
const faultsOf = async (dir: string): Promise<EngineError[]> => {
  const faults: EngineError[] = [];
  const keep = (error: unknown): void => {
    expect(error).toBeInstanceOf(EngineError);
    faults.push(error as EngineError);
  };
  const engine = await open(dir).catch(keep);
  if (!engine) return faults;
  try {
    const url = await engine.serve();
    const client = deskClient(url);
    for (let nonce = 60; nonce < 63; nonce += 1) {
      const { status, error } = await client.sponsor(CHAIN, apiKey, [signableOperation(nonce), { mode: 'SPONSORED' }]);
      if (error !== undefined)
        expect([status, error.code, error.message]).toEqual([503, -32053, expect.stringContaining(MEND)]);
    }
    const { service } = engine;
    await service.call('paymasters.list', {}).catch(keep);
    await service.call('decisions.page', { limit: 100 }).catch(keep);
    await service.call('log.page', { from: 0 }).catch(keep);
    // It says what it finds, and does not fail.
    const { ok, checks } = await service.call('system.doctor', {});
    const ready = await fetch(`${url}/readyz`);
    if (faults.length > 0) {
      expect([ok, ready.status]).toEqual([false, 503]);
      expect(checks.find(({ name }) => name === 'database')).toMatchObject({ ok: false });
      expect(checks.length).toBeGreaterThan(7);
    }
  } catch (error) {
    keep(error);
  } finally {
    await engine.stop().catch(keep);
    // What is in it cannot be decided again, as the rest of the tests' decisions are.
    rmSync(join(dir, 'gasdesk.db'));
  }
  return faults;
};

describe('a database with a page of zeros', () => {
  test('anywhere in the file: it is reported, with what to do', async () => {
    const found = new Set<string>();
    for (const part of [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]) {
      for (const { code, message } of await faultsOf(damaged(part))) {
        expect(['STORAGE_FAILED', 'DATA_FOLDER_UNUSABLE'], String(part)).toContain(code);
        expect(message).toContain(MEND);
        found.add(code);
      }
    }
    expect(found).toContain('STORAGE_FAILED');
  });

  test('"doctor" of a stopped desk that cannot be opened says so as a finding', async () => {
    const { code, stdout, stderr } = await gasdesk(['doctor', '--data', damaged(0), '--json'], SIGNING_ENV);
    expect([code, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      checks: [
        {
          name: 'start',
          ok: false,
          detail: expect.stringContaining(MEND) as string,
          fix: expect.any(String) as string,
        },
      ],
    });
  });
});
