import { join } from 'node:path';
import { type BenchDesk, limit, whitelistGame } from './desk.ts';
import { startFlood } from '../support/start-flood.ts';
import { drive } from './drive.ts';
import { CHAIN_ID, sponsorTraffic } from './operations.ts';
import { startServer } from './server-process.ts';
import { storeDecisions } from './stored-decisions.ts';

/** A state of the desk in which its speed is measured. */
export interface Scenario {
  readonly name: string;
  /** Brings a new desk into the state. What it answers is run at the end. */
  prepare(desk: BenchDesk, flags: ScenarioFlags): Promise<(() => Promise<void>) | undefined>;
}

/** What of a scenario can be changed from the command line. */
export interface ScenarioFlags {
  readonly storedDecisions: number;
}

/** Contracts and a limit for each user: the rules that a DApp typically has, and those the targets are set for. */
export const typicalRules = async (
  desk: Pick<BenchDesk, 'call' | 'paymasterId'>,
  paymasterId = desk.paymasterId,
): Promise<void> => {
  await whitelistGame(desk, paymasterId);
  await desk.call('rules.create', { paymasterId, rule: limit('Per user', 'SMART_ACCOUNT') });
};

/** 100 rules in ten other DApps. */
const rulesOfOthers = async (desk: BenchDesk): Promise<void> => {
  for (let dapp = 0; dapp < 10; dapp += 1) {
    const { paymasterId } = await desk.otherDapp(`Other ${dapp}`);
    for (let rule = 0; rule < 10; rule += 1) {
      await desk.call('rules.create', { paymasterId, rule: limit(`Limit ${rule}`, 'SMART_ACCOUNT') });
    }
  }
};

/** So many limits for each user, all of this DApp. */
const rulesOfThisDapp = (count: number): Scenario => ({
  name: `${count}-rules-of-this-dapp`,
  async prepare(desk) {
    await typicalRules(desk);
    const { call, paymasterId } = desk;
    for (let rule = 1; rule < count; rule += 1) {
      await call('rules.create', { paymasterId, rule: limit(`Limit ${rule}`, 'SMART_ACCOUNT') });
    }
    return undefined;
  },
});

/** The scenarios, in the order they are run. */
export const scenarios: readonly Scenario[] = [
  { name: 'no-rules', prepare: async () => undefined },
  {
    name: 'contracts+user-limit',
    async prepare(desk) {
      await typicalRules(desk);
      return undefined;
    },
  },
  {
    name: '100-rules-of-other-dapps',
    async prepare(desk) {
      await typicalRules(desk);
      await rulesOfOthers(desk);
      return undefined;
    },
  },
  rulesOfThisDapp(100),
  rulesOfThisDapp(1000),
  {
    name: 'webhook',
    async prepare(desk) {
      await typicalRules(desk);
      const receiver = await startServer([join(import.meta.dirname, 'webhook-server.ts')]);
      const { call, paymasterId } = desk;
      await call('webhooks.create', { paymasterId, webhookUrl: `${receiver.url}/verify`, requestType: 'POST' });
      return () => receiver.stop();
    },
  },
  {
    name: 'flood',
    async prepare(desk) {
      await typicalRules(desk);
      const apiKey = desk.path.split('/').at(-1) ?? '';
      const flood = await startFlood('silence', { url: desk.url, chainId: CHAIN_ID, apiKey, tokens: [] });
      return async () => {
        await flood.stop();
      };
    },
  },
  {
    name: 'stored-decisions',
    async prepare(desk, { storedDecisions }) {
      await typicalRules(desk);
      await drive(desk.url, sponsorTraffic(desk.url, desk.path), { connections: 1, requests: 1 });
      await desk.whileStopped(() => storeDecisions(desk.database, storedDecisions));
      return undefined;
    },
  },
];
