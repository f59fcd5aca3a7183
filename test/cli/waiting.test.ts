import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { runGasdesk } from '../../src/cli/run.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const CLEAR_LINE = '\r\u001b[2K';

const tempFolder = useTempFolders();
afterEach(() => {
  vi.useRealTimers();
});

/** Runs a command on a data folder in a window, until it says what it waits for. Then `end` ends what it waits for. */
const waitedFor = async (dir: string, end: () => void, env: NodeJS.ProcessEnv = {}): Promise<string> => {
  let said = '';
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      said += chunk.toString();
      done();
    },
  });
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
  const window = Object.assign(stderr, { isTTY: true });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const ended = runGasdesk(['chain', 'list', '--data', dir], { env, stdin: Readable.from([]), stdout, stderr: window });
  await vi.waitFor(() => expect(said).toContain('…'), { timeout: 20_000 });
  const [waiting] = said.split('…');
  vi.useRealTimers();
  end();
  await ended;
  // The line is gone before anything else is written.
  expect(said).toContain(`…${CLEAR_LINE}`);
  return waiting!.replace(CLEAR_LINE, '');
};

test('a command whose service does not answer says that it waits for it', async () => {
  const dir = tempFolder();
  const service = createHttpServer(() => undefined).listen(openDataFolder(dir).controlSocket);
  await once(service, 'listening');
  const end = (): void => {
    service.closeAllConnections();
    service.close();
  };
  expect(await waitedFor(dir, end)).toBe(`Waiting for the service on ${dir} `);
});

test('a command whose database does not answer says that it waits for it, without the password', async () => {
  const sockets: { destroy(): void }[] = [];
  const database: Server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(database, 'listening');
  const { port } = database.address() as AddressInfo;
  const end = (): void => {
    database.close();
    for (const socket of sockets) socket.destroy();
  };
  const env = { GASDESK_DATABASE: `postgres://desk:pa55word@127.0.0.1:${port}/gasdesk` };
  const words = `Waiting for the database postgres://desk@127.0.0.1:${port}/gasdesk `;
  expect(await waitedFor(tempFolder(), end, env)).toBe(words);
});
