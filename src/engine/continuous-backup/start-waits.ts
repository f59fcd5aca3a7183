import { once } from 'node:events';
import type { Clock, Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { openTarget } from './open-target.ts';
import { requireNoLaterLead } from './take-lead.ts';
import type { TargetPlace } from './target.ts';
import { secondsText } from './words.ts';

/** The operator learns after this time that the start waits for the target. */
const NOTICE_MS = 1_000;
/** How long the start waits for a target that does not answer, if answers do not wait for the copy. */
const LEAD_MS = 5_000;

interface Start {
  readonly place: TargetPlace;
  readonly clock: Clock;
  readonly log: Log;
}

/** Runs a part of the start that waits for the target. If it takes long, the log says so. */
export const awaited = async ({ place, clock, log }: Start, why: string, run: () => Promise<void>): Promise<void> => {
  const reason = `The start waits for ${place.target}, ${why}`;
  const cancel = clock.setTimer(NOTICE_MS, () => log.warn('continuousBackup.awaited', { reason }));
  try {
    await run();
  } finally {
    cancel();
  }
};

/** Waits for a part of the start, or throws the reason of `stop` as soon as that is aborted. */
export const untilStopped = async (stop: AbortSignal, run: () => Promise<void>): Promise<void> => {
  stop.throwIfAborted();
  await Promise.race([run(), once(stop, 'abort')]);
  stop.throwIfAborted();
};

interface LeadQuestion extends Start {
  readonly dir: string;
  readonly entropy: Pick<Entropy, 'uuid'>;
  /** Ends requests to the target. */
  readonly stop: AbortSignal;
}

/** As {@link requireNoLaterLead}, unless the target does not answer in time. */
export const requireNoLeadInTime = async (question: LeadQuestion): Promise<void> => {
  const { place, dir, clock, entropy, stop } = question;
  const late = new AbortController();
  const isLate = once(late.signal, 'abort');
  const cancel = clock.setTimer(LEAD_MS, () => late.abort());
  const target = openTarget(place, AbortSignal.any([stop, late.signal]));
  const why = `for at most ${secondsText(LEAD_MS)}, because another desk could have taken the lead in it`;
  try {
    await awaited(question, why, async () => {
      // A folder on a network disk that hangs knows no signal.
      await Promise.race([requireNoLaterLead({ target, dir, entropy }), isLate]);
    });
  } finally {
    cancel();
  }
};
