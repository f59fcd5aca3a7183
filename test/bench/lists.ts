import { drive } from './drive.ts';
import type { BenchDesk } from './desk.ts';
import { senders, sponsorTraffic } from './operations.ts';
import { typicalRules } from './scenarios.ts';
import { hashOf, storeDecisions } from './stored-decisions.ts';

/** Milliseconds that lists of decisions take over the control socket, medians of five but for the first search by hash. */
export interface ListFigures {
  readonly storedDecisions: number;
  readonly newest50: number;
  readonly bySender: number;
  /** It enters the newest hashes in their index. */
  readonly firstByHash: number;
  readonly byHash: number;
  readonly byPartOfHash: number;
  /** No decision has these. */
  readonly byNoSender: number;
  readonly byPartOfNoHash: number;
  readonly byNoWord: number;
}

const RUNS = 5;

/** Times the lists of a desk with many decisions. */
export const measureLists = async (desk: BenchDesk, storedDecisions: number): Promise<ListFigures> => {
  await typicalRules(desk);
  await drive(desk.url, sponsorTraffic(desk.url, desk.path), { connections: 1, requests: 1 });
  await desk.whileStopped(() => storeDecisions(desk.database, storedDecisions));
  type Filter = Parameters<typeof desk.call<'decisions.list'>>[1];
  const once = async (filter: Filter): Promise<number> => {
    const start = performance.now();
    await desk.call('decisions.list', { limit: 50, ...filter });
    return performance.now() - start;
  };
  const median = async (filter: Filter): Promise<number> => {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run += 1) times.push(await once(filter));
    return Number((times.toSorted((one, other) => one - other)[Math.floor(RUNS / 2)] ?? 0).toFixed(1));
  };
  const sender = senders[7] as `0x${string}`;
  const userOpHash: `0x${string}` = `0x${hashOf(7)}`;
  return {
    storedDecisions,
    newest50: await median({}),
    bySender: await median({ sender }),
    firstByHash: Math.round(await once({ userOpHash })),
    byHash: await median({ userOpHash }),
    byPartOfHash: await median({ text: userOpHash.slice(10, 22) }),
    byNoSender: await median({ sender: `0x${'ab12cd34ef'.repeat(4)}` }),
    byPartOfNoHash: await median({ text: 'ab12cd34ef56' }),
    byNoWord: await median({ text: 'no such word' }),
  };
};
