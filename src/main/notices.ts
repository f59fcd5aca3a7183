import type { Clock } from '../engine/clock.ts';
import type { DecisionRecord, TraceStep } from '../shared/schema/decision.ts';
import { tankLevel } from '../shared/tank-level.ts';

/** Something that the operator should hear of although he does not look at the console. */
export interface Notice {
  readonly kind: 'paused' | 'tank' | 'webhook' | 'denials';
  readonly title: string;
  readonly body: string;
  /** Page of the console that shows it. */
  readonly path: string;
}

/** So many decisions that a webhook failed, in so long a time, are an outage. */
const OUTAGE = { count: 3, withinMs: 5 * 60_000 };
/** So many denials in so long a time are a burst: an attack, or a DApp that was released with a fault. */
const BURST = { count: 20, withinMs: 60_000 };
/** Nobody reads the second notice of the same kind that comes sooner. */
const QUIET_MS = 10 * 60_000;

/** What a webhook's step of the trace says when there was no verdict. `WEBHOOK_DENIED` is one. */
const OUTAGE_CODES = new Set([
  'WEBHOOK_TIMEOUT',
  'WEBHOOK_STATUS',
  'WEBHOOK_REDIRECT',
  'WEBHOOK_NOT_JSON',
  'WEBHOOK_NO_VERDICT',
  'WEBHOOK_TOO_LARGE',
  'WEBHOOK_NOT_HTTP',
  'WEBHOOK_UNREACHABLE',
]);

type Told = Omit<Notice, 'path'>;

/** The step's amount by this name, in wei; undefined where the step has none. */
const weiOf = ({ evidence }: TraceStep, name: string): bigint | undefined => {
  const value = evidence[name];
  return typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : undefined;
};

/** What the decision says of the tank that pays for it. Where the chain could not be read it says nothing. */
const tankNotice = ({ dapp, trace }: DecisionRecord): Told | undefined => {
  const step = trace.find(({ rule }) => rule === 'gasTank');
  if (step === undefined) return undefined;
  const kind = 'tank';
  if (step.code === 'GAS_TANK_EMPTY') {
    return {
      kind,
      title: 'A gas tank is empty',
      body: `What is left for ${dapp} does not cover an operation it asked for.`,
    };
  }
  const [balance, promised, needed] = ['balanceWei', 'promisedWei', 'neededWei'].map((name) => weiOf(step, name));
  if (balance === undefined || promised === undefined || needed === undefined || needed === 0n) return undefined;
  const free = balance - promised - (weiOf(step, 'leavingWei') ?? 0n) - needed;
  if (tankLevel(free, { operationWei: needed, lowWei: weiOf(step, 'lowWei') }) === 'good') return undefined;
  const left = free / needed;
  const words = left <= 0n ? 'no further operation' : `${left} more ${left === 1n ? 'operation' : 'operations'}`;
  return { kind, title: 'A gas tank runs low', body: `The tank of ${dapp} covers ${words} like the last one.` };
};

/** The decision that tripped a breaker; there is no other pause that the operator has not made himself. */
const pausedNotice = ({ code, dapp, message }: DecisionRecord): Told | undefined =>
  code === 'BURN_RATE_EXCEEDED'
    ? { kind: 'paused', title: 'All sponsorship is paused', body: `It began with ${dapp}. ${message}` }
    : undefined;

const hostOf = ({ call }: TraceStep): string => {
  const url = call?.url ?? '';
  return URL.canParse(url) ? new URL(url).host : 'unknown address';
};

/** Counts what happened lately. */
const counter = ({ count, withinMs }: { count: number; withinMs: number }, clock: Clock): (() => boolean) => {
  const times: number[] = [];
  return () => {
    times.push(clock.now());
    if (times.length > count) times.shift();
    return times.length === count && clock.now() - (times[0] ?? 0) <= withinMs;
  };
};

/**
 * Tells which decisions the operator should hear of: a tripped breaker, a low tank, a webhook that is out, a burst of denials, each kind at
 * most once in ten minutes. The function it answers takes every decision as it is made.
 */
export const createNotices = (clock: Clock): ((decision: DecisionRecord) => Notice[]) => {
  const isBurst = counter(BURST, clock);
  const outages = new Map<string, () => boolean>();
  const quietUntil = new Map<Notice['kind'], number>();

  const webhookNotice = ({ dapp, trace }: DecisionRecord): Told | undefined => {
    const failed = trace.find(({ rule, code }) => rule === 'webhook' && OUTAGE_CODES.has(code));
    if (failed === undefined) return undefined;
    const host = hostOf(failed);
    const isOut = outages.get(host) ?? counter(OUTAGE, clock);
    outages.set(host, isOut);
    const body = `${OUTAGE.count} times in a short while it gave no verdict on operations of ${dapp}.`;
    return isOut() ? { kind: 'webhook', title: `The webhook at ${host} is out`, body } : undefined;
  };

  const denialNotice = ({ outcome, dapp, message }: DecisionRecord): Told | undefined => {
    if (outcome !== 'denied' || !isBurst()) return undefined;
    const body = `${BURST.count} operations were denied within a minute; the last one of ${dapp}. ${message}`;
    return { kind: 'denials', title: 'Many operations are denied', body };
  };

  return (decision) =>
    [pausedNotice(decision), tankNotice(decision), webhookNotice(decision), denialNotice(decision)]
      .filter((told) => told !== undefined)
      .filter(({ kind }) => {
        if (clock.now() < (quietUntil.get(kind) ?? 0)) return false;
        quietUntil.set(kind, clock.now() + QUIET_MS);
        return true;
      })
      .map((told) => ({ ...told, path: `/decisions/${decision.id}` }));
};
