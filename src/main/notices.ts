import type { Clock } from '../engine/base/clock.ts';
import type { ProcedureOutput } from '../api/index.ts';
import type { DecisionRow } from '../shared/schema/decision.ts';

/** Something that the operator should hear of although they do not look at the console. */
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

/** Why a webhook gave no verdict. `WEBHOOK_DENIED` is one. */
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

/** What the service says of a tank. */
export type TankFacts = Pick<ProcedureOutput<'exposure.get'>['dapps'][number]['tank'], 'level' | 'operationsLeft'>;

/** What there is to say of the tank that pays for the decision. */
const tankNotice = ({ dapp, code }: DecisionRow, tank: TankFacts | undefined): Told | undefined => {
  const kind = 'tank';
  if (code === 'GAS_TANK_EMPTY' || tank?.level === 'empty') {
    return { kind, title: 'A gas tank is empty', body: `The tank of ${dapp} does not cover another operation.` };
  }
  if (tank?.level !== 'low') return undefined;
  const title = 'A gas tank is low';
  if (tank.operationsLeft === null)
    return { kind, title, body: `The tank of ${dapp} is below its low-balance threshold.` };
  const left = BigInt(tank.operationsLeft);
  const words = left === 0n ? 'no further operation' : `${left} more ${left === 1n ? 'operation' : 'operations'}`;
  return { kind, title, body: `The tank of ${dapp} covers ${words} like the last one.` };
};

/** The decision that tripped a breaker; there is no other pause that the operator has not made. */
const pausedNotice = ({ code, dapp, message }: DecisionRow): Told | undefined => {
  if (code === 'BURN_RATE_EXCEEDED') {
    return {
      kind: 'paused',
      title: 'All sponsorship is paused',
      body: `An operation of ${dapp} triggered it. ${message}`,
    };
  }
  if (code !== 'BURN_RATE_EXCEEDED_BY_DAPP') return undefined;
  return { kind: 'paused', title: `Sponsorship for ${dapp} is paused`, body: message };
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
 * most once in ten minutes. The function it answers takes every decision as it is made, with its tank where that is known.
 */
export const createNotices = (clock: Clock): ((decision: DecisionRow, tank?: TankFacts) => Notice[]) => {
  const isBurst = counter(BURST, clock);
  const outages = new Map<string, () => boolean>();
  const quietUntil = new Map<Notice['kind'], number>();

  const webhookNotice = ({ paymasterId, dapp, code, message }: DecisionRow): Told | undefined => {
    if (!OUTAGE_CODES.has(code)) return undefined;
    const isOut = outages.get(paymasterId) ?? counter(OUTAGE, clock);
    outages.set(paymasterId, isOut);
    const body = `It gave no verdict on ${OUTAGE.count} operations within a short time. ${message}`;
    return isOut() ? { kind: 'webhook', title: `A webhook of ${dapp} is down`, body } : undefined;
  };

  const denialNotice = ({ outcome, dapp, message }: DecisionRow): Told | undefined => {
    if (outcome !== 'denied' || !isBurst()) return undefined;
    const body = `Gasdesk denied ${BURST.count} operations within a minute, the last one of ${dapp}. ${message}`;
    return { kind: 'denials', title: 'Many operations were denied', body };
  };

  return (decision, tank) =>
    [pausedNotice(decision), tankNotice(decision, tank), webhookNotice(decision), denialNotice(decision)]
      .filter((told) => told !== undefined)
      .filter(({ kind }) => {
        if (clock.now() < (quietUntil.get(kind) ?? 0)) return false;
        quietUntil.set(kind, clock.now() + QUIET_MS);
        return true;
      })
      .map((told) => ({ ...told, path: `/decisions/${decision.id}` }));
};
