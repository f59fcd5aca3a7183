import type { BenchDesk } from './desk.ts';
import { drive } from './drive.ts';
import { measure } from './measure.ts';
import { sponsorTraffic } from './operations.ts';
import { typicalRules } from './scenarios.ts';
import { storeDecisions } from './stored-decisions.ts';

/** What undelivered events cost a decision, against the same desk while its event webhooks are paused. */
export interface UndeliveredFigures {
  readonly webhooks: number;
  /** For each of them. */
  readonly events: number;
  /** CPU of the desk per decision, µs, each the least of some rounds: what else the machine does only adds to it. */
  readonly cpuMicros: { readonly paused: number; readonly failing: number };
  readonly ratio: number;
}

const EVENTS = 100_000;
/** As many as a DApp may have. */
const WEBHOOKS = 20;
/** Nothing listens there. */
const GONE = 'http://127.0.0.1:1/';

const ROUNDS = 6;
/** In each round, every webhook is called once or twice: a call that fails is repeated after 5 s. */
const LOAD = { connections: 8, seconds: 5 };
const WARM_UP = { connections: 8, requests: 15_000, seconds: 20 };

/** Measures the desk in turn with failing and with paused webhooks. Whatever else the machine does slows both. */
export const measureUndelivered = async (desk: BenchDesk): Promise<UndeliveredFigures> => {
  const { call, paymasterId } = desk;
  await typicalRules(desk);
  // The rounds together send more operations than a key may in a minute.
  await call('config.set', { key: 'rateLimitPerKey', value: 0 });
  await drive(desk.url, sponsorTraffic(desk.url, desk.path), { connections: 1, requests: 1 });
  for (let count = 0; count < WEBHOOKS; count += 1) await call('eventWebhooks.create', { paymasterId, url: GONE });
  await desk.whileStopped(() => storeDecisions(desk.database, EVENTS));
  const webhooks = await call('eventWebhooks.list', { paymasterId });
  const setActive = async (active: boolean): Promise<void> => {
    for (const { webhookId } of webhooks) await call('eventWebhooks.update', { webhookId, active });
  };
  const traffic = sponsorTraffic(desk.url, desk.path);
  await drive(desk.url, traffic, WARM_UP);
  const cpuMicros = { paused: Infinity, failing: Infinity };
  for (let round = 0; round < ROUNDS; round += 1) {
    await setActive(false);
    cpuMicros.paused = Math.min(cpuMicros.paused, (await measure(desk, traffic, LOAD)).cpuMicros);
    await setActive(true);
    cpuMicros.failing = Math.min(cpuMicros.failing, (await measure(desk, traffic, LOAD)).cpuMicros);
  }
  const ratio = Number((cpuMicros.failing / cpuMicros.paused).toFixed(2));
  return { webhooks: WEBHOOKS, events: EVENTS, cpuMicros, ratio };
};
