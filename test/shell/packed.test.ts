import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { extractAll, listPackage, statFile } from '@electron/asar';
import { beforeAll, expect, test } from 'vitest';
import { startShell } from '../support/shell.ts';
import { PASSPHRASE } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const root = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const newFolder = useTempFolders();

/** Before its fuses an Electron binary has this text, then the version of the list and its length, in a byte each. */
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
/** In the order of the list, from `@electron/fuses`. */
const FUSES = [
  'runAsNode',
  'cookieEncryption',
  'nodeOptions',
  'nodeCliInspect',
  'asarIntegrity',
  'onlyLoadAppFromAsar',
  'browserV8Snapshot',
  'fileProtocolPrivileges',
];

/** As much of a distribution of Electron as packing touches, its fuses as Electron ships them. */
const stubElectron = (folder: string): string => {
  const { version } = JSON.parse(readFileSync(require.resolve('electron/package.json'), 'utf8')) as { version: string };
  const fuses = [Buffer.from(FUSE_SENTINEL), Buffer.from([1, FUSES.length]), Buffer.from('10110001')];
  mkdirSync(join(folder, 'resources'), { recursive: true });
  writeFileSync(join(folder, 'electron'), Buffer.concat([Buffer.alloc(64), ...fuses, Buffer.alloc(64)]));
  writeFileSync(join(folder, 'version'), version);
  writeFileSync(join(folder, 'LICENSE'), '');
  return folder;
};

let packed: string;
let archive: string;
let files: string[];

beforeAll(async () => {
  const folder = newFolder();
  const options = [
    `--config.electronDist=${stubElectron(join(folder, 'electron'))}`,
    `--config.directories.output=${join(folder, 'dist')}`,
  ];
  const electronBuilder = join(dirname(require.resolve('electron-builder/package.json')), 'cli.js');
  const args = [electronBuilder, '--linux', 'dir', '--x64', ...options];
  await promisify(execFile)(process.execPath, args, { cwd: root });
  packed = join(folder, 'dist', 'linux-unpacked');
  archive = join(packed, 'resources', 'app.asar');
  files = listPackage(archive, { isPack: false })
    .map((file) => file.slice(1))
    .filter((file) => !('files' in statFile(archive, file)));
});

test('what is delivered is what runs: bundles, manifest and native packages, no sources, tests, tools or maps', () => {
  const kinds = [
    /^out\/main\/index[.]js$/,
    /^out\/main\/(copy|review|signing|threshold|trial)-worker[.]js$/,
    // What both share.
    /^out\/main\/[\w.-]+-[\w-]{8}[.]js$/,
    /^out\/preload\/index[.]cjs$/,
    /^out\/renderer\/(index[.]html|assets\/[\w.-]+[.](js|css|woff2))$/,
    /^out\/renderer\/icon[.](png|svg)$/,
    /^package[.]json$/,
    /^node_modules\/better-sqlite3\/(package[.]json|lib\/[\w/-]+[.]js)$/,
    /^node_modules\/better-sqlite3\/prebuilds\/linux-x64[.]node$/,
    /^node_modules\/secp256k1\/(package[.]json|bindings[.]js|prebuilds\/linux-x64\/[\w.]+[.]node)$/,
    /^node_modules\/node-gyp-build\/(package[.]json|[\w-]+[.]js)$/,
  ];
  expect(files.filter((file) => !kinds.some((kind) => kind.test(file)))).toEqual([]);
  expect(kinds.filter((kind) => !files.some((file) => kind.test(file)))).toEqual([]);
});

test('native modules lie outside of the archive, where the system can load them, and nothing else does', () => {
  const outside = files.filter((file) => 'unpacked' in statFile(archive, file));
  expect(outside).toEqual(files.filter((file) => file.endsWith('.node')));
  expect(outside).toContain('node_modules/better-sqlite3/prebuilds/linux-x64.node');
});

test('the binary cannot be made to run other code: its fuses are set', () => {
  const binary = readFileSync(join(packed, 'gasdesk'));
  const first = binary.indexOf(FUSE_SENTINEL) + FUSE_SENTINEL.length + 2;
  const isOn = (_fuse: string, index: number): boolean => binary[first + index] === '1'.charCodeAt(0);
  expect(FUSES.filter(isOn)).toEqual(['cookieEncryption', 'asarIntegrity', 'onlyLoadAppFromAsar']);
});

test('nothing is missing: what was packed starts, opens its vault and shows the console', async () => {
  const app = join(packed, 'resources', 'app');
  extractAll(archive, app);
  const env = { GASDESK_PASSPHRASE: PASSPHRASE };
  const shell = await startShell(newFolder(), env, join(app, 'out', 'main', 'index.js'));
  await shell.page.getByText('Vault unlocked').waitFor();
  const versions = await shell.page.evaluate(() => window.gasdesk.call('paymasterContracts.versions', {}));
  expect(versions).toMatchObject({ ok: true });
  expect(await shell.quit()).toBe(0);
});
