import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Database from 'better-sqlite3';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { z } from 'zod';
import { nativeSignDigest, portableSignDigest } from '../../src/engine/signer/sign-digest.ts';
import { partialUserOperation } from '../../src/shared/schema/partial-user-operation.ts';
import { sponsorshipOptions } from '../../src/shared/schema/sponsorship.ts';

/**
 * The least a service of this kind does on this stack: reads the same request with the same libraries, checks it, makes
 * one signature, and answers when a row of 2 kB is on disk. Requests in flight share a commit. It decides nothing.
 */

const ROW_BYTES = 2000;

const requestSchema = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  params: z.tuple([partialUserOperation, sponsorshipOptions]),
});

const [file = ''] = process.argv.slice(2);
const database = new Database(file);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('CREATE TABLE decision (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, record TEXT NOT NULL) STRICT');
const insert = database.prepare<[string, string]>('INSERT INTO decision (id, record) VALUES (?, ?)');

interface Row {
  readonly id: string;
  readonly record: string;
  stored(): void;
}
let waiting: Row[] = [];
const commit = database.transaction((rows: readonly Row[]) => {
  for (const { id, record } of rows) insert.run(id, record);
});
const flush = (): void => {
  const rows = waiting;
  waiting = [];
  commit(rows);
  for (const row of rows) row.stored();
};
const store = (id: string, record: string): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.length === 0) setImmediate(flush);
    waiting.push({ id, record, stored: resolve });
  });

const sign = nativeSignDigest ?? portableSignDigest;
const key = randomBytes(32);

const router = new Router();
router.post('/api/v1/:chainId/:apiKey', async (context) => {
  const { id, params } = requestSchema.parse(context.request.body);
  const text = JSON.stringify(context.request.body);
  const signature = sign(key, createHash('sha256').update(text).digest());
  await store(randomUUID(), text.padEnd(ROW_BYTES));
  const paymasterAndData = `0x${'0'.repeat(40)}${signature.slice(2)}`;
  context.body = { jsonrpc: '2.0', id, result: { paymasterAndData, callGasLimit: String(params[0].callGasLimit) } };
});

const app = new Koa();
app.use(bodyParser());
app.use(router.routes());
const handle = app.callback();
const server = createServer((request, response) => void handle(request, response));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
await once(process, 'SIGTERM');
server.closeAllConnections();
server.close();
database.close();
