import type { ProcedureOutput } from '../../api/index.ts';
import { BREAKER_REASON } from '../../shared/words/breaker.ts';
import { knownChains } from '../../shared/chains.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createPollLoop } from '../chain/poll-loop.ts';
import type { DecisionFeed } from '../events/decision-feed.ts';
import type { Vault } from '../signer/vault.ts';
import type { PauseSwitch } from '../sponsorship/pause-switch.ts';
import type { Happening } from '../store/notification-store.ts';
import type { Pause } from '../store/policy-store.ts';
import type { RegistryStore } from '../store/registry-store.ts';
import { watchDecisions } from './decision-watch.ts';
import type { Notifications } from './notifications.ts';
import { type Told, emptyTank, lowTank, operatorPause, silentNode, trippedBreaker } from './words.ts';

type Exposure = ProcedureOutput<'exposure.get'>;
type ChainState = Exposure['chains'][number];
type DappState = Exposure['dapps'][number];

/** What is watched. */
export interface WatchOptions {
  readonly notifications: Notifications;
  readonly store: Pick<RegistryStore, 'listPaymasters' | 'findChain'>;
  readonly feed: Pick<DecisionFeed, 'onMade'>;
  readonly pause: PauseSwitch;
  readonly vault: Pick<Vault, 'state'>;
  /** Asks every node, and what is in every tank. */
  readonly measure: () => Promise<Exposure>;
  /** True while this engine is the one that tells. */
  readonly isLeader: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Tells the operator what happens, until it is stopped. */
export interface Watch {
  /** Looks at nodes and tanks at once, and from then on by the clock. */
  start(): void;
  stop(): Promise<void>;
}

/** Nodes count requests. */
const LOOK_MS = 60_000;
/** What calls for a look lets one happen no sooner after the last. */
const SOON_MS = 10_000;
/** A node that fails so many looks in a row does not answer. */
const SILENT_LOOKS = 2;
/** A tank is no longer low when it has a tenth more than what makes it low: reservations come and go. */
const ENOUGH_TENTHS = 11n;

const isEnough = ({ freeWei, lowBelowWei }: DappState['tank']): boolean =>
  freeWei !== null && BigInt(freeWei) * 10n >= BigInt(lowBelowWei) * ENOUGH_TENTHS;

/**
 * The one place that decides what is worth telling. A happening is told when it begins and when it is over: a tank that
 * is low or empty, a burst of denials, a webhook or a node that does not answer, a tripped breaker, a pause.
 */
export const watchDesk = (options: WatchOptions): Watch => {
  const { notifications, store, feed, pause, vault, measure, isLeader, clock, log } = options;
  const decisions = watchDecisions(notifications, clock);
  /** How often in a row a chain's node did not answer. */
  const silences = new Map<number, number>();
  let lookedAt = -Infinity;

  /** Begins or ends it, by whether there is something to tell. */
  const set = (happening: Happening, told: Told | undefined): Promise<void> =>
    told === undefined ? notifications.end(happening) : notifications.raise(happening, told);

  const lookAtNode = async ({ chainId, state, fault }: ChainState): Promise<void> => {
    const silent = state === 'unreachable' ? (silences.get(chainId) ?? 0) + 1 : 0;
    silences.set(chainId, silent);
    if (silent > 0 && silent < SILENT_LOOKS) return;
    const chain = (await store.findChain(chainId))?.name ?? knownChains.get(chainId)?.name ?? `chain ${chainId}`;
    await set({ kind: 'node', subject: String(chainId) }, silent === 0 ? undefined : silentNode(chain, fault));
  };

  const lookAtTank = async ({ paymasterId: subject, tank }: DappState, name: string): Promise<void> => {
    // A node that does not answer says nothing of the tank.
    if (tank.level === 'unknown') return;
    await set({ kind: 'tankEmpty', subject }, tank.level === 'empty' ? emptyTank(name) : undefined);
    const isStillLow = tank.level === 'good' && !isEnough(tank);
    if (isStillLow) return;
    await set({ kind: 'tankLow', subject }, tank.level === 'low' ? lowTank(name, tank) : undefined);
  };

  const lookAtPause = async (subject: string, dapp: string | undefined, now: Pause | null): Promise<void> => {
    const isTripped = now?.reason?.startsWith(BREAKER_REASON) === true;
    await set({ kind: 'breaker', subject }, now !== null && isTripped ? trippedBreaker(dapp, now) : undefined);
    await set({ kind: 'paused', subject }, now !== null && !isTripped ? operatorPause(dapp, now) : undefined);
  };
  const lookAtAllPauses = async (): Promise<void> => {
    await lookAtPause('', undefined, pause.current());
    for (const { paymasterId, name } of await store.listPaymasters()) {
      await lookAtPause(paymasterId, name, pause.ofDapp(paymasterId));
    }
  };

  let looking = Promise.resolve();
  /** One after the other: a look that takes longer must not tell what is no longer so. */
  const lookAtPauses = (): Promise<void> =>
    (looking = looking.then(lookAtAllPauses).catch((err: unknown) => log.error('notifications.fault', { err })));

  const lookAtChains = async (): Promise<void> => {
    // The URLs of nodes may be in the vault.
    if (vault.state !== 'unlocked') return;
    const { chains, dapps } = await measure();
    for (const chain of chains) await lookAtNode(chain);
    for (const { kind, subject } of notifications.open()) {
      const isGone = kind === 'node' && chains.every(({ chainId }) => String(chainId) !== subject);
      if (isGone) await notifications.end({ kind, subject });
    }
    const names = new Map((await store.listPaymasters()).map(({ paymasterId, name }) => [paymasterId, name]));
    for (const dapp of dapps) await lookAtTank(dapp, names.get(dapp.paymasterId) ?? dapp.paymasterId);
  };

  const poll = async (): Promise<void> => {
    lookedAt = clock.monotonic();
    // Another engine may have told since the last look.
    await notifications.refresh();
    if (!isLeader()) {
      decisions.forget();
      silences.clear();
      return;
    }
    await lookAtPauses();
    await decisions.calm();
    await lookAtChains();
  };
  const loop = createPollLoop({ clock, log, name: 'notifications', everyMs: LOOK_MS, poll });
  let isStarted = false;

  const ends = [
    feed.onMade((decision) => {
      decisions.made(decision);
      const isDue = isStarted && clock.monotonic() - lookedAt >= SOON_MS;
      if (decision.code === 'GAS_TANK_EMPTY' && isDue) void loop.pollNow();
    }),
    pause.onChange(() => void lookAtPauses()),
  ];
  return {
    start() {
      isStarted = true;
      loop.start();
    },
    async stop() {
      for (const end of ends) end();
      await loop.stop();
      await looking;
    },
  };
};
