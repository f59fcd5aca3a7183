import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineError } from '../../shared/errors.ts';
import { type Machine, defaultDataFolder, openDataFolder } from './data-folder.ts';

let root: string;
let machine: Machine;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gd-')));
  machine = { platform: 'linux', home: root, temporary: root };
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

const refusal = (path: string, on = machine): EngineError => {
  try {
    openDataFolder(path, on);
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError);
    expect((error as EngineError).code).toBe('DATA_FOLDER_UNUSABLE');
    return error as EngineError;
  }
  throw new Error('was not refused');
};

test.each<[string, Partial<Machine> & { env?: Record<string, string> }, string]>([
  ['Linux', { platform: 'linux' }, '/home/ada/.local/share/gasdesk'],
  ['Linux with XDG_DATA_HOME', { platform: 'linux', env: { XDG_DATA_HOME: '/data' } }, '/data/gasdesk'],
  ['Linux with a relative XDG_DATA_HOME', { env: { XDG_DATA_HOME: 'data' } }, '/home/ada/.local/share/gasdesk'],
  ['macOS', { platform: 'darwin' }, '/home/ada/Library/Application Support/Gasdesk'],
  ['Windows', { platform: 'win32', env: { APPDATA: 'C:\\Ada\\Roaming' } }, 'C:\\Ada\\Roaming\\Gasdesk'],
  ['Windows without APPDATA', { platform: 'win32', home: 'C:\\Ada' }, 'C:\\Ada\\AppData\\Roaming\\Gasdesk'],
])('on %s the data lies where that system keeps it', (_, { env = {}, ...part }, expected) => {
  expect(defaultDataFolder(env, { platform: 'linux', home: '/home/ada', temporary: '/tmp', ...part })).toBe(expected);
});

test('a new folder can be entered by its owner only, and every path is inside it', () => {
  const folder = openDataFolder(defaultDataFolder({}, machine), machine);
  const dir = join(root, '.local', 'share', 'gasdesk');
  expect(folder).toEqual({
    dir,
    database: join(dir, 'gasdesk.db'),
    vault: join(dir, 'vault.json'),
    config: join(dir, 'gasdesk.json'),
    keystores: join(dir, 'keystores'),
    lock: join(dir, 'engine.lock'),
    logEnd: join(dir, 'log-end'),
    controlSocket: join(dir, 'run', 'control.sock'),
  });
  expect(mode(dir)).toBe('700');
  expect(openDataFolder(defaultDataFolder({}, machine), machine)).toEqual(folder);
});

test("in a folder open to all the control socket is still the owner's", () => {
  mkdirSync(join(root, 'shared', 'run'), { recursive: true });
  chmodSync(join(root, 'shared', 'run'), 0o777);
  openDataFolder(join(root, 'shared'), machine);
  expect(mode(join(root, 'shared', 'run'))).toBe('700');
});

test.skipIf(process.platform === 'win32').each([0o777, 0o1777, 0o703])(
  'a folder in which every user may put files is refused, with what repairs it: mode %o',
  (open) => {
    const dir = join(root, 'open');
    mkdirSync(dir);
    chmodSync(dir, open);
    expect(refusal(dir).message).toContain(`every user of this machine may write to it. Run: chmod 700 '${dir}'`);
    chmodSync(dir, 0o700);
    openDataFolder(dir, machine);
  },
);

test.skipIf(process.platform === 'win32').each([0o755, 0o775])(
  "a folder of the operator's own that others may read is used, and keeps its mode: %o",
  (own) => {
    const dir = join(root, 'own');
    mkdirSync(dir);
    chmodSync(dir, own);
    openDataFolder(dir, machine);
    expect(mode(dir)).toBe(own.toString(8));
  },
);

test('the same folder by another name is the same engine', () => {
  const dir = join(root, 'data');
  const folder = openDataFolder(dir, machine);
  symlinkSync(dir, join(root, 'link'));
  expect(openDataFolder(join(root, 'link'), machine)).toEqual(folder);
});

test('a deep folder still gets a control socket that can be listened on, private and always the same', async () => {
  const deep = join(root, 'd'.repeat(120));
  const { controlSocket } = openDataFolder(deep, machine);
  expect(Buffer.byteLength(controlSocket)).toBeLessThanOrEqual(100);
  expect(mode(join(controlSocket, '..'))).toBe('700');
  expect(openDataFolder(deep, machine).controlSocket).toBe(controlSocket);
  expect(openDataFolder(`${deep}x`, machine).controlSocket).not.toBe(controlSocket);

  const server = createServer((socket) => socket.end('hello')).listen(controlSocket);
  await once(server, 'listening');
  const [data] = (await once(connect(controlSocket), 'data')) as [Buffer];
  expect(data.toString()).toBe('hello');
  await new Promise((resolve) => server.close(resolve));
});

test('a folder that another user may have put into the temporary folder is not used', () => {
  const deep = join(root, 'd'.repeat(120));
  const folder = join(openDataFolder(deep, machine).controlSocket, '..');
  rmSync(folder, { recursive: true });
  mkdirSync(join(root, 'elsewhere'));
  symlinkSync(join(root, 'elsewhere'), folder);
  expect(refusal(deep).message).toContain('belongs to another user');
});

test('where no socket path is short enough that is said, rather than a socket cut short used', () => {
  const deep = join(root, 'd'.repeat(120));
  expect(refusal(deep, { ...machine, temporary: deep }).message).toContain('too long for a Unix socket');
});

test('on Windows the control socket is a pipe named after the folder', () => {
  const windows: Machine = { ...machine, platform: 'win32' };
  const pipe = openDataFolder(join(root, 'a'), windows).controlSocket;
  expect(pipe).toMatch(/^\\\\\.\\pipe\\gasdesk-[0-9a-f]{16}$/);
  expect(openDataFolder(join(root, 'b'), windows).controlSocket).not.toBe(pipe);
});

test('a path that is a file is refused by name', () => {
  writeFileSync(join(root, 'file'), '');
  expect(refusal(join(root, 'file')).message).toContain(`Cannot use the data folder ${join(root, 'file')}`);
  expect(refusal(join(root, 'file', 'below')).message).toContain('Gasdesk cannot create it or write to it');
});

test.skipIf(process.platform === 'win32')('a read-only folder is refused with a clear message', () => {
  const dir = join(root, 'readonly');
  mkdirSync(dir);
  chmodSync(root, 0o755);
  chmodSync(dir, 0o555);
  // Root may write everywhere, so the check runs as another user.
  const root_ = process.geteuid?.() === 0;
  if (root_) process.seteuid?.(65_534);
  try {
    expect(refusal(dir).message).toContain(
      `Cannot use the data folder ${dir}: Gasdesk cannot create it or write to it`,
    );
  } finally {
    if (root_) process.seteuid?.(0);
  }
});
