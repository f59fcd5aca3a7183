import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gasdesk, useServe } from '../support/cli.ts';
import { PASSPHRASE, quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();

const UNLOCKED = { GASDESK_PASSPHRASE: PASSPHRASE };

/** A folder with a vault that opens quickly. */
const folderWithVault = async (): Promise<string> => {
  const dir = tempFolder();
  await (await quickEngine(dir)).stop();
  return dir;
};

const URL_WITH_KEY = 'https://us3rname:pa55word@rpc.example.com/v2/pr0vider-k3y?token=qu3ry';
const PARTS = ['us3rname', 'pa55word', 'pr0vider-k3y', 'qu3ry'];

/** The bytes of every file in the folder but the encrypted vault. */
const inTheOpen = (dir: string): string =>
  readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'vault.json')
    .map((entry) => readFileSync(join(dir, entry.name), 'latin1'))
    .join('\n');

describe.concurrent('an RPC URL that carries credentials', () => {
  const set = (dir: string) => ['chain', 'set', '31337', '--rpc', URL_WITH_KEY, '--data', dir];

  it('is refused where the vault is not open, with what to do', async () => {
    const dir = tempFolder();
    const { code, stdout, stderr } = await gasdesk(set(dir));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^gasdesk: There is no vault yet\. Create it\. .*GASDESK_PASSPHRASE.*\n$/);
    for (const part of PARTS) expect(inTheOpen(dir)).not.toContain(part);
  });

  it('is in the vault alone: the list shows its origin, and the database not even that it has a path', async () => {
    const dir = await folderWithVault();
    expect((await gasdesk(set(dir), UNLOCKED)).code).toBe(0);
    const list = await gasdesk(['chain', 'list', '--json', '--data', dir]);
    expect(JSON.parse(list.stdout)).toContainEqual(
      expect.objectContaining({ chainId: 31337, rpc: 'https://rpc.example.com/…' }),
    );
    const vault = readFileSync(join(dir, 'vault.json'), 'utf8');
    for (const part of PARTS) {
      expect(list.stdout).not.toContain(part);
      expect(inTheOpen(dir)).not.toContain(part);
      expect(vault).not.toContain(part);
    }
  });

  it('is not in the log of the service either, nor in what a command says when the node is gone', async () => {
    const dir = await folderWithVault();
    const desk = await serve(['--data', dir], UNLOCKED);
    const url = 'http://127.0.0.1:1/?token=qu3ry';
    await gasdesk(['chain', 'set', '31337', '--rpc', url, '--data', dir]);
    const doctor = await gasdesk(['doctor', '--data', dir]);
    desk.signal('SIGTERM');
    const { stderr } = await desk.ended;
    expect(doctor.stdout).toMatch(/^ERROR +chain 31337 +The node of chain 31337 cannot be reached/m);
    for (const text of [doctor.stdout, doctor.stderr, stderr]) expect(text).not.toContain('qu3ry');
  });
});

describe.concurrent('the password of a database', () => {
  const PASSWORD = 'pa55word';
  const url = `postgres://desk:${PASSWORD}@127.0.0.1:1/gasdesk`;
  const shown = 'postgres://desk@127.0.0.1:1/gasdesk';

  it('is refused on the command line, with the ways to give it', async () => {
    for (const command of [['serve'], ['chain', 'list'], ['config', 'print'], ['doctor']]) {
      const { code, stdout, stderr } = await gasdesk([...command, '--database', url, '--data', tempFolder()]);
      expect({ command, code, stdout }).toEqual({ command, code: 1, stdout: '' });
      expect(stderr).toMatch(/GASDESK_DATABASE.*PGPASSWORD.*PGPASSFILE/);
      expect(stderr).not.toContain(PASSWORD);
    }
  });

  it('is in no output of any command', async () => {
    const dir = tempFolder();
    const file = join(dir, 'any.gasdesk-backup');
    writeFileSync(join(dir, 'gasdesk.json'), JSON.stringify({ database: url }));
    for (const env of [{ GASDESK_DATABASE: url }, {}]) {
      const printed = await gasdesk(['config', 'print', '--data', dir], env);
      expect(printed.stdout).toContain(shown);
      const others = [['serve', '--port', '0'], ['doctor'], ['chain', 'list'], ['backup'], ['restore', file]];
      const ran = await Promise.all(
        others.map((command) => gasdesk([...command, '--data', dir], { ...env, ...UNLOCKED })),
      );
      for (const { code, stdout, stderr } of [printed, ...ran]) {
        expect(stdout + stderr).not.toContain(PASSWORD);
        expect(code === 0).toBe(stdout === printed.stdout);
      }
      const { stderr } = ran[4] ?? printed;
      expect(stderr).toContain('"gasdesk database copy');
    }
  });

  it('is not that of another database than the one of the service on the same folder', async () => {
    const dir = tempFolder();
    await serve(['--data', dir]);
    const { code, stderr } = await gasdesk(['chain', 'list', '--data', dir], { GASDESK_DATABASE: url });
    expect(code).toBe(1);
    expect(stderr).toContain(`uses SQLite, not ${shown}`);
    expect((await gasdesk(['chain', 'list', '--data', dir], { GASDESK_DATABASE: '' })).code).toBe(0);
  });
});

describe.concurrent('a private key', () => {
  const importKey = (dir: string, file: string) =>
    gasdesk(['signer', 'import', '--chain', '1', '--private-key-file', file, '--data', dir], UNLOCKED);
  const key = 'ab'.repeat(32);

  it.each([
    ['without 0x', key],
    ['that is too short', `0x${key.slice(2)}`],
    ['of zeros, which is on no curve', `0x${'00'.repeat(32)}`],
    ['that is empty', ''],
  ])('%s is refused in words that do not repeat it', async (_what, content) => {
    const dir = await folderWithVault();
    const file = join(dir, 'key');
    writeFileSync(file, content);
    const { code, stdout, stderr } = await importKey(dir, file);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^gasdesk: privateKey must be a .* private key\n$/);
    expect(stderr).not.toContain(key.slice(2));
  });

  it('in an unreadable file is reported by the name of the file', async () => {
    const dir = await folderWithVault();
    for (const file of [join(dir, 'nowhere'), dir]) {
      const { code, stderr } = await importKey(dir, file);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining(`gasdesk: Cannot read the file ${file}: `),
      });
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    }
  });
});

describe.concurrent('the passphrase', () => {
  it('can come from a file, whose line break is not part of it', async () => {
    const dir = tempFolder();
    const file = join(dir, 'passphrase');
    writeFileSync(file, 'correct horse\r\n');
    const create = ['signer', 'create', '--chain', '1', '--data', dir];
    expect((await gasdesk([...create, '--passphrase-file', file])).code).toBe(0);
    const again = [...create, '--replace'];
    expect((await gasdesk(again, { GASDESK_PASSPHRASE: 'correct horse' })).code).toBe(0);
  });

  it('must not be empty', async () => {
    const dir = tempFolder();
    const file = join(dir, 'passphrase');
    writeFileSync(file, '\n');
    const { code, stderr } = await gasdesk(['account', 'list', '--data', dir, '--passphrase-file', file]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'gasdesk: The passphrase must not be empty\n' });
  });
});
