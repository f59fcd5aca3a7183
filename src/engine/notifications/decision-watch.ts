import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Clock } from '../base/clock.ts';
import type { Notifications } from './notifications.ts';
import { manyDenials, silentWebhook } from './words.ts';

/** This many consecutive failures within this period mean that a webhook is down. */
const OUTAGE = { count: 3, withinMs: 5 * 60_000 };
/** This many denials within this period are a burst: an attack, or a DApp that was released with an error. */
const BURST = { count: 20, withinMs: 60_000 };
/** A burst is over when this much time has passed without another one. */
const CALM_MS = 10 * 60_000;

/** Result codes of calls that returned no verdict. `WEBHOOK_DENIED` is a verdict. */
const OUTAGE_CODES: ReadonlySet<string> = new Set([
  'WEBHOOK_TIMEOUT',
  'WEBHOOK_STATUS',
  'WEBHOOK_REDIRECT',
  'WEBHOOK_NOT_JSON',
  'WEBHOOK_NO_VERDICT',
  'WEBHOOK_TOO_LARGE',
  'WEBHOOK_NOT_HTTP',
  'WEBHOOK_UNREACHABLE',
]);

/** A pause has its own notification, so these denials need none. */
const PAUSE_CODES: ReadonlySet<string> = new Set(['SPONSORSHIP_PAUSED', 'DAPP_PAUSED']);

/**
 * Whether the DApp's webhooks are up: they allowed the operation, or one denied it. Operations paid in a token do not
 * count, because sponsorship rules do not apply to them.
 */
const isAnswered = ({ outcome, mode, code }: DecisionRecord): boolean =>
  code === 'WEBHOOK_DENIED' || (outcome === 'sponsored' && mode === 'SPONSORED');

export interface DecisionWatch {
  made(decision: DecisionRecord): void;
  calm(): Promise<void>;
  /** Resets all counts, because this engine receives no decisions until it is the leader again. */
  forget(): void;
}

const createCounters = ({ count, withinMs }: { count: number; withinMs: number }, clock: Clock) => {
  const times = new Map<string, number[]>();
  return {
    isReached(dapp: string): boolean {
      const own = [...(times.get(dapp) ?? []), clock.now()].slice(-count);
      times.set(dapp, own);
      return own.length === count && clock.now() - (own[0] ?? 0) <= withinMs;
    },
    forget: (dapp: string): void => void times.delete(dapp),
    forgetAll: (): void => times.clear(),
  };
};

export const watchDecisions = (notifications: Notifications, clock: Clock): DecisionWatch => {
  const bursts = createCounters(BURST, clock);
  const outages = createCounters(OUTAGE, clock);
  const lastBurst = new Map<string, number>();
  /** The last time at which this engine received no decisions, epoch ms. */
  let deafAt = 0;

  const webhookOf = (decision: DecisionRecord): void => {
    const { paymasterId: subject, id } = decision;
    if (OUTAGE_CODES.has(decision.code)) {
      if (!outages.isReached(subject)) return;
      void notifications.raise({ kind: 'webhook', subject }, silentWebhook(decision, OUTAGE.count), id);
    } else if (isAnswered(decision)) {
      outages.forget(subject);
      if (notifications.isOpen({ kind: 'webhook', subject })) void notifications.end({ kind: 'webhook', subject });
    }
  };

  return {
    made(decision) {
      const { outcome, code, paymasterId: subject, id } = decision;
      webhookOf(decision);
      if (outcome !== 'denied' || PAUSE_CODES.has(code) || !bursts.isReached(subject)) return;
      lastBurst.set(subject, clock.now());
      if (notifications.isOpen({ kind: 'denials', subject })) return;
      void notifications.raise({ kind: 'denials', subject }, manyDenials(decision, BURST.count), id);
    },
    async calm() {
      for (const { kind, subject, raisedAt } of notifications.open()) {
        if (kind !== 'denials') continue;
        const last = lastBurst.get(subject) ?? Math.max(raisedAt, deafAt);
        if (clock.now() - last >= CALM_MS) await notifications.end({ kind, subject });
      }
    },
    forget() {
      bursts.forgetAll();
      outages.forgetAll();
      lastBurst.clear();
      deafAt = clock.now();
    },
  };
};
