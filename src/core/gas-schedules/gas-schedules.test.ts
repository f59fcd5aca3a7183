import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ForkConfig, measuredSchedule, scheduleOfConfig } from './recognize.ts';
import { gasSchedules } from './schedules.ts';

const cancun = ['ECREC', 'KZG_POINT_EVALUATION'];
const prague = [...cancun, 'BLS12_G1ADD'];
const osaka = [...prague, 'P256VERIFY'];
const config = (precompiles: string[], systemContracts: string[] = [], activationTime = 0): ForkConfig => ({
  precompiles,
  systemContracts,
  activationTime,
});
const amsterdam = config(osaka, ['BEACON_ROOTS_ADDRESS', 'BUILDER_DEPOSIT_CONTRACT_ADDRESS'], 1_800_000_000);

test.each([
  ['cancun', config(cancun)],
  ['prague', config(prague)],
  ['osaka', config(osaka)],
  ['amsterdam', amsterdam],
  [null, config(['ECREC'])],
])('a node that is configured for it has the gas schedule %s', (name, current) => {
  expect(scheduleOfConfig(current, null)).toEqual({ name, source: 'eth_config', next: null });
});

test('the next fork is known beforehand, unless it leaves gas prices as they are', () => {
  expect(scheduleOfConfig(config(osaka), amsterdam).next).toEqual({ name: 'amsterdam', at: 1_800_000_000_000 });
  expect(scheduleOfConfig(config(osaka), config(osaka, [], 1_700_000_000)).next).toBeNull();
});

test.each([
  [37_000n, false, 'cancun'],
  [61_000n, false, 'prague'],
  [61_000n, true, 'osaka'],
  // Geth estimates up to 1.5 % more than is needed.
  [80_180n, true, 'amsterdam'],
  // A layer 2 that adds the gas of layer 1 data, and an upgrade that Gasdesk does not know.
  [57_000n, false, null],
  [85_000n, true, null],
])('1,000 bytes that take %s gas, with a limit: %s, show the gas schedule %s', (gas, hasLimit, name) => {
  expect(measuredSchedule(gas, hasLimit)).toBe(name);
});

/** Every number of a schedule that would be recognised in code: not a price that is also a usual number. */
const constants = new Set(
  Object.values(gasSchedules).flatMap(
    ({ name: _, authorization, callData: _bytes, callDataFloor: _floor, ...prices }) =>
      [...Object.values(prices), ...Object.values(authorization)].filter(
        (price): price is bigint => typeof price === 'bigint' && price >= 2_000n && price % 1_000_000n !== 0n,
      ),
  ),
);
/** Numbers of the same size that are no prices of gas: measured gas of paymaster contracts, and a count. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'src/core/paymaster-layouts/biconomy-token.ts': ['15_000n'],
  'src/core/worst-case/play.ts': ['10_000n'],
  'src/core/paymaster-layouts/singleton.ts': ['25_000n'],
};

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|rows)\.ts$/.test(file))
    .map((file) => join(folder, file));

test('no price of gas stands outside of the gas schedules, where a fork would pass it by', () => {
  const stray = ['src/core', 'src/engine', 'src/shared', 'src/api'].flatMap(filesIn).flatMap((file) => {
    if (file.startsWith('src/core/gas-schedules/')) return [];
    const literals = readFileSync(file, 'utf8').match(/(?<![\w.])\d[\d_]*n\b/g) ?? [];
    return literals
      .filter((literal) => constants.has(BigInt(literal.slice(0, -1).replaceAll('_', ''))))
      .filter((literal) => !(OTHERS[file] ?? []).includes(literal))
      .map((literal) => `${file}: ${literal}`);
  });
  expect(stray).toEqual([]);
});
