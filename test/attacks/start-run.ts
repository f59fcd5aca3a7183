import type { Address } from '../../src/shared/schema/hex.ts';
import { FUNDING_WALLETS } from './chain.ts';
import { startDesk } from './desk.ts';
import { nth } from './nth.ts';
import { MILLI, MWEI, type Policy } from './policy.ts';
import { type Run, fund, tankName } from './run.ts';
import { createCrowd } from './crowd.ts';
import { HONEST } from './node-line.ts';
import { startTime } from './time.ts';

/** Begins a run on a chain as it was made. */
export const startRun = async (
  world: Pick<Run, 'chain' | 'line' | 'receivers' | 'tally' | 'ignored'>,
  policy: Policy,
): Promise<Run> => {
  const { chain, line, receivers, tally, ignored } = world;
  await chain.reset();
  line.fault = undefined;
  line.lies = { ...HONEST };
  receivers.reset();
  const { number, timestamp } = await chain.head();
  const time = startTime((timestamp + 10) * 1_000);
  const [baseFeeWei, tipWei] = [BigInt(policy.baseFeeMwei) * MWEI, BigInt(policy.tipMwei) * MWEI];
  line.lies.tipWei = () => tipWei;
  await chain.mine({ seconds: timestamp + 10, baseFeeWei });
  const desk = await startDesk({ chain, line, receivers, time }, policy);
  const run: Run & { firstBlock: number } = {
    firstBlock: 0,
    highestBlock: 0,
    chain,
    line,
    receivers,
    time,
    desk,
    tally,
    ignored,
    tickets: [],
    stolen: [],
    submitted: new Map(),
    seenMined: new Set(),
    payments: [],
    bundles: [],
    baseFeeWei,
    usualBaseFeeWei: baseFeeWei,
    tipWei,
    wereLogsBehind: false,
    crowd: createCrowd(desk.url),
    paused: false,
    breakerFrom: 0,
    leaptMs: 0,
    waiting: undefined,
    believed: { block: number + 1, wei: baseFeeWei },
  };
  const from = nth(FUNDING_WALLETS, 0).address as Address;
  for (const dapp of desk.dapps) {
    const name = tankName(dapp);
    if (run.payments.every(({ tank }) => tank !== name)) await fund(run, dapp, BigInt(policy.tank) * MILLI, from);
  }
  await run.desk.quiet();
  run.firstBlock = (await chain.head()).number;
  return run;
};
