import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { s3Target } from './s3-target.ts';

const CONFLICT = 409;
const WAITS_MS = [50, 100, 200, 400, 800];

/** A store in which other requests create the same object; it answers with `last` after `conflicts` conflicts. */
const busyStore = async (conflicts: number, last: number) => {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume().on('end', () => response.writeHead(requests > conflicts ? last : CONFLICT).end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = new ManualClock();
  const access = { endpoint, region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'key' };
  const created = s3Target('s3://desks/game', access, undefined, clock).create('lease/1', Buffer.from('one'));
  for (const wait of WAITS_MS.slice(0, conflicts)) {
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(wait - 1);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
  }
  return { created, requests: () => requests };
};

test.each([
  ['it was created', 0, 200, true],
  ['another request created it', 0, 412, false],
  ['it was created after a conflict', 1, 200, true],
  ['another request created it during five conflicts', 5, 412, false],
])('creating an object: %s', async (_what, conflicts, last, isCreated) => {
  const { created, requests } = await busyStore(conflicts, last);
  expect(await created).toBe(isCreated);
  expect(requests()).toBe(conflicts + 1);
});

test('creating an object fails after the sixth conflict, without another wait', async () => {
  const { created, requests } = await busyStore(6, 200);
  await expect(created).rejects.toThrow('does not say which of several requests has created lease/1');
  expect(requests()).toBe(6);
});

/** A process that asks a store, collects its garbage, ends the request, and prints the error. */
const SCRIPT = `
  const { s3Target } = await import(${JSON.stringify(new URL('./s3-target.ts', import.meta.url).href)});
  const access = { endpoint: process.argv[1], region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'key' };
  const stopping = new AbortController();
  s3Target('s3://desks/game', access, stopping.signal)
    .create('lease/1', Buffer.from('one'))
    .catch(({ message }) => console.log(message));
  process.stdin.once('data', () => {
    globalThis.gc();
    stopping.abort(new Error('Gasdesk is stopping'));
    process.stdin.destroy();
  });`;

test('a request to a store that does not answer is ended, also after a garbage collection', async () => {
  const silent = createServer();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const args = ['--expose-gc', '--input-type=module', '--eval', SCRIPT, endpoint];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
    silent.close().closeAllConnections();
  });
  const asked = once(silent, 'request');
  const said = text(child.stdout);
  await asked;
  child.stdin.write('collect');
  expect(await said).toMatch('Gasdesk is stopping');
});
