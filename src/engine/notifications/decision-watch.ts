import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Clock } from '../base/clock.ts';
import type { Notifications } from './notifications.ts';
import { manyDenials, silentWebhook } from './words.ts';

/** A webhook is down after this many consecutive failures within this time. */
const OUTAGE = { count: 3, withinMs: 5 * 60_000 };
/** This many denials within this time are a burst: an attack, or a DApp that was released with a fault. */
const BURST = { count: 20, withinMs: 60_000 };
/** A burst is over when there was none for so long. */
const CALM_MS = 10 * 60_000;

/** Why a webhook gave no verdict. `WEBHOOK_DENIED` is one. */
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

/** The operator knows: a pause is told by itself. */
const PAUSE_CODES: ReadonlySet<string> = new Set(['SPONSORSHIP_PAUSED', 'DAPP_PAUSED']);

/** Whether its webhooks verified it, or one said no: they are up. Sponsorship rules do not bind who pays with tokens. */
const isAnswered = ({ outcome, mode, code }: DecisionRecord): boolean =>
  code === 'WEBHOOK_DENIED' || (outcome === 'sponsored' && mode === 'SPONSORED');

/** What decisions tell by how many there are of a kind. */
export interface DecisionWatch {
  /** Takes every decision as it is made. */
  made(decision: DecisionRecord): void;
  /** Ends the bursts that are over. */
  calm(): Promise<void>;
  /** Forgets what was counted: this engine hears of no decisions until it leads again. */
  forget(): void;
}

/** Counts what happened to each DApp lately. */
const createCounters = ({ count, withinMs }: { count: number; withinMs: number }, clock: Clock) => {
  const times = new Map<string, number[]>();
  return {
    /** True if it has now happened so often in so long a time. */
    isReached(dapp: string): boolean {
      const own = [...(times.get(dapp) ?? []), clock.now()].slice(-count);
      times.set(dapp, own);
      return own.length === count && clock.now() - (own[0] ?? 0) <= withinMs;
    },
    forget: (dapp: string): void => void times.delete(dapp),
    forgetAll: (): void => times.clear(),
  };
};

/** Tells of webhooks that give no verdict, and of bursts of denials. */
export const watchDecisions = (notifications: Notifications, clock: Clock): DecisionWatch => {
  const bursts = createCounters(BURST, clock);
  const outages = createCounters(OUTAGE, clock);
  const lastBurst = new Map<string, number>();
  /** When this engine did not hear of decisions for the last time, epoch ms. */
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
