import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Wallet } from 'ethers';
import type { Hex } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EntryPointVersion } from '../../src/shared/schema/user-operation.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { INSTALL_MS, installFamily } from './install.ts';
import { CLIENT_PAGES, type Page, readPages } from './read-pages.ts';
import { asOnPublicChains } from './public-contracts.ts';
import { usePlaces } from './use-places.ts';

/** What a page of docs/clients shows runs as it stands, from an empty folder. */

const places = usePlaces();
beforeAll(() => asOnPublicChains(places()));

/** Of the page's program; else 0.7. */
const ENTRY_POINTS: Readonly<Record<string, EntryPointVersion>> = {
  'account-abstraction-sdk': '0.6',
  'biconomy-account': '0.6',
  'biconomy-paymaster': '0.6',
  userop: '0.6',
};

/** Runs a program with nothing but the variables of the README in its environment. */
const run = (folder: string, program: string, variables: Record<string, string>) =>
  promisify(execFile)(process.execPath, [program], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...variables },
    timeout: PATIENCE_MS,
  });

/** The packages that a program imports. */
const importsOf = (program: string): string[] =>
  [...program.matchAll(/from '((?:@[^'/]+\/)?[^'/]+)[^']*'/g)].map(([, imported = '']) => imported);

describe.each(readPages())('$name', ({ name, packages, programs }: Page) => {
  const version = ENTRY_POINTS[name] ?? '0.7';
  let folder: string;
  beforeAll(async () => {
    folder = await installFamily(name);
    // Contracts that the SDK finds on every public chain.
    if (existsSync(join(folder, 'prepare.mjs'))) {
      await run(folder, 'prepare.mjs', { RPC_URL: places().world.chain.url });
    }
  }, INSTALL_MS);

  test('its packages are those that are tested, and all that its programs import', () => {
    const manifest = readFileSync(join(import.meta.dirname, name, 'package.json'), 'utf8');
    const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
    const tested = Object.entries(dependencies).map(([dependency, installed]) => `${dependency}@${installed}`);
    expect(tested).toEqual(expect.arrayContaining([...packages]));
    const installed = packages.map((one) => one.slice(0, one.lastIndexOf('@')));
    expect(installed).toEqual(expect.arrayContaining(programs.flatMap(importsOf)));
  });

  test.each(programs.map((program, index) => ({ program, number: index + 1 })))(
    'program $number is mined, sponsored',
    async ({ program }) => {
      const { world, bundlerUrl, of, mined } = places();
      const { dapp } = of[version];
      const [before] = await dapp.decisions();
      writeFileSync(join(folder, 'app.mjs'), program);
      const { stdout } = await run(folder, 'app.mjs', {
        RPC_URL: world.chain.url,
        BUNDLER_URL: bundlerUrl,
        GASDESK_URL: dapp.url,
        OWNER_KEY: Wallet.createRandom().privateKey,
        CONTRACT: world.contracts.gameItems,
      });
      expect(stdout).toMatch(/^0x[0-9a-f]{64}\n$/);
      const [decision] = await dapp.decisions();
      expect(decision).toMatchObject({ outcome: 'sponsored' });
      expect(decision!.id).not.toBe(before?.id);
      const { success, receipt } = await mined(decision!.userOpHash as Hex);
      expect(success).toBe(true);
      expect([receipt.transactionHash, decision!.userOpHash]).toContain(stdout.trim());
    },
  );
});

test('every page has a program', () => {
  const pages = globSync('*.md', { cwd: CLIENT_PAGES }).filter((file) => file !== 'README.md');
  expect(readPages().map(({ name }) => `${name}.md`)).toEqual(pages.sort());
  for (const { name, packages, programs } of readPages()) {
    expect({ name, packages: packages.length > 0, programs: programs.length > 0 }).toEqual({
      name,
      packages: true,
      programs: true,
    });
  }
});
