import { execFile, execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  cpSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/engine/config/config.ts';
import { defaultDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { gasdeskProcess, useServe } from '../support/cli.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { desks, makeSecrets, read } from './compose-file.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const newFolder = useTempFolders();
const serve = useServe();

/** The Containerfile by its instructions, a pair each: `RUN` and what is run. */
const instructions = read('Containerfile')
  .replaceAll(/^#.*$/gm, '')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .flatMap((line) => (line === '' ? [] : [/^([A-Z]+) (.*)$/.exec(line)?.slice(1) as [string, string]]));
const all = (name: string): string[] => instructions.flatMap(([key, value]) => (key === name ? [value] : []));
const environment = Object.fromEntries(all('ENV').map((pair) => pair.split('=') as [string, string]));

/** The files that `COPY . .` takes from a clean clone: what .dockerignore lets through. */
const copied = (): string[] => {
  const lines = read('.dockerignore').split('\n');
  const taken = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const isTaken = (file: string): boolean => taken.some((name) => file === name || file.startsWith(`${name}/`));
  return files.toString().split('\n').filter(isTaken);
};

/** A PATH with what the slim image of Node.js has, and with no compiler, Python or git. */
const slimPath = (): string => {
  const folder = newFolder();
  const programs = ['sh', 'env', 'cat', 'chmod', 'cp', 'dirname', 'ln', 'mkdir', 'rm', 'tail', 'tar', 'gzip', 'npm'];
  const find = (name: string): string => execFileSync('which', [name], { encoding: 'utf8' }).trim();
  for (const name of programs) symlinkSync(realpathSync(find(name)), join(folder, name));
  symlinkSync(process.execPath, join(folder, 'node'));
  return folder;
};

/** What `COPY --from=build /image/ /` takes, and the script of its program. */
let image: string;
let script: string;
beforeAll(async () => {
  const clean = newFolder();
  image = newFolder();
  script = join(image, 'opt/gasdesk/out/cli/index.js');
  for (const file of copied()) {
    mkdirSync(dirname(join(clean, file)), { recursive: true });
    cpSync(join(root, file), join(clean, file));
  }
  // What `npm ci` installs, without a registry.
  symlinkSync(join(root, 'node_modules'), join(clean, 'node_modules'));
  const env = { PATH: slimPath(), HOME: newFolder() };
  for (const step of all('RUN').filter((command) => command.startsWith('scripts/container.sh '))) {
    const [steps = '', ...args] = step.replace('/image', image).split(' ');
    await run(join(clean, steps), args, { cwd: clean, env });
  }
});

describe('the image that the steps of the Containerfile make', () => {
  it('has a program that serves, and that the health check finds well', async () => {
    expect(join(image, readlinkSync(join(image, 'usr/local/bin/gasdesk')))).toBe(script);
    accessSync(script, constants.X_OK);
    const desk = await serve(['--data', newFolder(), '--host', '127.0.0.1'], {}, script);
    const [, check = '[]'] = /CMD (\[.*\])$/.exec(all('HEALTHCHECK')[0] ?? '') ?? [];
    const [node, ...args] = JSON.parse(check) as string[];
    expect(node).toBe('node');
    const isWell = () =>
      run(process.execPath, args, { env: { GASDESK_PORT: new URL(desk.url).port } }).then(
        () => true,
        () => false,
      );
    expect(await isWell()).toBe(true);
    desk.signal('SIGTERM');
    expect((await desk.ended).code).toBe(0);
    expect(await isWell()).toBe(false);
  });

  it('keeps its data in its volume, is not run by root, and is given settings that there are', () => {
    const others = all('RUN').filter((command) => !command.startsWith('scripts/container.sh '));
    const [data = ''] = all('VOLUME');
    expect(others).toEqual([`install -d -m 700 -o node -g node ${data}`]);
    expect(defaultDataFolder(environment, { platform: 'linux', home: '/', temporary: '/tmp' })).toBe(data);
    expect(all('USER')).toEqual(['node']);
    expect(all('ENTRYPOINT').concat(all('CMD'))).toEqual(['["gasdesk"]', '["serve"]']);
    expect(loadConfig({ env: environment })).toMatchObject({ host: '0.0.0.0', port: Number(all('EXPOSE')[0]) });
    expect(Object.keys(environment).join(' ')).not.toMatch(/PASS|SECRET|TOKEN/);
  });
});

/** A file of a container, where the secrets are in this folder. */
const inFolder = (folder: string, file: string): string => file.replace('/run/secrets/', `${folder}/secrets/`);

const isLeftOut = findPostgres() === undefined && !process.env['CI'];
const reason = isLeftOut ? ' (left out: no PostgreSQL here)' : '';

describe.skipIf(isLeftOut)(`what the compose file starts${reason}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  /** The database of the compose file's PostgreSQL: empty, and with a password. */
  const protect = async (password: string): Promise<void> => {
    await server.query('CREATE DATABASE gasdesk');
    await server.query(`ALTER USER gasdesk PASSWORD '${password}'`);
    await server.query(`DO $$ BEGIN
      EXECUTE format('COPY (SELECT ''host all all 127.0.0.1/32 scram-sha-256'') TO %L', current_setting('hba_file'));
    END $$`);
    await server.query('SELECT pg_reload_conf()');
  };

  it('is one desk with three engines, whose secrets are in files alone', async () => {
    const folder = newFolder();
    makeSecrets(folder);
    const [passphrase, password] = ['passphrase', 'postgres-password'].map((name) =>
      readFileSync(join(folder, 'secrets', name), 'utf8').trim(),
    );
    await protect(password ?? '');
    const address = `127.0.0.1:${server.port}`;
    const passwords = join(folder, 'secrets', 'pgpass');
    writeFileSync(passwords, readFileSync(passwords, 'utf8').replace('postgres:5432', address));
    const started = desks.map(([name, { command = [], environment }]) => {
      const data = join(folder, name);
      mkdirSync(data, { mode: 0o700 });
      const { GASDESK_DATABASE = '', PGPASSFILE = '' } = environment;
      const url = GASDESK_DATABASE.replace('@postgres/', `@${address}/`);
      const env = { GASDESK_DATABASE: url, PGPASSFILE: inFolder(folder, PGPASSFILE) };
      const [verb, ...args] = command.map((part) => inFolder(folder, part));
      expect(verb).toBe('serve');
      return { data, env, serving: serve([...args, '--data', data], env, script) };
    });
    const serving = await Promise.all(started.map((one) => one.serving));
    for (const { url } of serving) expect((await fetch(`${url}/healthz`)).status).toBe(200);

    const chains = [1, 10, 137];
    for (const [index, chain] of chains.entries()) {
      const { data = '', env } = started[index] ?? {};
      const created = await gasdeskProcess(['signer', 'create', '--chain', String(chain), '--data', data], env, script);
      expect(created, created.stderr).toMatchObject({ code: 0 });
    }
    for (const { data, env } of started) {
      const known = async () => {
        const { stdout } = await gasdeskProcess(['signer', 'list', '--json', '--data', data], env, script);
        return (JSON.parse(stdout) as { chainId: number }[]).map(({ chainId }) => chainId).toSorted((x, y) => x - y);
      };
      await expect.poll(known).toEqual(chains);
    }
    for (const desk of serving) desk.signal('SIGTERM');
    for (const { code, stdout, stderr } of await Promise.all(serving.map(({ ended }) => ended))) {
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stdout + stderr).not.toContain(password);
      expect(stdout + stderr).not.toContain(passphrase);
    }
  });
});
