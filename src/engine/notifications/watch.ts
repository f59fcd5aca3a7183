import type { ProcedureOutput } from '../../api/index.ts';
import { BREAKER_REASON } from '../../shared/words/breaker.ts';
import { reputationStatus } from '../../core/reputation/reputation.ts';
import { knownChains } from '../../shared/chains.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createPollLoop } from '../chain/poll-loop.ts';
import type { DecisionFeed } from '../events/decision-feed.ts';
import type { Vault } from '../signer/vault.ts';
import { operationCounts } from '../paymaster/operation-counts.ts';
import type { PauseSwitch } from '../sponsorship/pause-switch.ts';
import type { Store } from '../store/store.ts';
import type { Condition } from '../store/notification-store.ts';
import type { Pause } from '../store/policy-store.ts';
import { watchDecisions } from './decision-watch.ts';
import type { Notifications } from './notifications.ts';
import {
  type NotificationText,
  emptyTank,
  lowReputation,
  lowTank,
  operatorPause,
  silentNode,
  trippedBreaker,
} from './words.ts';

type Exposure = ProcedureOutput<'exposure.get'>;
type ChainState = Exposure['chains'][number];
type DappState = Exposure['dapps'][number];

export interface WatchOptions {
  readonly notifications: Notifications;
  readonly store: Pick<Store, 'listDapps' | 'findChain' | 'listPaymasterContracts'> & Pick<Store, 'summarizeDecisions'>;
  readonly feed: Pick<DecisionFeed, 'onMade'>;
  readonly pause: PauseSwitch;
  readonly vault: Pick<Vault, 'state'>;
  readonly measure: () => Promise<Exposure>;
  readonly isLeader: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Watch {
  start(): void;
  stop(): Promise<void>;
}

/** The interval between checks. They are not more frequent, because node providers bill requests. */
const POLL_MS = 60_000;
/** Minimum time between two checks, even if an event triggers one. */
const SOON_MS = 10_000;
/** ERC-7562 lets counts shrink every hour, so they are not read more often. */
const REPUTATION_MS = 3_600_000;
/** A node is unreachable after this many failed checks in a row. */
const UNREACHABLE_POLLS = 2;
/**
 * A low tank counts as refilled only when it exceeds its threshold by a tenth, because the free balance changes with
 * each reservation.
 */
const ENOUGH_TENTHS = 11n;

const isEnough = ({ freeWei, lowBelowWei }: DappState['tank']): boolean =>
  freeWei !== null && BigInt(freeWei) * 10n >= BigInt(lowBelowWei) * ENOUGH_TENTHS;

/**
 * The only place that determines the events of which the operator is notified. Each notification has a start and an
 * end: a low or empty tank, a burst of denials, an unreachable webhook or node, a tripped breaker, a pause,
 * a low reputation.
 */
export const watchDesk = (options: WatchOptions): Watch => {
  const { notifications, store, feed, pause, vault, measure, isLeader, clock, log } = options;
  const decisions = watchDecisions(notifications, clock);
  const silences = new Map<number, number>();
  let checkedAt = -Infinity;

  const set = (happening: Condition, text: NotificationText | undefined): Promise<void> =>
    text === undefined ? notifications.end(happening) : notifications.raise(happening, text);

  const checkNode = async ({ chainId, state, error }: ChainState): Promise<void> => {
    const silent = state === 'unreachable' ? (silences.get(chainId) ?? 0) + 1 : 0;
    silences.set(chainId, silent);
    if (silent > 0 && silent < UNREACHABLE_POLLS) return;
    const chain = (await store.findChain(chainId))?.name ?? knownChains.get(chainId)?.name ?? `chain ${chainId}`;
    await set({ kind: 'node', subject: String(chainId) }, silent === 0 ? undefined : silentNode(chain, error));
  };

  const checkTank = async ({ paymasterId: subject, tank }: DappState, name: string): Promise<void> => {
    // If the node is unreachable, the tank's level is unknown.
    if (tank.level === 'unknown') return;
    await set({ kind: 'tankEmpty', subject }, tank.level === 'empty' ? emptyTank(name) : undefined);
    const isStillLow = tank.level === 'good' && !isEnough(tank);
    if (isStillLow) return;
    await set({ kind: 'tankLow', subject }, tank.level === 'low' ? lowTank(name, tank) : undefined);
  };

  const checkPause = async (subject: string, dapp: string | undefined, now: Pause | null): Promise<void> => {
    const isTripped = now?.reason?.startsWith(BREAKER_REASON) === true;
    await set({ kind: 'breaker', subject }, now !== null && isTripped ? trippedBreaker(dapp, now) : undefined);
    await set({ kind: 'paused', subject }, now !== null && !isTripped ? operatorPause(dapp, now) : undefined);
  };
  const checkAllPauses = async (): Promise<void> => {
    await checkPause('', undefined, pause.current());
    for (const { paymasterId, name } of await store.listDapps()) {
      await checkPause(paymasterId, name, pause.ofDapp(paymasterId));
    }
  };

  let reputationAt = -Infinity;
  const checkReputations = async (): Promise<void> => {
    if (clock.monotonic() - reputationAt < REPUTATION_MS) return;
    reputationAt = clock.monotonic();
    for (const contract of await store.listPaymasterContracts()) {
      const counts = await operationCounts(store, clock, contract);
      const subject = `${contract.chainId}:${contract.version}`;
      const isGood = reputationStatus(counts) === 'good';
      await set({ kind: 'reputation', subject }, isGood ? undefined : lowReputation(contract, counts));
    }
  };

  let checking = Promise.resolve();
  /** Only one check runs at a time, so that a slow check cannot report an outdated state. */
  const checkPauses = (): Promise<void> =>
    (checking = checking.then(checkAllPauses).catch((err: unknown) => log.error('notifications.error', { err })));

  const checkChains = async (stop: AbortSignal): Promise<void> => {
    // The nodes' URLs may be in the vault.
    if (vault.state !== 'unlocked') return;
    const { chains, dapps } = await measure();
    // The nodes may not have answered because this engine stops.
    if (stop.aborted) return;
    for (const chain of chains) await checkNode(chain);
    for (const { kind, subject } of notifications.open()) {
      const isGone = kind === 'node' && chains.every(({ chainId }) => String(chainId) !== subject);
      if (isGone) await notifications.end({ kind, subject });
    }
    const names = new Map((await store.listDapps()).map(({ paymasterId, name }) => [paymasterId, name]));
    for (const dapp of dapps) await checkTank(dapp, names.get(dapp.paymasterId) ?? dapp.paymasterId);
  };

  const poll = async (stop: AbortSignal): Promise<void> => {
    checkedAt = clock.monotonic();
    // Another engine may have notified since the last check.
    await notifications.refresh();
    if (!isLeader()) {
      decisions.forget();
      silences.clear();
      return;
    }
    await checkPauses();
    await decisions.calm();
    await checkReputations();
    await checkChains(stop);
  };
  const loop = createPollLoop({ clock, log, name: 'notifications', everyMs: POLL_MS, poll });
  let isStarted = false;

  const ends = [
    feed.onMade((decision) => {
      decisions.made(decision);
      const isDue = isStarted && clock.monotonic() - checkedAt >= SOON_MS;
      if (decision.code === 'GAS_TANK_EMPTY' && isDue) void loop.pollNow();
    }),
    pause.onChange(() => void checkPauses()),
  ];
  return {
    start() {
      isStarted = true;
      loop.start();
    },
    async stop() {
      for (const end of ends) end();
      await loop.stop();
      await checking;
    },
  };
};
