import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { EngineError } from '../../shared/errors.ts';
import { createBodyReceiver, discardRest } from './receive-body.ts';

const KIB = 1024;
const LIMIT = 64 * KIB;

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

/** A server that answers with the length of a body, or the reason it was not received. */
const start = async (mostBytes?: number): Promise<() => Socket> => {
  const receiver = createBodyReceiver(mostBytes);
  const server = createServer((request, response) => {
    receiver
      .receive(request, LIMIT)
      .then((body) => response.end(`length ${body.length};`))
      .catch((error: unknown) =>
        response.end(error instanceof EngineError ? `${error.code}: ${error.message};` : 'bug'),
      )
      .finally(() => discardRest(request));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => new Promise((resolve) => server.close(resolve)));
  return () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    undo.push(() => void socket.destroy());
    return socket;
  };
};

const head = (length: number): string => `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`;

const answer = async (socket: Socket): Promise<string> => {
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.includes(';')) break;
  }
  return text.slice(text.lastIndexOf('\n') + 1);
};

test('a body is received whole, in any number of pieces, and the connection continues', async () => {
  const open = await start();
  const socket = open();
  const pieces = ['a', 'b'.repeat(40 * KIB), 'c'];
  socket.write(head(40 * KIB + 2));
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve));
  const [first] = (await once(socket, 'data')) as [Buffer];
  expect(first.toString()).toContain('length 40962;');
  socket.write(`${head(1)}x`);
  expect(await answer(socket)).toBe('length 1;');
});

test('a body that is too large is refused before it arrives, with or without a declared length', async () => {
  const open = await start();
  const declared = open();
  declared.write(head(LIMIT + 1));
  expect(await answer(declared)).toBe('BODY_TOO_LARGE: The request body is larger than 64 KiB;');
  const chunked = open();
  const chunk = `8000\r\n${'x'.repeat(32 * KIB)}\r\n`;
  chunked.write(`POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`);
  expect(await answer(chunked)).toContain('BODY_TOO_LARGE: The request body is larger than 64 KiB;');
});

test('where unfinished bodies hold too much together, the oldest is given up and the others are received', async () => {
  const open = await start(100 * KIB);
  const [oldest, other, third] = [open(), open(), open()];
  oldest.write(head(LIMIT) + 'x'.repeat(LIMIT - 1));
  // The body has arrived once a later request is answered.
  third.write(`${head(1)}x`);
  await once(third, 'data');
  other.write(head(LIMIT) + 'x'.repeat(LIMIT - 1));
  expect(await answer(oldest)).toBe('REQUEST_TIMEOUT: The request did not arrive in time;');
  other.write('x');
  expect(await answer(other)).toBe(`length ${LIMIT};`);
});

test('what clients send after a refusal takes no room from others', async () => {
  const open = await start(100 * KIB);
  const chunkOf = (kib: number): string => `${(kib * KIB).toString(16)}\r\n${'x'.repeat(kib * KIB)}\r\n`;
  for (let n = 0; n < 8; n += 1) {
    const refused = open();
    refused.write(`POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${chunkOf(96)}`);
    const [reply] = (await once(refused, 'data')) as [Buffer];
    expect(reply.toString()).toContain('BODY_TOO_LARGE');
    // The server closes what it has read to the end.
    refused.end(chunkOf(20));
    await once(refused, 'close');
  }
  const honest = open();
  honest.write(`${head(1)}x`);
  expect(await answer(honest)).toBe('length 1;');
});

test('many small pieces count for what they take in memory', async () => {
  const open = await start(20 * KIB);
  const socket = open();
  socket.setNoDelay(true);
  socket.write(head(LIMIT));
  const given = answer(socket);
  const send = (): void => {
    if (socket.writable) socket.write('x', () => setImmediate(send));
  };
  send();
  expect(await given).toContain('REQUEST_TIMEOUT');
});

test('a client that continues to send after its answer is disconnected', async () => {
  const open = await start();
  const socket = open();
  socket.resume();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(head(1024 * 1024 * KIB));
  const piece = 'x'.repeat(1024 * KIB);
  const send = (): void => {
    if (socket.writable) socket.write(piece, send);
  };
  send();
  await closed;
  expect(socket.bytesWritten).toBeLessThan(64 * 1024 * KIB);
});
