import Database from 'better-sqlite3';
import { readRecord } from '../../src/core/decision/stored-record.ts';
import { systemClock } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import type { MinedUserOperation } from '../../src/engine/store/settlement-store.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { BenchDesk } from './desk.ts';
import { drive } from './drive.ts';
import { CHAIN_ID, sponsorTraffic } from './operations.ts';

/** What settling mined operations cost a store. */
export interface SettlementFigures {
  readonly operations: number;
  /** CPU per operation, of all threads. */
  readonly cpuMicros: number;
  /** The longest time for which nothing else could run. */
  readonly longestStepMs: number;
}

const OPERATIONS = 30_000;
const PER_BLOCK = 30;
/** Blocks that one call settles, as many as a poll finds after a short outage. */
const RANGE = 20;

/** The sponsored operations of a database, as if each had been mined at some of its maximum cost. */
const minedOperations = (file: string): MinedUserOperation[] => {
  const database = new Database(file, { readonly: true });
  try {
    const records = database.prepare<[], string>(`SELECT record FROM decision WHERE settlement = 'reserved'`).pluck();
    return records.all().map((text, index) => {
      const { userOpHash, entryPoint, paymasterAndData, sender, nonce } = readRecord(text);
      const blockNumber = 1 + Math.floor(index / PER_BLOCK);
      const block = blockNumber.toString(16).padStart(64, '0');
      return {
        userOpHash: userOpHash as Hex,
        entryPoint: entryPoint as Address,
        paymaster: paymasterAndData.slice(0, 42) as Address,
        sender: sender as Address,
        nonce: BigInt(nonce),
        success: true,
        actualGasCost: 100_000_000_000_000n + BigInt(index),
        actualGasUsed: 100_000n,
        blockNumber,
        blockHash: `0x${block}`,
        transactionHash: `0x${block}`,
      };
    });
  } finally {
    database.close();
  }
};

/** Measures the longest time between two turns of the event loop. @returns a function that ends it, in ms */
const watchLoop = (): (() => number) => {
  let [longest, last] = [0, performance.now()];
  let next: NodeJS.Immediate;
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    next = setImmediate(look);
  };
  next = setImmediate(look);
  return () => {
    clearImmediate(next);
    return longest;
  };
};

/** Has the desk sponsor operations, and settles all of them with its store. */
export const measureSettlement = async (desk: BenchDesk): Promise<SettlementFigures> => {
  const traffic = sponsorTraffic(desk.url, desk.path);
  await drive(desk.url, traffic, { connections: 32, requests: OPERATIONS, seconds: 600 });
  let figures: SettlementFigures | undefined;
  await desk.whileStopped(async () => {
    const mined = minedOperations(desk.database);
    const store = openSqliteStore(desk.database, { clock: systemClock, log: createLog({ level: 'error' }) });
    try {
      const byBlock = Map.groupBy(mined, ({ blockNumber }) => blockNumber);
      const before = process.cpuUsage();
      const loop = watchLoop();
      for (let fromBlock = 1; fromBlock <= byBlock.size; fromBlock += RANGE) {
        const toBlock = fromBlock + RANGE - 1;
        const blocks = Array.from({ length: RANGE }, (_, index) => byBlock.get(fromBlock + index) ?? []);
        const range = { chainId: CHAIN_ID, fromBlock, toBlock, mined: blocks.flat(), cursor: toBlock };
        const { unmatched } = await store.applySettlements(range);
        if (unmatched.length > 0) throw new Error('An operation belongs to no decision');
      }
      const longestStepMs = Number(loop().toFixed(1));
      const { user, system } = process.cpuUsage(before);
      figures = { operations: mined.length, cpuMicros: Math.round((user + system) / mined.length), longestStepMs };
    } finally {
      await store.close();
    }
  });
  if (figures === undefined) throw new Error('Nothing was settled');
  return figures;
};
