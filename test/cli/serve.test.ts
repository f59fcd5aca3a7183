import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gasdesk, gasdeskProcess, startingServe, useServe } from '../support/cli.ts';
import { quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { playsAll } from '../support/combinations.ts';

const tempFolder = useTempFolders();
const serve = useServe();

const SOCKET = join('run', 'control.sock');
const portOf = (url: string): number => Number(new URL(url).port);

const connected = async (url: string): Promise<Socket> => {
  const socket = connect(portOf(url), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

const TARGET = 's3://bucket/desk';
const STORE = {
  GASDESK_S3_ENDPOINT: 'http://ADDRESS',
  GASDESK_S3_ACCESS_KEY_ID: 'id',
  GASDESK_S3_SECRET_ACCESS_KEY: 'key',
};

/** Waits until nothing listens there any more. */
const refused = async (url: string): Promise<void> => {
  for (;;) {
    const socket = connect(portOf(url), '127.0.0.1');
    try {
      await once(socket, 'connect');
    } catch {
      return;
    }
    socket.destroy();
  }
};

describe.concurrent('serve', () => {
  it('prints exactly one line on stdout, with the address at which it answers', async () => {
    const desk = await serve(['--data', tempFolder()]);
    const response = await fetch(`${desk.url}/openapi.json`);
    expect(response.status).toBe(200);
    await response.text();
    desk.signal('SIGTERM');
    const { code, stdout } = await desk.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(stdout)).toEqual({
      event: 'listening',
      url: desk.url,
      console: expect.stringMatching(new RegExp(`^${desk.url}/console/#token=[\\w-]{43}$`)),
    });
    expect(desk.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s answers the request in flight, refuses new ones and exits 0',
    async (signal) => {
      const dir = tempFolder();
      const desk = await serve(['--data', dir]);
      const socket = await connected(desk.url);
      const idle = await connected(desk.url);
      idle.resume();
      const head = ['POST /api/v1/31337/nobody HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];
      socket.write([...head, 'Content-Length: 2', 'Expect: 100-continue', '', ''].join('\r\n'));
      expect(String(await once(socket, 'data'))).toContain('100 Continue');

      desk.signal(signal);
      await refused(desk.url);
      socket.write('{}');

      expect(String(await once(socket, 'data'))).toContain('HTTP/1.1 401 Unauthorized');
      expect((await desk.ended).code).toBe(0);
      // Everything is in the database and where its log ended, and nothing of the process is left.
      const left = readdirSync(dir).filter((name) => !name.startsWith('run'));
      expect(left.sort()).toEqual(['engine.lock', 'gasdesk.db', 'log-end']);
      expect(existsSync(join(dir, SOCKET))).toBe(false);
    },
  );

  it.each([
    ['a database', { GASDESK_DATABASE: 'postgres://desk@ADDRESS/desk' }, []],
    ['the target of its continuous backup', { ...STORE, GASDESK_CONTINUOUS_BACKUP: TARGET }, []],
    [
      'the target of the continuous backup for which its answers wait',
      { ...STORE, GASDESK_CONTINUOUS_BACKUP: TARGET, GASDESK_CONTINUOUS_BACKUP_WAIT: 'true' },
      [],
    ],
    ['the copy of which it is the standby', STORE, ['--standby', TARGET]],
  ])('ends at once on SIGTERM while its start waits for %s, which does not answer', async (_, env, args) => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const set = Object.entries(env).map(([name, value]): [string, string] => [name, value.replace('ADDRESS', address)]);
    const dir = tempFolder();
    const starting = startingServe(['--port', '0', '--data', dir, ...args], {
      ...Object.fromEntries(set),
      GASDESK_PASSPHRASE: 'passphrase of the desk',
    });
    await once(silent, 'connection');
    starting.signal('SIGTERM');
    // It ended before the wait did, which would have led to an error, or to a service.
    expect(await starting.ended).toMatchObject({ code: 0, stdout: '' });
    silent.close();
    expect(existsSync(join(dir, 'engine.pid'))).toBe(false);
    expect(await gasdesk(['account', 'list', '--data', dir])).toMatchObject({ code: 0, stderr: '' });
  });

  it('runs on when the reader of its log has ended, and exits 0 on SIGTERM', async () => {
    const desk = await serve(['--data', tempFolder()]);
    desk.closeStderr();
    for (let request = 0; request < 3; request += 1) {
      const response = await fetch(`${desk.url}/api/v1/31337/nobody`, { method: 'POST' });
      expect(response.status).toBe(401);
      await response.text();
    }
    desk.signal('SIGTERM');
    expect((await desk.ended).code).toBe(0);
  });

  it('refuses a folder that another one serves, says which process, and does not disturb it', async () => {
    const dir = tempFolder();
    const desk = await serve(['--data', dir]);
    const second = await gasdesk(['serve', '--port', '0', '--data', dir]);
    expect(second).toEqual({
      code: 1,
      stdout: '',
      stderr: `gasdesk: Process ${desk.pid} uses the data folder ${dir}. Stop it, or choose another folder with --data\n`,
    });
    expect((await gasdesk(['account', 'list', '--data', dir, '--json'])).code).toBe(0);
  });

  it.runIf(playsAll)('starts at once after kill -9, with everything that was acknowledged', async () => {
    const dir = tempFolder();
    const first = await serve(['--data', dir]);
    const made = await gasdesk(['account', 'create', '--name', 'Kept', '--data', dir, '--json']);
    first.signal('SIGKILL');
    await first.ended;
    expect(existsSync(join(dir, SOCKET))).toBe(true);

    // A command works on the files although the socket is still there ...
    const alone = await gasdesk(['account', 'list', '--data', dir, '--json']);
    expect(JSON.parse(alone.stdout)).toContainEqual(JSON.parse(made.stdout));
    // ... and so does another service.
    await serve(['--data', dir]);
    const served = await gasdesk(['account', 'list', '--data', dir, '--json']);
    expect(JSON.parse(served.stdout)).toEqual(JSON.parse(alone.stdout));
  });

  it.each([
    ['another program', 'hello'],
    ['another Gasdesk with another data folder', '{"info":{"title":"Gasdesk"}}'],
  ])('says that a port is taken by %s and what to do, and leaves the folder free', async (holder, answer) => {
    const dir = tempFolder();
    const other = createHttpServer((_request, response) => response.end(answer)).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      const { code, stdout, stderr } = await gasdesk(['serve', '--data', dir, '--port', String(port)], {
        GASDESK_LOG_LEVEL: 'error',
      });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        new RegExp(`^gasdesk: Port ${port} on 127\\.0\\.0\\.1 is taken by ${holder}\\. .*--port N.*GASDESK_PORT.*\\n$`),
      );
      await serve(['--data', dir]);
    } finally {
      other.close();
    }
  });

  it('opens its control socket to its owner alone', async () => {
    const dir = tempFolder();
    await serve(['--data', dir]);
    expect(statSync(join(dir, SOCKET)).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'run')).mode & 0o777).toBe(0o700);
  });

  // Each in a process of its own, because a command that never returns would block this one.
  it.runIf(existsSync('/proc')).each([
    ['serve', ['serve', '--port', '0']],
    ['a standby', ['serve', '--port', '0', '--standby', tmpdir()]],
    ['restore', ['restore', 'desk.gasdesk-backup']],
  ])('%s ends at once if its data folder cannot be created', async (_what, args) => {
    const ended = await gasdeskProcess([...args, '--data', '/proc/desks/mine'], { GASDESK_PASSPHRASE: 'any' });
    expect(ended).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^gasdesk: Cannot use the data folder \/proc\/desks\/mine: .*ENOENT.*'\/proc\/desks'\)\n$/,
      ),
    });
  });

  it.skipIf(process.platform === 'win32')(
    'a standby refuses at once a folder that every user may write to',
    async () => {
      const dir = tempFolder();
      chmodSync(dir, 0o777);
      const passphrase = { GASDESK_PASSPHRASE: 'any' };
      const { code, stderr } = await gasdesk(['serve', '--standby', tempFolder(), '--data', dir], passphrase);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `gasdesk: Cannot use the data folder ${dir}: every user of this machine may write to it. Run: chmod 700 '${dir}'\n`,
      });
    },
  );

  it('a standby refuses at once a folder that contains files of others', async () => {
    const dir = tempFolder();
    writeFileSync(join(dir, 'letter.txt'), '');
    const passphrase = { GASDESK_PASSPHRASE: 'any' };
    const { code, stderr } = await gasdesk(['serve', '--standby', tempFolder(), '--data', dir], passphrase);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `gasdesk: The folder ${dir} contains files that do not belong to Gasdesk. Choose an empty folder\n`,
    });
  });

  it('refuses a wrong passphrase and touches nothing', async () => {
    const dir = tempFolder();
    await (await quickEngine(dir)).stop();
    const files = ['vault.json', 'gasdesk.db'].map((name) => join(dir, name));
    const before = files.map((file) => readFileSync(file));

    const wrong = await gasdesk(['serve', '--port', '0', '--data', dir], { GASDESK_PASSPHRASE: 'wrong' });

    expect(wrong).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^gasdesk: .*passphrase.*\n$/i) });
    expect(files.map((file) => readFileSync(file))).toEqual(before);
  });
});
