import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { useTempFolders } from '../../../../test/support/temp-folder.ts';
import { createLog } from '../../base/log.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../store/store.ts';
import { type BelievedPrice, type BelievedFees, createBelievedFees } from './believed-fees.ts';

const GWEI = 10n ** 9n;
const MINUTE_MS = 60_000;
const tempFolder = useTempFolders();
const log = createLog({ level: 'silent' });

let clock: ManualClock;
let dir: string;
let store: Store;
let fees: BelievedFees;
let reads: number;
let writes: number;

/** Another engine on the same database, or the same engine after a restart. */
const engine = (): BelievedFees =>
  createBelievedFees({
    clock,
    log,
    store: {
      chainFees(chainId) {
        reads += 1;
        return store.chainFees(chainId);
      },
      saveChainFees(chainId, seen) {
        writes += 1;
        return store.saveChainFees(chainId, seen);
      },
    },
  });

const open = (): void => {
  store = openSqliteStore(join(dir, 'gasdesk.db'), { clock, log });
};

const chain = (chainId: number) => ({
  chainId,
  name: null,
  symbol: null,
  rpc: 'http://127.0.0.1:1',
  bundler: null,
  treasury: null,
  breaker: null,
  unreachableBudgetWei: null,
  maxOperationCostWei: null,
  forwardBundler: null,
  price: null,
  gasSchedule: null,
});

beforeEach(async () => {
  clock = new ManualClock(1_700_000_000_000);
  dir = tempFolder();
  [reads, writes] = [0, 0];
  open();
  await store.saveChain(chain(5));
  fees = engine();
});
afterEach(() => store.close());

let number = 1_000;
/** Reads the chain's fees, a number of 12-second blocks later. */
const read = async (baseFeePerGas: bigint, tip: bigint | undefined, blocks = 1, by = fees): Promise<BelievedPrice> => {
  number += blocks;
  await clock.advance(blocks * 12_000);
  return by.believe(5, { block: { number, baseFeePerGas }, suggestedTipWei: tip });
};

it('believes the first reading, on a chain with tips and hardly a base fee as well', async () => {
  expect(await read(30n, 30n * GWEI)).toEqual({ baseFeeWei: 30n, tipWei: 30n * GWEI });
});

it('believes what a node suggests that suggests nothing: nothing', async () => {
  expect(await read(GWEI, undefined)).toEqual({ baseFeeWei: GWEI, tipWei: undefined });
});

it('is moved by one reading no more than a chain could be', async () => {
  await read(5_000_000n, GWEI);
  expect(await read(5_000_000_000n, 100n * GWEI)).toEqual({ baseFeeWei: 5_625_000n, tipWei: GWEI });
});

it.each<[string, bigint, bigint, bigint[]]>([
  [
    'a base fee that doubles within a minute',
    10n * GWEI,
    GWEI,
    [12n, 14n, 15n, 17n, 19n, 21n].map((fee) => fee * GWEI),
  ],
  ['fees of layer 2', 5_000_000n, 1_000_000n, [5_000_001n, 5_100_000n, 4_900_000n]],
  ['no base fee at all', 0n, GWEI, [0n, 0n]],
])('believes all of %s', async (_what, first, tip, later) => {
  await read(first, tip);
  // The believed fee lags behind a fee in gwei that keeps rising by at most an eighth.
  for (const baseFee of later) expect((await read(baseFee, tip)).baseFeeWei * 9n).toBeGreaterThanOrEqual(baseFee * 8n);
});

it('believes a chain that was not looked at for hours', async () => {
  await read(GWEI, GWEI);
  expect((await read(500n * GWEI, GWEI, 1_500)).baseFeeWei).toBe(500n * GWEI);
});

it('believes higher tips once most hours had them, and not before', async () => {
  for (let hour = 0; hour < 6; hour += 1) await read(GWEI, GWEI, 300);
  const believed: bigint[] = [];
  for (let hour = 0; hour < 8; hour += 1) believed.push((await read(GWEI, 50n * GWEI, 300)).tipWei!);
  expect(believed).toEqual([...Array.from({ length: 6 }, () => GWEI), 50n * GWEI, 50n * GWEI]);
});

it('knows all of it after it was started again, however long that took', async () => {
  for (let hour = 0; hour < 3; hour += 1) await read(5_000_000n, GWEI, 300);
  await fees.stop();
  await store.close();
  open();
  await clock.advance(30 * 86_400_000);
  fees = engine();
  expect(await read(5_000_000n, 100n * GWEI, 0)).toEqual({ baseFeeWei: 5_000_000n, tipWei: GWEI });
  expect(await read(5_000_000_000n, 100n * GWEI)).toEqual({ baseFeeWei: 5_625_000n, tipWei: GWEI });
});

it('reads and writes the database once a minute at most while nothing new is seen', async () => {
  await read(GWEI, GWEI);
  for (let n = 0; n < 500; n += 1) {
    await clock.advance(100);
    await read(GWEI, GWEI, 0);
  }
  expect([reads, writes]).toEqual([1, 1]);
  await clock.advance(MINUTE_MS);
  await read(GWEI, GWEI, 0);
  expect([reads, writes]).toEqual([2, 2]);
});

it('takes over what another engine has seen, within a minute', async () => {
  await read(GWEI, 100n * GWEI);
  const other = engine();
  await read(GWEI, GWEI, 4, other);
  expect((await read(GWEI, 100n * GWEI, 0)).tipWei).toBe(100n * GWEI);
  await clock.advance(MINUTE_MS);
  expect(await read(GWEI, 100n * GWEI, 0)).toEqual({ baseFeeWei: GWEI, tipWei: GWEI });
  await other.stop();
});

it('forgets a chain that is removed, on other engines as well', async () => {
  const other = engine();
  await read(GWEI, GWEI);
  await read(GWEI, GWEI, 0, other);
  await Promise.all([fees.stop(), other.stop()]);
  await store.removeChain(5);
  fees.forget(5);
  await store.saveChain(chain(5));
  expect(fees.lastBelieved(5)).toBeUndefined();
  const anew = { baseFeeWei: 900n * GWEI, tipWei: 30n * GWEI };
  await clock.advance(MINUTE_MS);
  expect(await read(900n * GWEI, 30n * GWEI, 0, other)).toEqual(anew);
  expect(await read(900n * GWEI, 30n * GWEI, 0)).toEqual(anew);
  await other.stop();
});
