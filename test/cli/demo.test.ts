import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findAnvil } from '../../src/demo/local-chain.ts';
import { decidingRules } from '../../src/core/decision/rule-words.ts';
import { gasdeskProcess } from '../support/cli.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { playsAll } from '../support/combinations.ts';

const tempFolder = useTempFolders();

test('the demo has an operation sponsored, one denied by each rule and one paid in a token, and leaves nothing behind', async () => {
  const dir = tempFolder();
  const { code, stdout, stderr } = await gasdeskProcess(['demo', '--once'], { TMPDIR: dir });
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/\nAll steps succeeded\.\n$/);
  const denied = [...stdout.matchAll(/✓ denied by (\w+)/g)].map(([, rule]) => rule);
  expect([...new Set(denied)].sort()).toEqual([...decidingRules].sort());
  expect(stdout).toMatch(/Gasdesk sponsors the operation(.*\n)*.*the tank of the funding wallet paid for it/);
  expect(stdout).toMatch(/cost, taken from the deposit +0\.\d+ ETH, worth \d\.\d+ USDT\n +income, at the treasury +\d/);
  expect(stdout).toMatch(/income less cost +0\.\d+ USDT\n/);
  expect(readdirSync(dir)).toEqual([]);
});

test.runIf(playsAll)('a demo that does not go as planned says what is different, and exits 1', async () => {
  const dir = tempFolder();
  const anvil = join(dir, 'anvil');
  // A chain on which gas costs nothing, so that an empty tank is enough.
  writeFileSync(anvil, `#!/bin/sh\nexec '${findAnvil()}' "$@" --block-base-fee-per-gas 0\n`);
  chmodSync(anvil, 0o755);
  const { code, stdout, stderr } = await gasdeskProcess(['demo', '--once'], { GASDESK_ANVIL: anvil });
  expect({ code }, stdout).toEqual({ code: 1 });
  expect(stderr).toMatch(/Step failed: denied by gasTank: GAS_TANK_EMPTY; instead it is sponsored/);
  expect(stdout).not.toContain('All steps succeeded');
});
