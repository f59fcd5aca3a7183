import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { listen } from '../../src/engine/http/listen.ts';
import { ManualClock } from '../support/manual-clock.ts';

const MAX_CONNECTIONS = 16;
const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

/** Opens a connection, writes a text on it and waits until it is accepted. It is ended with the test. */
type Open = (text?: string, localAddress?: string, host?: string) => Promise<Socket>;

/** Serves an application until the test is over. */
const serving = async (
  answer: Koa.Middleware,
  { requestTimeoutMs = 10_000, clock = systemClock }: { requestTimeoutMs?: number; clock?: Clock } = {},
): Promise<Open> => {
  const app = new Koa();
  app.silent = true;
  app.use(answer);
  const bounds = { requestTimeoutMs, maxConnections: MAX_CONNECTIONS, connectionSharePercent: 25 };
  const options = { ...bounds, clock, log: createLog({ level: 'silent' }) };
  const server = await listen(app, { host: '0.0.0.0', port: 0 }, options);
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close();
  });
  return async (text = '', localAddress = '127.0.0.1', host = '127.0.0.1') => {
    const socket = connect({ host, port: Number(new URL(server.url).port), localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    if (text !== '') socket.write(text);
    return socket;
  };
};
const hello: Koa.Middleware = (context) => {
  context.body = 'hello';
};

/** Waits for `count` answers on a connection. Answers what came; less, if the connection ends. */
const answers = async (socket: Socket, count = 1): Promise<string[]> => {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const all = text.split('HTTP/1.1 ').slice(1);
    if (all.length === count) return all;
  }
  return text.split('HTTP/1.1 ').slice(1);
};
const asked = async (open: Open, localAddress?: string): Promise<Socket> => {
  const socket = await open(GET, localAddress);
  expect(await answers(socket)).toHaveLength(1);
  socket.resume();
  return socket;
};
const closed = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', resolve));

describe('where all connections are taken', () => {
  test.each([1, 2, 50])(
    'by clients of %i addresses that ask now and then and stay, the next one is answered',
    async (addresses) => {
      const open = await serving(hello);
      const address = (number: number): string => `127.0.0.${2 + (number % addresses)}`;
      const lodgers: Socket[] = [];
      for (let number = 0; number < 3 * MAX_CONNECTIONS; number += 1) lodgers.push(await asked(open, address(number)));
      for (let round = 0; round < 10; round += 1) {
        for (const lodger of lodgers) if (lodger.writable) lodger.write(GET);
        const together = await Promise.all(Array.from({ length: 4 }, () => open()));
        for (const socket of together) socket.write(GET);
        for (const socket of together) expect(await answers(socket)).toHaveLength(1);
        lodgers.push(await asked(open, address(round)));
      }
    },
  );

  test('the address that has most gives way, not one that has been idle for a little longer', async () => {
    const open = await serving(hello);
    const alone = await asked(open, '127.0.0.2');
    const first = await asked(open, '127.0.0.3');
    for (let number = 1; number < 2 * MAX_CONNECTIONS; number += 1) await asked(open, '127.0.0.3');
    await closed(first);
    alone.pause().write(GET);
    expect(await answers(alone)).toHaveLength(1);
  });

  test('by many that come at once, one that is in use stays', async () => {
    const open = await serving(hello, { clock: new ManualClock() });
    const inUse = await open();
    for (let number = 0; number < MAX_CONNECTIONS; number += 1) {
      inUse.write(GET);
      expect(await answers(inUse)).toHaveLength(1);
    }
    for (let number = 0; number < 10 * MAX_CONNECTIONS; number += 1) await (number % 2 === 0 ? open() : asked(open));
    inUse.write(GET);
    expect(await answers(inUse)).toHaveLength(1);
  });

  test('by requests in progress, they are answered', async () => {
    const [allBegun, go] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    let begun = 0;
    const open = await serving(async (context) => {
      begun += 1;
      if (begun === MAX_CONNECTIONS) allBegun.resolve(undefined);
      await go.promise;
      context.body = 'late';
    });
    const working = await Promise.all(Array.from({ length: MAX_CONNECTIONS }, () => open(GET)));
    await allBegun.promise;
    const refused = await open(GET);
    refused.resume();
    await closed(refused);
    go.resolve(undefined);
    for (const socket of working) expect(await answers(socket)).toHaveLength(1);
  });

  test('by unread answers, these give way', async () => {
    const content = Buffer.alloc(64 * 1024 * 1024);
    let large = true;
    const open = await serving((context) => {
      context.body = large ? content : 'hello';
    });
    for (let number = 0; number < MAX_CONNECTIONS; number += 1)
      await once(
        (await open(GET)).once('readable', () => undefined),
        'readable',
      );
    large = false;
    for (let number = 0; number < 4; number += 1) await asked(open);
  });
});

test.skipIf(outside === undefined)(
  'an address outside this machine has a quarter of the connections (needs an address besides loopback)',
  async () => {
    const open = await serving(hello);
    const first = await open('', outside, outside);
    first.resume();
    for (let number = 0; number < MAX_CONNECTIONS / 4; number += 1) await open('', outside, outside);
    await closed(first);
    const here = await asked(open);
    await asked(open);
    expect(here.readyState).toBe('open');
  },
);

describe('requests sent ahead', () => {
  test('are answered one at a time, in order', async () => {
    let [running, most, number] = [0, 0, 0];
    const open = await serving(async (context) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      context.body = `number ${(number += 1)}`;
    });
    const all = await answers(await open(GET.repeat(9)), 9);
    expect(all.map((answer) => answer.split('\r\n\r\n')[1])).toEqual(all.map((_, index) => `number ${index + 1}`));
    expect(most).toBe(1);
  });

  test('end the connection beyond eight, and are not even read', async () => {
    let [made, answered] = [0, 0];
    const count = (): void => void (made += 1);
    subscribe('http.server.request.start', count);
    onTestFinished(() => void unsubscribe('http.server.request.start', count));
    const open = await serving((context) => {
      context.body = `${(answered += 1)}`;
    });
    const socket = await open(GET.repeat(1_000));
    socket.resume();
    await closed(socket);
    expect(answered).toBeLessThan(10);
    expect(made).toBeLessThan(20);
  });
});

test('a client that takes nothing of its answer is disconnected when its time is up', async () => {
  const ended = Promise.withResolvers<undefined>();
  let isWritten = false;
  const open = await serving(
    (context) => {
      context.req.socket.once('close', () => ended.resolve(undefined));
      context.res.once('finish', () => (isWritten = true));
      context.body = Buffer.alloc(64 * 1024 * 1024);
    },
    { requestTimeoutMs: 1_000 },
  );
  await open(GET);
  await ended.promise;
  expect(isWritten).toBe(false);
});
