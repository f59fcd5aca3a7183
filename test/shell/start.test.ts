import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { lockDataFolder } from '../../src/engine/data-folder/lock.ts';
import { draft } from '../export/stored-decisions.ts';
import { PASSPHRASE } from '../support/quick-engine.ts';
import { type Shell, startShell, startShellInVain } from '../support/shell.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { seedDesk } from './seeded-desk.ts';

const newHome = useTempFolders();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Someone listens where the desk wants to. */
const takePort = async (answer: string): Promise<number> => {
  const server: Server = createServer((_request, response) => response.end(answer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
};

const start = async (home: string, env: Readonly<Record<string, string>> = {}): Promise<Shell> => {
  const shell = await startShell(home, env);
  ends.push(() => shell.quit());
  return shell;
};

const pressing = (...buttons: string[]) => ({ ELECTRON_DOUBLE_PRESSES: JSON.stringify(buttons) });

const urlOf = async ({ page }: Shell): Promise<string> => {
  const info = await page.evaluate(() => window.gasdesk.call('system.info', {}));
  return (info as { output: { url: string } }).output.url;
};

test('a port that another program has is explained, and the desk runs on a free one if the operator wants', async () => {
  const port = await takePort('hello');
  const shell = await start(newHome(), { GASDESK_PORT: String(port), ...pressing('Try again', 'Use a free port') });
  const asked = () => shell.stderr().match(/Message box: .*/g) ?? [];
  await expect.poll(asked).toHaveLength(2);
  const [first] = asked();
  expect(first).toContain(`Port ${port} is taken by another program.`);
  expect(first).toContain(`DApps reach Gasdesk at http://127.0.0.1:${port}`);
  expect(first).toContain('[Try again] [Use a free port] [Quit]');
  expect(await urlOf(shell)).not.toContain(String(port));
});

test('a file named at a second start, while the first asks what to do about its port, is opened in the end', async () => {
  const file = join(newHome(), 'named.jsonl');
  writeFileSync(file, `${JSON.stringify({ ...draft(1), seq: 1 })}\n`);
  const port = await takePort('hello');
  const { page, stderr } = await start(newHome(), {
    ELECTRON_DOUBLE_SECOND_START: file,
    GASDESK_PORT: String(port),
    ...pressing('Use a free port'),
  });
  expect(stderr()).toContain('Message box: ');
  const shown = (): Promise<boolean[]> =>
    Promise.all(
      page
        .context()
        .pages()
        .map((one) => one.getByText('Review of named.jsonl').isVisible()),
    );
  await expect.poll(shown).toContain(true);
});

test('a port of another Gasdesk is recognised, and quitting leaves the folder free', async () => {
  const home = newHome();
  const port = await takePort('{"info":{"title":"Gasdesk"}}');
  const { code, stderr } = await startShellInVain(home, { GASDESK_PORT: String(port), ...pressing('Quit') });
  expect(code).toBe(1);
  expect(stderr).toContain(`Port ${port} is taken by another Gasdesk with another data folder`);
  lockDataFolder(join(home, 'gasdesk')).release();
});

test('a data folder that another Gasdesk uses is explained, and tried again', async () => {
  const home = newHome();
  await seedDesk(home);
  const lock = lockDataFolder(join(home, 'gasdesk'));
  ends.push(() => lock.release());
  const { code, stderr } = await startShellInVain(home, pressing('Try again', 'Quit'));
  expect(code).toBe(1);
  const asked = stderr.match(/Message box: .*/g);
  expect(asked).toHaveLength(2);
  expect(asked?.[0]).toContain(`Process ${process.pid}, such as "gasdesk serve", uses ${join(home, 'gasdesk')}`);
});

test('invalid settings are reported, and the application ends', async () => {
  const { code, stderr } = await startShellInVain(newHome(), { GASDESK_PORT: 'x' });
  expect(code).toBe(1);
  expect(stderr).toContain('Gasdesk cannot start: ');
  expect(stderr).toContain('GASDESK_PORT');
});

test('a start that opens the application to debuggers ends before it touches a data folder', async () => {
  const home = newHome();
  const { code, stderr } = await startShellInVain(home, {}, '--remote-debugging-port=0');
  expect(code).toBe(1);
  expect(stderr).toContain('Gasdesk does not start while --remote-debugging-port opens it to debuggers.');
  expect(existsSync(join(home, 'gasdesk'))).toBe(false);
});

test('while the window is open its desk serves the console to browsers too', async () => {
  const address = `${await urlOf(await start(newHome()))}/console/`;
  const page = await fetch(address);
  const text = await page.text();
  expect([page.status, text]).toEqual([200, expect.stringContaining('<div id="app">')]);
  const [, href = ''] = /<link rel="icon" href="([^"]+)"/.exec(text) ?? [];
  const icon = await fetch(new URL(href, address));
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
});

test('without a keyring the passphrase is asked for in the window, and is in no log and no file', async () => {
  const home = newHome();
  await seedDesk(home);
  const { page, stderr } = await start(home, { GASDESK_LOG_LEVEL: 'debug' });
  const field = page.getByLabel('Passphrase');
  await field.fill('not the passphrase');
  await page.getByRole('button', { name: 'Unlock the vault' }).click();
  await page.getByText('Wrong passphrase: the vault stays locked').waitFor();
  await page.screenshot({ path: join(import.meta.dirname, '../../test-artifacts/vault-locked.png') });
  await field.fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Unlock the vault' }).click();
  await page.getByText('Vault unlocked').waitFor();
  expect(stderr()).not.toMatch(/correct horse|not the passphrase/);
  expect(existsSync(join(home, 'gasdesk', 'vault.key'))).toBe(false);
});

test('a new desk makes its vault with a passphrase that is typed once, and can be read before it counts', async () => {
  const { page } = await start(newHome());
  const field = page.getByLabel('Passphrase', { exact: true });
  await field.fill('short');
  await page.getByText('Use at least').waitFor();
  expect(await page.getByRole('button', { name: 'Create the vault' }).isDisabled()).toBe(true);
  await field.fill('long enough now');
  expect(await field.getAttribute('type')).toBe('password');
  await page.getByRole('button', { name: 'Show the passphrase' }).click();
  expect(await field.getAttribute('type')).toBe('text');
  await page.screenshot({ path: join(import.meta.dirname, '../../test-artifacts/vault-new.png') });
  await page.getByRole('button', { name: 'Create the vault' }).click();
  await page.getByText('Vault unlocked').waitFor();
});

test('with a keyring no passphrase is asked for: a key in the keyring makes and unlocks the vault', async () => {
  const home = newHome();
  const keyring = { ELECTRON_DOUBLE_KEYRING: 'gnome_libsecret' };
  const first = await startShell(home, keyring);
  await first.page.getByText('Vault unlocked').waitFor();
  expect(await first.quit()).toBe(0);
  const kept = Buffer.from(readFileSync(join(home, 'gasdesk', 'vault.key'), 'utf8'), 'base64').toString();
  expect(kept).toMatch(/^sealed by the keyring:/);
  const second = await startShell(home, keyring);
  await second.page.getByText('Vault unlocked').waitFor();
  expect(await second.quit()).toBe(0);
  // Elsewhere the keyring does not know the key.
  const { page } = await start(home);
  await page.getByText('The vault is locked').waitFor();
});

test('a vault that had a passphrase asks for it once, and is opened by the keyring from then on', async () => {
  const home = newHome();
  await seedDesk(home);
  const keyring = { ELECTRON_DOUBLE_KEYRING: 'gnome_libsecret' };
  const first = await startShell(home, keyring);
  await first.page.getByLabel('Passphrase').fill(PASSPHRASE);
  await first.page.getByRole('button', { name: 'Unlock the vault' }).click();
  await first.page.getByText('Vault unlocked').waitFor();
  await first.quit();
  const { page } = await start(home, keyring);
  await page.getByText('Vault unlocked').waitFor();
});

test('a key file that the keyring does not open is left alone, and the passphrase is asked for', async () => {
  const home = newHome();
  await seedDesk(home);
  const file = join(home, 'gasdesk', 'vault.key');
  writeFileSync(file, 'garbage');
  const { page } = await start(home, { ELECTRON_DOUBLE_KEYRING: 'gnome_libsecret' });
  await page.getByText('The vault is locked').waitFor();
  expect(readFileSync(file, 'utf8')).toBe('garbage');
});
