import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockDataFolder } from '../../src/engine/data-folder/lock.ts';
import type { ConsoleBridge } from '../../src/shared/console-bridge.ts';
import type { desktop } from '../support/electron-double/desktop.ts';
import { type Shell, portOf, startShell } from '../support/shell.ts';
import { HOSTILE_NAME, PASSPHRASE, type SeededDesk, seedDesk } from './seeded-desk.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

/** What the double shows in addition to Electron. */
type Double = typeof Electron & { desktop: typeof desktop };

declare global {
  interface Window {
    readonly gasdesk: ConsoleBridge;
    hacked?: unknown;
  }
}

const artifacts = join(import.meta.dirname, '../../test-artifacts');

let homes: string;
const newHome = (): string => mkdtempSync(join(homes, 'home-'));

beforeAll(() => {
  homes = makeTempFolder();
});

afterAll(() => removeTempFolder(homes));

describe('on a desk with DApps and decisions', () => {
  let desk: SeededDesk;
  let shell: Shell;

  beforeAll(async () => {
    const home = newHome();
    desk = await seedDesk(home);
    shell = await startShell(home);
    await shell.page.getByRole('button', { name: 'Continue without unlocking' }).click();
    await shell.page.getByText('in total').waitFor();
  });

  afterAll(() => shell.quit());

  const goTo = (page: string): Promise<void> => shell.page.getByRole('link', { name: page, exact: true }).click();

  const call = (name: unknown, input?: unknown): Promise<unknown> =>
    shell.page.evaluate(([name, input]) => window.gasdesk.call(name as string, input), [name, input]);

  test('the operator sees that the engine runs and that the vault is locked', async () => {
    const bar = await shell.page.getByRole('banner').first().innerText();
    expect(bar).toContain('Engine running');
    expect(bar).toContain('Vault locked');
    expect(bar).toMatch(/Version \d+\.\d+\.\d+/);
    expect(await shell.page.getByRole('alert').innerText()).toContain('Unlock the vault…');
  });

  test('the operator sees the DApps and can copy an API key that is shown shortened', async () => {
    await goTo('DApps');
    const row = shell.page.getByRole('row', { name: 'Game Items' });
    expect(await row.innerText()).toContain('Local chain');
    await row.getByRole('button', { name: 'Copy API key of Game Items' }).click();
    await row.getByText('Copied').waitFor();
    expect(await shell.evaluate(({ clipboard }) => clipboard.readText())).toBe(desk.apiKey);
    await goTo('Overview');
  });

  test('a denied operation says who asked, why not, and what to change', async () => {
    const denied = shell.page.getByRole('listitem').filter({ hasText: 'Denied' });
    const text = await denied.innerText();
    expect(text).toMatch(/an operation by 0x[\da-f]{4}…[\da-f]{4} · Game Items, Local chain/i);
    expect(text).toContain('burn(uint256)');
    expect(text).toContain("to the contract's whitelisted methods");
    expect(text).toContain('3 minutes ago');
  });

  test('a decision made now waits behind a button, and does not move what is being read', async () => {
    const { page } = shell;
    const port = await portOf(shell);
    const operation = {
      sender: `0x${'ab'.repeat(20)}`,
      nonce: '0x0',
      callData: '0x',
      maxFeePerGas: '0x1',
      maxPriorityFeePerGas: '0x1',
    };
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'pm_sponsorUserOperation',
      params: [operation, { mode: 'SPONSORED' }],
    };
    await fetch(`http://127.0.0.1:${port}/api/v1/31337/${desk.apiKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const more = page.getByRole('button', { name: '1 new decision' });
    await more.waitFor();
    const feed = page.getByRole('region', { name: 'Latest decisions' }).getByRole('listitem');
    expect(await feed.count()).toBe(3);
    await more.click();
    await expect.poll(() => feed.first().innerText()).toContain('0xabab…abab');
  });

  test('a name that is markup is shown as text and runs nothing', async () => {
    await goTo('DApps');
    await shell.page.getByRole('row').filter({ hasText: HOSTILE_NAME }).waitFor();
    expect(await shell.page.locator('img').count()).toBe(0);
    expect(await shell.page.evaluate(() => window.hacked)).toBeUndefined();
    await goTo('Overview');
  });

  test('every procedure can be called, and answers what the engine answers', async () => {
    expect(await call('paymasters.list', {})).toMatchObject({ ok: true, output: [{}, { apiKey: expect.any(String) }] });
  });

  test.each([
    ['an unknown procedure', 'no.such', {}, 'METHOD_NOT_FOUND'],
    ['an inherited member', 'toString', {}, 'METHOD_NOT_FOUND'],
    ['a name that is no text', { a: 1 }, {}, 'METHOD_NOT_FOUND'],
    ['input of another type', 'decisions.list', 'all', 'VALIDATION'],
    ['no input', 'decisions.list', undefined, 'VALIDATION'],
    ['an unknown key', 'decisions.list', { all: true }, 'VALIDATION'],
    ['what does not exist', 'decisions.show', { decisionId: 'x' }, 'DECISION_NOT_FOUND'],
  ])('%s is answered, not thrown', async (_what, name, input, code) => {
    expect(await call(name, input)).toEqual({ ok: false, code, message: expect.any(String), data: expect.any(Object) });
  });

  test('the page has the bridge and nothing of Node or Electron', async () => {
    const seen = await shell.page.evaluate(() => {
      const globals = globalThis as unknown as Record<string, unknown>;
      return {
        foreign: ['require', 'process', 'module', 'Buffer', 'ipcRenderer', 'electron'].filter(
          (name) => name in globals,
        ),
        bridge: Object.keys(window.gasdesk),
        frozen: Object.isFrozen(window.gasdesk),
        replaced: Reflect.set(window, 'gasdesk', {}),
      };
    });
    expect(seen).toEqual({ foreign: [], bridge: ['call', 'copy', 'print'], frozen: true, replaced: false });
  });

  test.each([
    ['a page', HOSTILE_NAME],
    ['a path', '/etc/passwd'],
    ['a filter with a page in it', { html: HOSTILE_NAME }],
    ['a filter of another kind', { outcome: HOSTILE_NAME }],
  ])('the page cannot have %s opened in the browser of the operator', async (_what, payload) => {
    const refused = await shell.page.evaluate(
      (payload) => window.gasdesk.print(payload).catch((error: unknown) => String(error)),
      payload,
    );
    expect(refused).toContain('EngineError');
    expect(await shell.evaluate((electron) => (electron as Double).desktop.opened)).toEqual([]);
  });

  test('what the page has printed is made from the filter, and names in it that are markup are text', async () => {
    await shell.page.evaluate(() => window.gasdesk.print({ outcome: 'error' }));
    const [file = ''] = await shell.evaluate((electron) => (electron as Double).desktop.opened.splice(0));
    const report = readFileSync(file, 'utf8');
    expect(report).toContain('&lt;img src=x');
    expect(report).not.toMatch(/<script|<img/);
    expect(report).toContain('default-src &#39;none&#39;');
  });

  test('the page reaches no network and runs no script that did not come with the application', async () => {
    const tried = await shell.page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.hacked = "inline"';
      document.head.append(script);
      const sent = await fetch('https://stranger.example/').then(
        () => 'sent',
        () => 'blocked',
      );
      return { sent, hacked: window.hacked };
    });
    expect(tried).toEqual({ sent: 'blocked', hacked: undefined });
  });

  test('the page cannot be led elsewhere, nor open a window', async () => {
    const { page } = shell;
    const before = page.url();
    const opened = await page.evaluate(() => {
      const link = Object.assign(document.createElement('a'), { href: 'https://stranger.example/', target: '_blank' });
      link.click();
      return window.open('https://stranger.example/') === null;
    });
    expect(opened).toBe(true);
    await page.evaluate(() => window.location.assign('https://stranger.example/'));
    // Answered by the page that is still there.
    await expect.poll(() => call('system.info', {})).toMatchObject({ ok: true });
    expect(page.url()).toBe(before);
    expect(
      page
        .context()
        .pages()
        .filter((one) => one.url().includes('stranger')),
    ).toEqual([]);
  });

  test('redirects, webviews and permissions are denied', async () => {
    const prevented = await shell.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      return ['will-redirect', 'will-attach-webview', 'will-navigate', 'will-frame-navigate'].map((name) => {
        let denied = false;
        contents?.emit(name, { preventDefault: () => (denied = true) });
        return denied;
      });
    });
    expect(prevented).toEqual([true, true, true, true]);
    const permissions = await shell.page.evaluate(() =>
      Promise.all(
        (['geolocation', 'notifications'] as const).map(
          async (name) => (await navigator.permissions.query({ name })).state,
        ),
      ),
    );
    expect(permissions).toEqual(['denied', 'denied']);
  });

  test.each(['app://console/..%2f..%2fpackage.json', 'app://console/%2e%2e/main/index.js', 'app://other/index.html'])(
    'no file outside the console is served: %s',
    async (url) => {
      expect(await shell.evaluate(async ({ net }, url) => (await net.fetch(url)).status, url)).toBe(404);
    },
  );

  test('the window comes forward when the application is started again', async () => {
    const windows = await shell.evaluate(({ app, BrowserWindow }) => {
      app.emit('second-instance');
      return BrowserWindow.getAllWindows().map((window) => window.isVisible());
    });
    expect(windows).toEqual([true]);
  });

  test('what the operator sees is kept as a picture, in both themes', async () => {
    await shell.page.mouse.move(0, 0);
    for (const colorScheme of ['light', 'dark'] as const) {
      await shell.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await shell.page.waitForFunction(
        (wanted) => getComputedStyle(document.querySelector('.panel')!).backgroundColor === wanted,
        colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(28, 31, 36)',
      );
      const picture = await shell.page.screenshot({ path: join(artifacts, `overview-${colorScheme}.png`) });
      expect(picture.length).toBeGreaterThan(10_000);
    }
  });
});

test('a page that is not the console gets nothing from the engine', async () => {
  const home = newHome();
  const shell = await startShell(home);
  await shell.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.loadURL('data:text/html,<title>stranger</title>'),
  );
  await shell.page.waitForFunction(() => document.title === 'stranger');
  expect(await shell.page.evaluate(() => window.gasdesk.call('paymasters.list', {}))).toMatchObject({
    ok: false,
    code: 'FORBIDDEN_ORIGIN',
  });
  expect(await shell.page.evaluate(() => window.gasdesk.copy('x').catch(() => 'refused'))).toBe('refused');
  await shell.quit();
});

test('an empty desk says what to do first', async () => {
  const shell = await startShell(newHome());
  await shell.page.getByRole('button', { name: 'Continue without a vault' }).click();
  await shell.page.getByText('Send your first sponsored operation').waitFor();
  await shell.page.getByRole('alert').waitFor();
  const text = await shell.page.getByRole('main').innerText();
  expect(text).toContain('Stores the keys of Gasdesk');
  expect(text).toContain('No decisions yet');
  expect(text).toContain('No vault yet');
  await shell.page.screenshot({ path: join(artifacts, 'overview-empty.png') });
  await shell.quit();
});

test('the passphrase opens the vault, and after quitting another engine can use the folder', async () => {
  const home = newHome();
  await seedDesk(home);
  const shell = await startShell(home, { GASDESK_PASSPHRASE: PASSPHRASE });
  await shell.page.getByText('Vault unlocked').waitFor();
  expect(await shell.quit()).toBe(0);
  lockDataFolder(join(home, 'gasdesk')).release();
});
