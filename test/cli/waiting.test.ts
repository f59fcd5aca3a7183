import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { runGasdesk } from '../../src/cli/run.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { pidFile } from '../../src/engine/data-folder/lock.ts';
import { gasdesk } from '../support/cli.ts';
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

/** Runs a command whose service answers only that it is there, or not even that. `ms` pass after its last request. */
const afterSilence = async (dir: string, answersFirst: boolean, ms: number) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let answer = (): void => undefined;
  const service = createHttpServer((request, response) => {
    if (request.url === '/' && answersFirst) {
      response.end('{"ok":false}');
      return;
    }
    answer = () => response.end('{"ok":true,"output":[]}');
    service.emit('silent');
  }).listen(openDataFolder(dir).controlSocket);
  const silent = once(service, 'silent');
  try {
    const ended = gasdesk(['chain', 'list', '--data', dir]);
    await silent;
    await vi.advanceTimersByTimeAsync(ms);
    answer();
    return await ended;
  } finally {
    service.closeAllConnections();
    service.close();
  }
};

test.each([
  ['4711\n', ' (process 4711)', ' (kill -CONT 4711)', ' (kill -KILL 4711)'],
  ['', '', '', ''],
])('a command whose service is frozen ends after 10 s, and says what would help: %j', async (pid, who, resume, end) => {
  const dir = tempFolder();
  writeFileSync(pidFile(dir), pid);
  const stderr = `gasdesk: The service on ${dir}${who} has not answered for 10 s. If it is suspended, resume it${resume}. Otherwise end it${end}, and start it again\n`;
  expect(await afterSilence(dir, false, 10_000)).toEqual({ code: 1, stdout: '', stderr });
});

test('a command waits for the result of a service that answers, however long it takes', async () => {
  expect(await afterSilence(tempFolder(), true, 3_600_000)).toEqual({ code: 0, stdout: 'none\n', stderr: '' });
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
