import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startNameServer } from '../support/name-server.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

let stop: (() => Promise<void>) | undefined;
let asked: readonly string[] = [];
/** A DNS that never answers for one tenant's names. */
const desk = useOfflineDesk({}, async () => {
  const server = await startNameServer((name) => (name.startsWith('slow') ? 'silent' : ['127.0.0.1']));
  ({ stop, asked } = server);
  return [server.address];
});
afterAll(() => stop?.());

const SLOW_NAMES = 8;
const op = (nonce: number): Record<string, unknown> =>
  operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { nonce });

/** Answers so that each call is a connection, and a look-up, of its own. */
const answering =
  (verdict: boolean) =>
  (_call: unknown, response: ServerResponse): void => {
    const headers = { 'content-type': 'application/json', connection: 'close' };
    response.writeHead(200, headers).end(`{"arePoliciesVerified":${verdict}}`);
  };

const addRule = async ({ paymasterId }: SponsoredDapp, name: string, url: string): Promise<void> => {
  const rule = { name, policyType: 'WEBHOOK', policyData: { url, failOpen: true } };
  await desk().call('rules.create', { paymasterId, rule });
};

/** A node that says which chain it is of, and counts how often it was asked. */
const startNode = async (chainId: number) => {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume().on('end', () => response.end(`{"jsonrpc":"2.0","id":1,"result":"0x${chainId.toString(16)}"}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return { port: (server.address() as AddressInfo).port, requests: () => requests };
};

test('names without an answer, of one DApp, open no webhook of another one and stop no other DApp', async () => {
  const [slow, denied, quick] = [await desk().dapp(), await desk().dapp(), await desk().dapp()];
  for (let index = 0; index < SLOW_NAMES; index += 1) await addRule(slow, `Slow ${index}`, `http://slow${index}.test/`);
  const [no, yes] = [await startReceiver(answering(false)), await startReceiver(answering(true))];
  await addRule(denied, 'No', `http://no.test:${no.port}/`);
  await addRule(quick, 'Yes', `http://yes.test:${yes.port}/`);

  const waiting = Promise.all([1, 2, 3].map((nonce) => slow.sponsor(op(nonce))));
  await expect.poll(() => new Set(asked).size, { interval: 5 }).toBeGreaterThanOrEqual(SLOW_NAMES);
  for (const nonce of [1, 2, 3, 4, 5, 6]) {
    expect(codeOf(await denied.sponsor(op(nonce)))).toBe('WEBHOOK_DENIED');
    expect(codeOf(await quick.sponsor(op(nonce)))).toBe('SPONSORED');
  }
  expect([no.calls.length, yes.calls.length]).toEqual([6, 6]);

  const node = await startNode(4242);
  await desk().call('chains.set', { chainId: 4242, name: 'Named', symbol: 'N', rpc: `http://node.test:${node.port}` });
  expect(node.requests()).toBeGreaterThan(0);

  // The time-out passes before there is a connection: no outage of the receivers, though their rules may fail open.
  await desk().clock.advance(3_000);
  for (const reply of await waiting) expect(['WEBHOOK_NOT_REACHED', 'WEBHOOK_UNREACHABLE']).toContain(codeOf(reply));
});
