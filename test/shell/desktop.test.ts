import { once } from 'node:events';
import { createWriteStream, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MenuItem } from 'electron';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportDecisions } from '../../src/cli/export-decisions.ts';
import type { desktop } from '../support/electron-double/desktop.ts';
import { PASSPHRASE } from '../support/quick-engine.ts';
import { type Shell, startShell } from '../support/shell.ts';
import { makeTempFolder, removeTempFolder, useTempFolders } from '../support/temp-folder.ts';
import { gameCall, operation, sponsorRequest } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

/** What the double shows in addition to Electron. */
type Double = typeof Electron & { desktop: typeof desktop };

const newHome = useTempFolders();
const world = useSponsoredWorld();
let dapp: SponsoredDapp;
let shell: Shell;
/** Where the application puts what it does not keep. */
let temporary: string;
/** A decision export. */
let exported: string;

beforeAll(async () => {
  temporary = makeTempFolder();
  dapp = await world().dapp(0n);
  await world().registerGameItems(dapp);
  await dapp.sponsor(operation({ to: world().contracts.gameItems, data: gameCall('burn') }));
  exported = join(temporary, 'one.jsonl');
  const out = createWriteStream(exported);
  const { service } = world().engine;
  await exportDecisions((name, input) => service.call(name, input), {}, out);
  out.end();
  await once(out, 'close');
  // The application takes over the desk.
  await world().engine.stop();
  shell = await startShell(world().home, { GASDESK_PASSPHRASE: PASSPHRASE, TMPDIR: temporary });
  await shell.page.getByText('Vault unlocked').waitFor();
});
afterAll(async () => {
  await shell.quit();
  removeTempFolder(temporary);
});

const inDesktop = <Result>(look: (there: Double['desktop']) => Result): Promise<Awaited<Result>> =>
  shell.evaluate(
    (electron, source) =>
      // The function crosses as text.
      (globalThis as unknown as { eval: (text: string) => (there: unknown) => Result }).eval(`(${source})`)(
        (electron as Double).desktop,
      ),
    String(look),
  );

describe('the tray', () => {
  const tray = () =>
    inDesktop(({ trays }) =>
      trays.map(({ toolTip, menu }) => ({
        toolTip,
        items: menu?.items.filter(({ visible, type }) => visible && type !== 'separator').map(({ label }) => label),
      })),
    );

  test('says that the desk sponsors, and offers what the engine can do', async () => {
    await expect
      .poll(tray)
      .toEqual([
        { toolTip: 'Gasdesk: Sponsoring', items: ['Sponsoring', 'Open Gasdesk', 'Pause all sponsorship', 'Quit'] },
      ]);
  });

  test('pauses all sponsorship and resumes it, and the window says so', async () => {
    const press = (label: string): Promise<void> =>
      shell.evaluate(
        (electron, pressed) =>
          (
            (electron as Double).desktop.trays[0]?.menu?.items.find((item) => item.label === pressed) as
              { click(): void } | undefined
          )?.click(),
        label,
      );
    await press('Pause all sponsorship');
    await expect.poll(async () => (await tray())[0]?.toolTip).toBe('Gasdesk: All sponsorship is paused');
    await shell.page.getByText('Paused from the tray').waitFor();
    await press('Resume sponsorship');
    await expect.poll(async () => (await tray())[0]?.toolTip).toBe('Gasdesk: Sponsoring');
    await shell.page.getByText('Paused from the tray').waitFor({ state: 'detached' });
  });
});

/** Chooses an item of a menu, which is named by its label or its role. */
const click = (menu: string, label: string): Promise<void> =>
  shell.evaluate(
    ({ Menu }, [menu, label]) => {
      const top = Menu.getApplicationMenu()?.items.find((item) => item.label === menu || item.role === menu);
      const item = top?.submenu?.items.find((one) => one.label === label);
      if (item === undefined) throw new Error(`There is no ${label}`);
      (item as unknown as { click(): void }).click();
    },
    [menu, label],
  );

describe('the menu', () => {
  test('leads to every page without reloading the console', async () => {
    await shell.page.evaluate(() => ((window as unknown as { kept: boolean }).kept = true));
    for (const page of ['Decisions', 'DApps', 'Tokens', 'Activity', 'Settings', 'Overview']) {
      await click('View', page);
      await shell.page.getByRole('heading', { name: page, exact: true, level: 1 }).waitFor();
    }
    expect(await shell.page.evaluate(() => (window as unknown as { kept?: boolean }).kept)).toBe(true);
  });

  test('has the standard menus, each shortcut once, and one link outside', async () => {
    const menus = await shell.evaluate(({ Menu }) =>
      Menu.getApplicationMenu()?.items.map(({ label, role, submenu }) => ({
        name: label || role,
        keys: submenu?.items.flatMap(({ accelerator }: MenuItem) => accelerator ?? []) ?? [],
      })),
    );
    expect(menus?.map(({ name }) => name)).toEqual(['File', 'editMenu', 'View', 'windowMenu', 'help']);
    const keys = menus?.flatMap((menu) => menu.keys) ?? [];
    expect(keys).toHaveLength(7);
    expect(new Set(keys).size).toBe(7);
    await click('help', 'ERC-4337 in full');
    await click('File', 'Open data folder');
    expect(await inDesktop(({ opened }) => opened.slice(-2))).toEqual([
      'https://eips.ethereum.org/EIPS/eip-4337',
      join(world().home, 'gasdesk'),
    ]);
  });
});

test('an export is reviewed in a window of its own, which changes nothing and leaves nothing behind', async () => {
  await shell.evaluate((electron, file) => void (electron as Double).desktop.chosen.push(file), exported);
  const [page] = await Promise.all([shell.page.context().waitForEvent('page'), click('File', 'Open for review…')]);
  await page.getByText('Review of one.jsonl').waitFor();
  const refused = await page.evaluate(() => window.gasdesk.call('system.pause', {}));
  expect(refused).toMatchObject({ ok: false, code: 'REVIEW_READ_ONLY' });
  await page.getByRole('link', { name: 'Decisions', exact: true }).click();
  await page.getByRole('button', { name: 'Report', exact: true }).click();
  await page.getByRole('button', { name: 'Print or save as PDF' }).click();
  await expect.poll(() => inDesktop(({ opened }) => opened.at(-1))).toMatch(/report-1[.]html$/);
  const report = (await inDesktop(({ opened }) => opened.at(-1))) ?? '';
  expect(readFileSync(report, 'utf8')).toContain('<!doctype html>');
  expect(reviews()).toHaveLength(1);
  await closeReview();
  await expect.poll(reviews).toEqual([]);
});

/** Starts the application once more with a file, which the first start opens. */
const openBySecondStart = (file: string): Promise<void> =>
  shell.evaluate(({ app }, named) => void app.emit('second-instance', {}, [], '', { file: named }), file);

const closeReview = (): Promise<void> =>
  shell.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[1]?.close());

/** What reviews of the application have unpacked. */
const reviews = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('gasdesk-review-'));

const urlOfDesk = async (): Promise<string> => {
  const info = await shell.page.evaluate(() => window.gasdesk.call('system.info', {}));
  return (info as { output: { url: string } }).output.url;
};

const askForSponsorship = (url: string): Promise<Response> => {
  const burn = operation({ to: world().contracts.gameItems, data: gameCall('burn') });
  return fetch(`${url}/api/v1/31337/${dapp.apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sponsorRequest([burn, { mode: 'SPONSORED' }])),
  });
};

test('while a large export is opened, which its window says, the desk continues to decide; closing cancels it', async () => {
  const large = join(temporary, 'large.jsonl');
  const decision = JSON.parse(readFileSync(exported, 'utf8').split('\n', 1)[0] ?? '') as object;
  const lines = Array.from({ length: 30_000 }, (_, index) =>
    JSON.stringify({ ...decision, id: `d${index}`, seq: index + 1 }),
  );
  writeFileSync(large, `${lines.join('\n')}\n`);
  const url = await urlOfDesk();
  const [page] = await Promise.all([shell.page.context().waitForEvent('page'), openBySecondStart(large)]);
  await page.getByRole('heading', { name: 'Opening large.jsonl' }).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({
      path: join(import.meta.dirname, `../../test-artifacts/review-opening-${colorScheme}.png`),
    });
  }
  let decided = 0;
  for (; page.url().startsWith('data:'); decided += 1) await askForSponsorship(url);
  await page.getByText('Review of large.jsonl').waitFor();
  expect(decided).toBeGreaterThan(10);
  await closeReview();
  await expect.poll(reviews).toEqual([]);

  const [again] = await Promise.all([shell.page.context().waitForEvent('page'), openBySecondStart(large)]);
  await again.getByRole('heading', { name: 'Opening large.jsonl' }).waitFor();
  await expect.poll(reviews).toHaveLength(1);
  await closeReview();
  await expect.poll(reviews).toEqual([]);
  expect(shell.stderr()).not.toContain('given up');
});

test('a file that is no export is explained, and a file named at a second start is opened by the first', async () => {
  const damaged = join(temporary, 'damaged.jsonl');
  writeFileSync(damaged, `${readFileSync(exported, 'utf8')}{"id":`);
  await openBySecondStart(damaged);
  await expect.poll(() => shell.stderr()).toContain('Cannot review this file: Line 2');
  const [page] = await Promise.all([shell.page.context().waitForEvent('page'), openBySecondStart(exported)]);
  await page.getByText('Review of one.jsonl').waitFor();
  await closeReview();
});

test('an empty tank and a burst of denials are notified once each, and a click opens the decision', async () => {
  const url = await urlOfDesk();
  for (let count = 0; count < 25; count += 1) await askForSponsorship(url);
  await expect
    .poll(() =>
      inDesktop(({ notifications }) =>
        notifications.map(({ title }) => title).filter((one) => !one.includes('paused')),
      ),
    )
    .toEqual([
      expect.stringMatching(/^The gas tank of .* is empty$/),
      expect.stringMatching(/^Many operations of .* are denied$/),
    ]);
  await inDesktop(({ notifications }) => notifications.find(({ title }) => title.includes('denied'))?.emit('click'));
  await shell.page.getByRole('complementary', { name: 'Decision' }).waitFor();
  expect(shell.page.url()).toMatch(/#\/decisions\/[\w-]{36}$/);
});

test('a page whose process dies is loaded again where it was, once by itself, and the operator is notified', async () => {
  const die = (): Promise<void> =>
    shell.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      contents?.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 });
    });
  await shell.page.evaluate(() => (window.location.hash = '#/tokens'));
  await shell.page.evaluate(() => (window.hacked = 'before'));
  await die();
  await shell.page.waitForFunction(() => window.hacked === undefined);
  await shell.page.getByRole('heading', { name: 'Tokens', exact: true, level: 1 }).waitFor();
  await expect.poll(() => shell.stderr()).toContain('The console crashed and was reloaded');
  await shell.page.evaluate(() => (window.hacked = 'again'));
  await die();
  await expect.poll(() => shell.stderr()).toContain('The console crashed again');
  expect(await shell.page.evaluate(() => window.hacked)).toBe('again');
});

test('the window opens where it was closed', async () => {
  const other = newHome();
  const bounds = { x: 120, y: 80, width: 900, height: 640 };
  const first = await startShell(other);
  await first.evaluate(({ BrowserWindow }, bounds) => {
    BrowserWindow.getAllWindows()[0]?.setBounds(bounds);
    BrowserWindow.getAllWindows()[0]?.maximize();
  }, bounds);
  await first.quit();
  const file = join(other, 'gasdesk', 'window', 'window.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...bounds, isMaximised: true });
  writeFileSync(file, JSON.stringify({ ...bounds, x: 9_000, isMaximised: false }));
  const second = await startShell(other);
  const seen = await second.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((window) => [window.getNormalBounds(), window.isMaximized()]),
  );
  // The double puts a window without a position at the upper left.
  expect(seen).toEqual([[{ ...bounds, x: 0, y: 0 }, false]]);
  await second.quit();
});
