import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineError } from '../../shared/errors.ts';
import { lockDataFolder, lockFile } from './lock.ts';

let dir: string;
let children: ChildProcess[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gasdesk-lock-'));
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map(kill));
  rmSync(dir, { recursive: true });
});

/** Another process that takes the lock, prints `held` or the error code, and keeps the lock until it is killed. */
const SCRIPT = `
  const { lockDataFolder } = await import(${JSON.stringify(new URL('./lock.ts', import.meta.url).href)});
  try {
    lockDataFolder(process.argv[1]);
    globalThis.gc();
    console.log('held');
    process.stdin.resume();
  } catch (error) {
    console.log(error.code);
  }`;

const contender = async (): Promise<{ child: ChildProcess; said: string }> => {
  const args = ['--expose-gc', '--input-type=module', '--eval', SCRIPT, dir];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, said: said.toString().trim() };
};

const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
};

const refusal = (): EngineError => {
  try {
    lockDataFolder(dir).release();
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError);
    return error as EngineError;
  }
  throw new Error('was not refused');
};

test('two engines cannot spend from one data folder: the second is refused, with the folder and the holder', async () => {
  const { child, said } = await contender();
  expect(said).toBe('held');
  const error = refusal();
  expect(error.code).toBe('DATA_FOLDER_IN_USE');
  expect(error.message).toContain(`Process ${child.pid} uses the data folder ${dir}`);
  expect(error.data).toEqual({ dir, pid: child.pid });
  expect((await contender()).said).toBe('DATA_FOLDER_IN_USE');
});

test('after kill -9 of the engine a restart is not refused', async () => {
  const { child, said } = await contender();
  expect(said).toBe('held');
  await kill(child);
  lockDataFolder(dir).release();
  expect((await contender()).said).toBe('held');
});

test('the same process cannot take a folder twice, and trying does not lose it the lock', async () => {
  const lock = lockDataFolder(dir);
  expect(refusal().code).toBe('DATA_FOLDER_IN_USE');
  expect(refusal().data).toEqual({ dir, pid: process.pid });
  expect((await contender()).said).toBe('DATA_FOLDER_IN_USE');
  lock.release();
  expect((await contender()).said).toBe('held');
});

test('the same folder by another name is refused too', () => {
  const link = join(dir, 'link');
  symlinkSync(dir, link);
  const lock = lockDataFolder(dir);
  expect(() => lockDataFolder(link)).toThrow('uses the data folder');
  lock.release();
});

test('a released lock is free, releasing again takes nothing from the next holder, and no journal or pid stays', () => {
  const first = lockDataFolder(dir);
  first.release();
  const second = lockDataFolder(dir);
  first.release();
  expect(refusal()).toMatchObject({ code: 'DATA_FOLDER_IN_USE', data: { dir, pid: process.pid } });
  second.release();
  expect(readdirSync(dir)).toEqual(['engine.lock']);
});

test('a refusal without a readable pid still says what is wrong', async () => {
  await contender();
  for (const content of ['', 'garbage', '-1']) {
    writeFileSync(join(dir, 'engine.pid'), content);
    const error = refusal();
    expect(error.message).toContain(`Another process uses the data folder ${dir}`);
    expect(error.data).toEqual({ dir });
  }
});

test('a lock file that cannot be one is reported as such, not as a running engine', () => {
  writeFileSync(lockFile(dir), 'x'.repeat(4_096));
  const error = refusal();
  expect(error.code).toBe('DATA_FOLDER_UNUSABLE');
  expect(error.message).toContain(lockFile(dir));
  rmSync(lockFile(dir));
  lockDataFolder(dir).release();
  expect(existsSync(lockFile(dir))).toBe(true);
});

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test.skipIf(process.platform === 'win32')("the lock is its owner's alone, also one that an older version made", () => {
  const before = process.umask(0);
  try {
    lockDataFolder(dir).release();
    expect(mode(lockFile(dir))).toBe('600');
    chmodSync(lockFile(dir), 0o644);
    const lock = lockDataFolder(dir);
    expect(mode(lockFile(dir))).toBe('600');
    chmodSync(lockFile(dir), 0o666);
    // The second engine also repairs the file's mode, without harm to the first.
    expect(refusal().code).toBe('DATA_FOLDER_IN_USE');
    expect(mode(lockFile(dir))).toBe('600');
    expect(refusal().code).toBe('DATA_FOLDER_IN_USE');
    lock.release();
  } finally {
    process.umask(before);
  }
});

test.skipIf(process.geteuid?.() !== 0)(
  'another user of the machine cannot hold it, and so keep the desk from starting',
  () => {
    // The other user must be able to enter this folder, and the tests' temporary folder is closed to other users.
    const entered = mkdtempSync('/tmp/gasdesk-lock-');
    chmodSync(entered, 0o755);
    writeFileSync(join(entered, 'readable'), 'by all', { mode: 0o644 });
    let foreign: Database.Database | undefined;
    try {
      lockDataFolder(entered).release();
      process.seteuid?.(65_534);
      expect(readFileSync(join(entered, 'readable'), 'utf8')).toBe('by all');
      expect(() => {
        foreign = new Database(lockFile(entered), { readonly: true });
        // A shared lock, which any reader could take.
        foreign.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
      }).toThrow('unable to open database file');
      process.seteuid?.(0);
      lockDataFolder(entered).release();
    } finally {
      process.seteuid?.(0);
      foreign?.close();
      rmSync(entered, { recursive: true });
    }
  },
);

test('a folder that is not there is reported', () => {
  expect(() => lockDataFolder(join(dir, 'absent'))).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_UNUSABLE' }));
});
