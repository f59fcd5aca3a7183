import { once } from 'node:events';
import { connect } from 'node:net';
import Koa from 'koa';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { type HttpListener, listen } from '../../src/engine/http/listen.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** Serves requests that are answered when `go` is called, and one whose client has gone away already. */
const abandoned = async (
  clock = systemClock,
): Promise<{ server: HttpListener; go: () => void; ended: () => boolean }> => {
  const begun = Promise.withResolvers<undefined>();
  const gone = Promise.withResolvers<undefined>();
  const answer = Promise.withResolvers<undefined>();
  let isEnded = false;
  const app = new Koa();
  app.use(async ({ req }) => {
    req.socket.once('close', () => gone.resolve(undefined));
    begun.resolve(undefined);
    await answer.promise;
    isEnded = true;
  });
  const bounds = { requestTimeoutMs: 10_000, maxConnections: 10, connectionSharePercent: 100 };
  const options = { ...bounds, clock, log: createLog({ level: 'silent' }) };
  const server = await listen(app, { host: '127.0.0.1', port: 0 }, options);
  const client = connect(Number(new URL(server.url).port), '127.0.0.1');
  await once(client, 'connect');
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await begun.promise;
  client.destroy();
  await gone.promise;
  return { server, go: () => answer.resolve(undefined), ended: () => isEnded };
};

test('a server that ends waits for requests whose clients have gone away', async () => {
  const { server, go, ended } = await abandoned();
  const closed = server.close().then(ended);
  setImmediate(() => setImmediate(go));
  expect(await closed).toBe(true);
});

test('it waits for them for at most 10 s', async () => {
  const clock = new ManualClock();
  const { server, go, ended } = await abandoned(clock);
  const closed = server.close().then(ended);
  await clock.advance(10_000);
  expect(await closed).toBe(false);
  go();
});
