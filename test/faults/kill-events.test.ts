import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { deskClient } from '../../src/demo/desk-client.ts';
import { type ServingCli, gasdesk, useServe } from '../support/cli.ts';
import { CHAIN, SIGNING_ENV, signableOperation, signingFolder } from '../support/signing-folder.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const tempFolder = useTempFolders();
const serve = useServe();

const REQUESTS = 10;
/** When the service is killed in each round: at a call of the receiver, or once this many requests are answered. */
const ROUNDS = [
  { atCall: 1, isAnswered: false },
  { atCall: 1, isAnswered: true },
  { atCall: 7, isAnswered: false },
  { atCall: 7, isAnswered: true },
  { afterRequests: 1 },
  { afterRequests: 6 },
  { atCall: 13, isAnswered: false },
  { atCall: 13, isAnswered: true },
  { afterRequests: REQUESTS },
] as const;

/** What a receiver keeps that ignores events which it already has. */
interface Kept {
  readonly ids: string[];
  readonly decisions: string[];
}

it('a DApp misses no event and gets each in its order, however often the service is killed', async () => {
  const dir = tempFolder();
  const apiKey = await signingFolder(dir, 1_000);
  const kept = new Map<string, Kept>([
    ['/dapp', { ids: [], decisions: [] }],
    ['/desk', { ids: [], decisions: [] }],
  ]);
  const secrets = new Map<string, string>();
  let called = (_isAnswered: boolean): void => undefined;
  const receiver = await startReceiver(({ target, headers, body }, response) => {
    const place = kept.get(target)!;
    const { type, data } = new Webhook(secrets.get(target)!).verify(body, headers as Record<string, string>) as {
      type: string;
      data: { id: string };
    };
    const id = String(headers['webhook-id']);
    expect(type).toBe('operation.sponsored');
    if (!place.ids.includes(id)) {
      place.ids.push(id);
      place.decisions.push(data.id);
    }
    called(false);
    response.writeHead(204).end(() => called(true));
  });
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await gasdesk([...args, '--json', '--data', dir], SIGNING_ENV);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as never;
  };
  const [{ paymasterId }] = (await run('dapp', 'list')) as [{ paymasterId: string }];
  const add = async (path: string, ...of: string[]): Promise<void> => {
    const url = receiver.url + path;
    const made = await run('event-webhook', 'add', '--url', url, '--events', 'operation.sponsored', ...of);
    secrets.set(path, (made as { secret: string }).secret);
  };
  await add('/dapp', '--dapp', paymasterId);
  await add('/desk');

  const ask = async ({ url }: ServingCli, first: number, answered: (count: number) => void): Promise<void> => {
    const client = deskClient(url);
    for (let index = 0; index < REQUESTS; index += 1) {
      try {
        await client.sponsor(CHAIN, apiKey, [signableOperation(first + index), { mode: 'SPONSORED' }]);
      } catch {
        return;
      }
      answered(index + 1);
    }
  };
  for (const [round, when] of ROUNDS.entries()) {
    const desk = await serve(['--data', dir], SIGNING_ENV);
    let calls = 0;
    called = (isAnswered) => {
      if (!('atCall' in when) || isAnswered !== when.isAnswered) return;
      calls += 1;
      if (calls === when.atCall) desk.signal('SIGKILL');
    };
    await ask(desk, round * REQUESTS, (count) => {
      if ('afterRequests' in when && count === when.afterRequests) desk.signal('SIGKILL');
    });
    await desk.ended;
  }

  called = () => undefined;
  const desk = await serve(['--data', dir], SIGNING_ENV);
  const stored = (): string[] => {
    const database = new Database(join(dir, 'gasdesk.db'), { readonly: true });
    try {
      const ids = database.prepare(`SELECT id FROM decision WHERE outcome = 'sponsored' ORDER BY seq`);
      return ids.pluck().all() as string[];
    } finally {
      database.close();
    }
  };
  const expected = stored();
  expect(expected.length).toBeGreaterThan(2 * REQUESTS);
  for (const { decisions } of kept.values()) await expect.poll(() => decisions).toEqual(expected);
  desk.signal('SIGTERM');
  await desk.ended;
});
