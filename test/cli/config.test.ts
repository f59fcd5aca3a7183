import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliEnvironment, gasdesk, gasdeskProcess, useServe } from '../support/cli.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();

/** A data folder with this `gasdesk.json`. */
const folderWith = (config: object): string => {
  const dir = tempFolder();
  writeFileSync(join(dir, 'gasdesk.json'), JSON.stringify(config));
  return dir;
};

const printed = async (dir: string, env: CliEnvironment = {}) => {
  const { code, stdout, stderr } = await gasdesk(['config', 'print', '--data', dir, '--json'], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const entries = JSON.parse(stdout) as { key: string; value: unknown; source: string }[];
  return new Map(entries.map(({ key, value, source }) => [key, { value, source }]));
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
};

describe.concurrent('the configuration', () => {
  it('comes from the environment before the file, and from the file before the defaults', async () => {
    const dir = folderWith({ port: 1111, chainTimeoutMs: 2222 });
    const config = await printed(dir, { GASDESK_PORT: '3333' });
    expect(config.get('port')).toEqual({ value: 3333, source: 'GASDESK_PORT' });
    expect(config.get('chainTimeoutMs')).toEqual({ value: 2222, source: join(dir, 'gasdesk.json') });
    expect(config.get('host')).toEqual({ value: '127.0.0.1', source: 'default' });
  });

  it('comes from the command line before everything else', async () => {
    const port = await freePort();
    const dir = folderWith({ host: '0.0.0.0', port: 1 });
    // The helper's --port 0 stands before this one; the last one counts.
    const desk = await serve(['--data', dir, '--host', '127.0.0.1', '--port', String(port)], { GASDESK_PORT: '2' });
    expect(desk.url).toBe(`http://127.0.0.1:${port}`);
  });

  it('is printed for people as a table', async () => {
    const { stdout } = await gasdesk(['config', 'print', '--data', tempFolder()]);
    expect(stdout).toMatch(/^key +value +source$/m);
    expect(stdout).toMatch(/^port +8645 +default$/m);
  });

  it.each([
    [
      'a key that nothing reads',
      { prot: 1 },
      /^gasdesk: Configuration: prot \(from .*gasdesk\.json\) is not a setting/,
    ],
    [
      'a value that cannot be',
      { port: 'high' },
      /^gasdesk: Configuration: port \(from .*gasdesk\.json\) must be an integer/,
    ],
  ])('with %s stops the service, also where it would be overridden', async (_what, config, message) => {
    const { code, stdout, stderr } = await gasdesk(['serve', '--port', '0', '--data', folderWith(config)]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('is changed for good, whether or not the service runs, and says when that is in force', async () => {
    const dir = tempFolder();
    const source = join(dir, 'gasdesk.json');
    const change = async (...args: string[]): Promise<unknown> => {
      const { code, stdout, stderr } = await gasdesk(['config', ...args, '--data', dir, '--json']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout) as unknown;
    };
    expect(await change('set', 'rateLimitPerKey', '60')).toMatchObject({ key: 'rateLimitPerKey', value: 60, source });
    await serve(['--data', dir]);
    expect(await change('set', 'showReasons', 'false')).toMatchObject({ value: false, note: 'In effect now' });
    expect(await change('set', 'webhookAllowPrivate', 'false')).toMatchObject({
      value: false,
      note: 'Takes effect when the service restarts',
    });
    expect(await change('unset', 'showReasons')).toMatchObject({ value: true, source: 'default' });
    const config = await printed(dir);
    expect(config.get('rateLimitPerKey')).toEqual({ value: 60, source });
    expect(config.get('webhookAllowPrivate')).toEqual({ value: false, source });
    const refused = await gasdesk(['config', 'set', 'port', '1', '--data', dir]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('port cannot be changed here')]);
  });

  it('never prints the passphrase, not even one under a misspelt name', async () => {
    const dir = tempFolder();
    const right = await gasdesk(['config', 'print', '--data', dir], { GASDESK_PASSPHRASE: 'hunter2' });
    expect(right.code).toBe(0);
    const misspelt = await gasdesk(['config', 'print', '--data', dir], { GASDESK_PASPHRASE: 'hunter2' });
    expect(misspelt.code).toBe(1);
    expect(misspelt.stderr).toContain('GASDESK_PASPHRASE');
    for (const { stdout, stderr } of [right, misspelt]) expect(stdout + stderr).not.toContain('hunter2');
  });
});

describe.concurrent('the data folder', () => {
  it.skipIf(process.platform !== 'linux')("is the operating system's where none is named", async () => {
    const home = tempFolder();
    const { code } = await gasdesk(['account', 'list'], { XDG_DATA_HOME: home });
    expect(code).toBe(0);
    expect(readdirSync(join(home, 'gasdesk'))).toContain('gasdesk.db');
  });

  it('may have a path too long for a socket, with blanks and beyond ASCII', async () => {
    const dir = join(tempFolder(), 'Größe and  blanks', 'x'.repeat(120));
    mkdirSync(dir, { recursive: true });
    await serve(['--data', dir]);
    // The socket is in the folder for temporary files, which a process of its own may have elsewhere.
    const { code, stdout } = await gasdeskProcess(['account', 'list', '--data', dir, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(1);
  });
});
