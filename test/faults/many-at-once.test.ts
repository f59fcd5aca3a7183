import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { deskClient } from '../../src/demo/desk-client.ts';
import { gasdesk, useServe } from '../support/cli.ts';
import { CHAIN, SIGNING_ENV, signableOperation, signingFolder } from '../support/signing-folder.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();

const ROUNDS = 3;
const AT_ONCE = 300;
const NO_RATE_LIMITS = {
  GASDESK_RATE_LIMIT_PER_IP: '0',
  GASDESK_RATE_LIMIT_PER_KEY: '0',
  GASDESK_RATE_LIMIT_PER_SENDER: '0',
};

it('hundreds of requests at once get each its own signature, by the signer, and are stored with it', async () => {
  const dir = tempFolder();
  const apiKey = await signingFolder(dir, ROUNDS * AT_ONCE);
  const desk = await serve(['--data', dir], { ...SIGNING_ENV, ...NO_RATE_LIMITS });
  const client = deskClient(desk.url);
  const answered: string[] = [];
  // The thread that helps signing starts in the first round.
  for (let round = 0; round < ROUNDS; round += 1) {
    const replies = Array.from({ length: AT_ONCE }, (_, index) =>
      client.sponsor(CHAIN, apiKey, [signableOperation(round * AT_ONCE + index), { mode: 'SPONSORED' }]),
    );
    for (const { result } of await Promise.all(replies)) {
      answered.push((result as { paymasterAndData: string }).paymasterAndData);
    }
  }
  desk.signal('SIGTERM');
  expect((await desk.ended).code).toBe(0);

  const { code, stdout } = await gasdesk(['log', 'verify', '--json', '--data', dir], SIGNING_ENV);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, faults: [], checked: { signatures: true } }]);
  const database = new Database(join(dir, 'gasdesk.db'), { readonly: true });
  try {
    const stored = database
      .prepare(`SELECT record ->> 'paymasterAndData' FROM decision WHERE outcome = 'sponsored'`)
      .pluck()
      .all();
    expect(new Set(answered).size).toBe(ROUNDS * AT_ONCE);
    expect(stored.sort()).toEqual(answered.sort());
    expect(database.prepare('SELECT held FROM limit_row').pluck().all()).toEqual([String(ROUNDS * AT_ONCE)]);
  } finally {
    database.close();
  }
});
