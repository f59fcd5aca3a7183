import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { findAnvil } from '../../src/demo/local-chain.ts';
import { startPlaying, usePrinting } from '../support/cli.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const newFolder = useTempFolders();

let installed: string;
const gasdesk = (...args: string[]) =>
  run(process.execPath, [join(installed, 'out/cli/index.js'), ...args], { env: { GASDESK_ANVIL: findAnvil() } });

/** As `npm install` would leave it, without asking a registry: only what the package names as its dependencies is there. */
beforeAll(async () => {
  await run(process.execPath, [join(root, 'scripts/build-cli.ts')], { cwd: root });
  await run(process.execPath, [join(root, 'scripts/build-notices.ts')], { cwd: root });
  const folder = newFolder();
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: root,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await run('tar', ['xzf', join(folder, filename), '-C', folder]);
  installed = join(folder, 'package');
  mkdirSync(join(folder, 'node_modules'));
  const { dependencies } = require(join(installed, 'package.json')) as { dependencies: Record<string, string> };
  for (const name of Object.keys(dependencies)) {
    symlinkSync(dirname(require.resolve(`${name}/package.json`)), join(folder, 'node_modules', name));
  }
});

test('the package holds what runs and what is read, and nothing else', () => {
  const kinds = [
    /^(package[.]json|README[.]md|LICENSE)$/,
    /^docs\/([\w-]+\/)?[\w.-]+[.]md$/,
    /^docs\/examples\/policy[.]yaml$/,
    /^docs\/playground[.]webp$/,
    /^out\/cli\/[\w.-]+[.]js$/,
    // The window's, which is named in the manifest: npm takes it along.
    /^out\/main\/index[.]js$/,
    /^out\/playground\/(index[.]html|assets\/[\w.-]+[.](js|css|svg|woff2))$/,
    /^out\/renderer\/(index[.]html|icon[.](png|svg)|assets\/[\w.-]+[.](js|css|woff2))$/,
    /^resources\/contracts\/[\w.-]+[.]json$/,
    /^resources\/grafana-dashboard[.]json$/,
    /^resources\/gasdesk[.]service$/,
    /^resources\/proof-page[.]html$/,
    /^resources\/(sbom[.]cdx[.]json|third-party-licenses[.]txt)$/,
  ];
  const files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
  expect(files.filter((file) => !kinds.some((kind) => kind.test(file)))).toEqual([]);
  expect(kinds.filter((kind) => !files.some((file) => kind.test(file)))).toEqual([]);
});

test('its bill of materials names each package that it contains once, with its license, as do the texts of the licenses', () => {
  const { components } = JSON.parse(readFileSync(join(installed, 'resources/sbom.cdx.json'), 'utf8')) as {
    components: { purl: string; licenses?: unknown[] }[];
  };
  const names = components.map(({ purl }) => purl.replace('pkg:npm/', '').replace('%40', '@'));
  expect(new Set(names).size).toBe(names.length);
  expect(components.filter(({ licenses }) => licenses === undefined)).toEqual([]);
  // From the command line, the console, the page of proofs, the fonts, the contracts, and what npm installs.
  for (const name of ['koa', 'vue', '@noble/curves', '@fontsource-variable/inter', 'better-sqlite3'])
    expect(
      names.some((one) => one.startsWith(`${name}@`)),
      name,
    ).toBe(true);
  expect(names).toContain('@account-abstraction/contracts@0.6.0');
  const texts = readFileSync(join(installed, 'resources/third-party-licenses.txt'), 'utf8');
  expect(names.filter((name) => !texts.includes(`\n${name.replace(/@([^@]+)$/, ' $1')}: `))).toEqual([]);
});

test('doctor names the version of the installed package and a hash of its scripts, which anyone can compute', async () => {
  // It fails, since there is no desk.
  const { stdout } = await gasdesk('doctor', '--json', '--data', newFolder()).catch(
    (error: unknown) => error as { stdout: string },
  );
  const { checks } = JSON.parse(stdout) as { checks: { name: string; detail: string }[] };
  const sum = await run('sh', ['-c', 'LC_ALL=C sha256sum *.js | sha256sum'], { cwd: join(installed, 'out/cli') });
  const { version } = require(join(installed, 'package.json')) as { version: string };
  const detail = `Version ${version}, SHA-256 ${sum.stdout.slice(0, 64)}`;
  expect(checks.find(({ name }) => name === 'program')?.detail).toBe(detail);
});

const startPrinting = usePrinting();
const browser = useConsoleBrowser();
test('the installed package runs the demo on a local chain, and opens a playground in which a visitor mints', async () => {
  const demo = await startPlaying({ GASDESK_ANVIL: findAnvil() }, join(installed, 'out/cli/index.js'));
  const page = await browser().open(demo.url);
  await page.getByRole('button', { name: 'Mint an item' }).click();
  await page.getByText('Sponsored: Mint an item').waitFor();
  await page.getByRole('link', { name: 'See this decision in the console' }).click();
  await page.frameLocator('iframe').getByText('mint(1)').filter({ visible: true }).first().waitFor();
  const { stdout, stderr } = await demo.end();
  expect(stdout).toContain('All steps succeeded.');
  expect(stderr).toBe('');
});

test('the installed package sets up a chain, a bundler and a DApp for an app', async () => {
  const env = { GASDESK_ANVIL: findAnvil(), PATH: process.env['PATH'] ?? '' };
  const lines = /^RPC_URL=\S+\nGASDESK_URL=\S+\nCONTRACT=0x[\da-fA-F]{40}\n/;
  for (const version of ['0.7', '0.8', '0.9']) {
    const args = ['dev', '--port', '0', '--entry-point', version];
    const { end } = await startPrinting(args, lines, env, join(installed, 'out/cli/index.js'));
    expect(await end('SIGINT')).toMatchObject({ code: 0, stderr: expect.stringContaining('Ctrl-C ends everything') });
  }
});

test('the installed package serves the console, on SQLite without any code that speaks to PostgreSQL', async () => {
  const folder = join(installed, 'out/cli');
  const bundles = readdirSync(folder).filter((file) =>
    readFileSync(join(folder, file), 'utf8').includes('SCRAM-SHA-256'),
  );
  expect(bundles).not.toEqual([]);
  expect(bundles).not.toContain('index.js');
  // No test here needs it.
  for (const file of bundles) rmSync(join(folder, file));
  const serving = gasdesk('serve', '--port', '0', '--data', newFolder());
  const { child } = serving;
  const ended = serving.catch(() => undefined);
  const line = await new Promise<string>((resolve) => child.stdout?.once('data', (chunk) => resolve(String(chunk))));
  const response = await fetch(`${(JSON.parse(line) as { url: string }).url}/console/`);
  expect(await response.text()).toContain('<div id="app">');
  child.kill('SIGTERM');
  await ended;
});
