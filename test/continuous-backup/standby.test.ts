import { kill } from 'node:process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type DeskClient, deskClient } from '../../src/demo/desk-client.ts';
import { type ServingCli, useServe } from '../support/cli.ts';
import { CHAIN, SIGNING_ENV, signableOperation, signingFolder } from '../support/signing-folder.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();

/** What the DApp may have signed in a year. */
const LIMIT = 300;
/** What is signed before the desk ends. */
const BEFORE = 40;

let nonce = 0;

type Answer = 'signed' | 'denied' | 'refused';

const sponsor = async (client: DeskClient, apiKey: string): Promise<Answer> => {
  const operation = [signableOperation((nonce += 1)), { mode: 'SPONSORED' }];
  const reply = await client.sponsor(CHAIN, apiKey, operation).catch(() => undefined);
  const result = reply?.result as { paymasterAndData: string } | undefined;
  if (result === undefined) return 'refused';
  return result.paymasterAndData === '0x' ? 'denied' : 'signed';
};

/** Four clients ask until something is not signed, or until `most` operations are. @returns how many were signed */
const useUp = async ({ url }: ServingCli, apiKey: string, most = Infinity): Promise<number> => {
  let signed = 0;
  const clients = Array.from({ length: 4 }, async () => {
    const client = deskClient(url);
    while (signed < most && (await sponsor(client, apiKey)) === 'signed') signed += 1;
  });
  await Promise.all(clients);
  return signed;
};

/** A desk whose answers wait for its copy, and a standby. */
const deskAndStandby = async () => {
  const [dir, target] = [tempFolder(), tempFolder()];
  const apiKey = await signingFolder(dir, LIMIT);
  const env = { ...SIGNING_ENV, GASDESK_CONTINUOUS_BACKUP: target, GASDESK_CONTINUOUS_BACKUP_WAIT: 'true' };
  const start = (changes: NodeJS.ProcessEnv = {}) => serve(['--data', dir], { ...env, ...changes });
  const desk = await start();
  const standby = serve(['--data', join(tempFolder(), 'standby'), '--standby', target], SIGNING_ENV);
  return { apiKey, desk, standby, start };
};

test('a standby takes over from a killed desk: every answer counts, and the killed desk cannot lead again', async () => {
  const { apiKey, desk, standby, start } = await deskAndStandby();
  const load = useUp(desk, apiKey);
  const before = await useUp(desk, apiKey, BEFORE);
  desk.signal('SIGKILL');
  const others = await load;
  const second = await standby;
  const after = await useUp(second, apiKey);
  // An operation whose answer was lost with the desk may count, too: at most one for each of eight clients.
  expect(before + others + after).toBeLessThanOrEqual(LIMIT);
  expect(before + others + after).toBeGreaterThanOrEqual(LIMIT - 8);
  expect(after).toBeGreaterThan(0);
  await expect(start()).rejects.toThrow('Another desk has taken the lead');
  const withoutWaiting = { GASDESK_CONTINUOUS_BACKUP_WAIT: 'false' };
  await expect(start(withoutWaiting)).rejects.toThrow('Another desk has taken the lead');
});

test('a desk that was paused signs nothing after its standby has taken over', async () => {
  const { apiKey, desk, standby } = await deskAndStandby();
  const before = await useUp(desk, apiKey, BEFORE);
  kill(desk.pid, 'SIGSTOP');
  const second = await standby;
  kill(desk.pid, 'SIGCONT');
  const client = deskClient(desk.url);
  const late = [];
  for (let asked = 0; asked < 5; asked += 1) late.push(await sponsor(client, apiKey));
  expect(late).toEqual(Array.from({ length: 5 }, () => 'refused'));
  const after = await useUp(second, apiKey);
  expect(before + after).toBe(LIMIT);
});

test('a standby with a wrong passphrase refuses to wait', async () => {
  const [dir, target] = [tempFolder(), tempFolder()];
  await signingFolder(dir, LIMIT);
  await serve(['--data', dir], {
    ...SIGNING_ENV,
    GASDESK_CONTINUOUS_BACKUP: target,
    GASDESK_CONTINUOUS_BACKUP_WAIT: 'true',
  });
  const wrong = { ...SIGNING_ENV, GASDESK_PASSPHRASE: 'not the passphrase' };
  const standby = serve(['--data', join(tempFolder(), 'standby'), '--standby', target], wrong);
  await expect(standby).rejects.toThrow('Wrong passphrase for the backup');
});
