import { type AddressInfo, createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { type DeskClient, deskClient } from '../../src/demo/desk-client.ts';
import { startServer } from '../bench/server-process.ts';
import { CHAIN, SIGNING_ENV, signableOperation, signingFolder } from '../support/signing-folder.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const CLI = join(import.meta.dirname, '../../src/cli/index.ts');
const CLIENTS = 8;
const RETRY_MS = 20;

export interface TakeOver {
  /** From the kill to the first signature by the standby. */
  readonly ms: number;
  /** Decisions that the killed desk had answered. */
  readonly answered: number;
  /** Those of them that the standby does not know. */
  readonly lost: number;
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

let nonce = 0;

/** @returns the `paymasterAndData`; undefined if the desk did not answer with one */
const sponsor = async (client: DeskClient, apiKey: string): Promise<string | undefined> => {
  nonce += 1;
  const operation = [signableOperation(nonce), { mode: 'SPONSORED' }];
  const reply = await client.sponsor(CHAIN, apiKey, operation).catch(() => undefined);
  return (reply?.result as { paymasterAndData: string } | undefined)?.paymasterAndData;
};

/** Every `paymasterAndData` in the decisions of a data folder. */
export const signaturesIn = (dir: string): Set<string> => {
  const database = new Database(join(dir, 'gasdesk.db'), { readonly: true });
  try {
    const records = database.prepare<[], string>('SELECT record FROM decision').pluck().all();
    return new Set(records.map((record) => (JSON.parse(record) as { paymasterAndData: string }).paymasterAndData));
  } finally {
    database.close();
  }
};

/** Kills a desk under load after `decisions`, and waits until its standby signs. */
export const playTakeOver = async (decisions: number): Promise<TakeOver> => {
  const folder = makeTempFolder();
  const [dir, target, standbyDir] = [join(folder, 'desk'), join(folder, 'copy'), join(folder, 'standby')];
  const ends: (() => unknown)[] = [() => removeTempFolder(folder)];
  try {
    const apiKey = await signingFolder(dir, 10_000_000);
    const free = { ...SIGNING_ENV, GASDESK_RATE_LIMIT_PER_KEY: '0', GASDESK_RATE_LIMIT_PER_SENDER: '0' };
    const env = { ...free, GASDESK_CONTINUOUS_BACKUP: target, GASDESK_CONTINUOUS_BACKUP_WAIT: 'true' };
    const desk = await startServer([CLI, 'serve', '--port', '0', '--data', dir], { env });
    ends.push(() => desk.kill());
    const port = await freePort();
    const args = [CLI, 'serve', '--port', String(port), '--data', standbyDir, '--standby', target];
    const standby = startServer(args, { env: free });
    ends.push(async () => (await standby).kill());

    const answers: string[] = [];
    const clients = Array.from({ length: CLIENTS }, async () => {
      const client = deskClient(desk.url);
      for (;;) {
        const answer = await sponsor(client, apiKey);
        if (answer === undefined) return;
        answers.push(answer);
      }
    });
    while (answers.length < decisions) await pause(RETRY_MS);
    const killed = performance.now();
    await Promise.all([desk.kill(), ...clients]);
    const second = deskClient(`http://127.0.0.1:${port}`);
    while ((await sponsor(second, apiKey)) === undefined) await pause(RETRY_MS);
    const ms = performance.now() - killed;
    const known = signaturesIn(standbyDir);
    return { ms, answered: answers.length, lost: answers.filter((answer) => !known.has(answer)).length };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
};
