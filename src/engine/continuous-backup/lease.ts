import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { CopyTarget } from './target.ts';

/*
 * One desk at a time leads: only the leader answers requests for signatures. The lead is a lease in the target, an object
 * whose name is a number. To take or to renew the lease, a desk creates the object with the next number, which only one
 * desk can. Each desk measures with its own clocks: the leader stops answering a fixed time after it began to renew the
 * lease, asleep or not, and another desk takes it only when it has seen no new number for longer than that.
 */

/** After this time without renewal, the leader no longer leads. */
const TERM_MS = 5_000;
const RENEW_MS = 1_500;
const RETRY_MS = 500;
/** How much longer another desk waits, because clocks do not run equally fast. */
const MARGIN_MS = 1_500;
/** How often a desk tries to take its own lease again. A store that lists late could refuse each attempt. */
const OWN_ATTEMPTS = 5;
/** Older objects that stay, so that a desk that was paused cannot create one of them again unnoticed. */
const KEPT = 100;

const schema = z.strictObject({
  /** The desk that leads, as its data folder names itself. */
  holder: z.string(),
  /** True if the leader has ended, so that no one has to wait. */
  isReleased: z.boolean(),
});

interface StoredLease extends z.infer<typeof schema> {
  readonly number: number;
}

const FOLDER = 'lease/';
const nameOf = (number: number): string => `${FOLDER}${String(number).padStart(10, '0')}`;

/** Undefined if no desk has ever led. @throws Error of the target */
export const newestLease = async (target: CopyTarget): Promise<StoredLease | undefined> => {
  const name = (await target.list(FOLDER)).at(-1);
  const bytes = name === undefined ? undefined : await target.read(name);
  if (name === undefined || bytes === undefined) return undefined;
  return { ...schema.parse(JSON.parse(bytes.toString())), number: Number(name.slice(FOLDER.length)) };
};

/** Creates the object with this number. False if another desk has it, or one with a greater number exists. */
const claim = async (target: CopyTarget, number: number, holder: string, isReleased = false): Promise<boolean> => {
  const text = JSON.stringify({ holder, isReleased });
  if (!(await target.create(nameOf(number), Buffer.from(text)))) return false;
  return (await target.list(FOLDER)).at(-1) === nameOf(number);
};

export interface Lease {
  /** False if another desk may lead. */
  readonly isHeld: () => boolean;
  /** Stops renewing it. @param isReleased whether another desk may take it at once */
  end(isReleased: boolean): Promise<void>;
}

interface Context {
  readonly target: CopyTarget;
  readonly holder: string;
  readonly clock: Pick<Clock, 'monotonic' | 'uptime' | 'setTimer'>;
}

/** By two clocks, because the first may stop while the machine sleeps, and the second may be coarse. */
type Moment = Readonly<Record<'monotonic' | 'uptime', number>>;

const momentOf = (clock: Context['clock']): Moment => ({ monotonic: clock.monotonic(), uptime: clock.uptime() });

/** Renews a lease until it is lost. @param taken when this desk began to take it */
const keep = ({ target, holder, clock }: Context, first: number, taken: Moment): Lease => {
  let number = first;
  /** When the term began; undefined once the lease is lost. */
  let since: Moment | undefined = taken;
  let isOver = false;
  let cancelTimer = (): void => undefined;
  let renewing = Promise.resolve();
  const renew = async (): Promise<void> => {
    const startedAt = momentOf(clock);
    let wait = RENEW_MS;
    try {
      const isMade = await claim(target, number + 1, holder);
      const newest = isMade ? undefined : await newestLease(target);
      if (isMade) since = startedAt;
      else if (newest?.holder !== holder || newest.number <= number) {
        isOver = true;
        since = undefined;
      }
      // An object of this desk with a greater number is from an attempt whose answer was lost.
      number = newest?.number ?? number + 1;
      if (isMade && number > KEPT) await target.remove([nameOf(number - KEPT)]);
    } catch {
      // The target does not answer. The lease ends by itself.
      wait = RETRY_MS;
    }
    if (!isOver) schedule(wait);
  };
  const schedule = (ms: number): void => {
    cancelTimer = clock.setTimer(ms, () => {
      renewing = renew();
    });
  };
  schedule(RENEW_MS);
  return {
    isHeld: () =>
      since !== undefined && clock.monotonic() < since.monotonic + TERM_MS && clock.uptime() < since.uptime + TERM_MS,
    async end(isReleased) {
      const isLost = isOver;
      isOver = true;
      cancelTimer();
      await renewing;
      since = undefined;
      if (isReleased && !isLost) await claim(target, number + 1, holder, true).catch(() => false);
    },
  };
};

/** Takes the lease for the desk that held it last, or that is the first. Undefined if another desk has led since. */
export const takeOwnLease = async (context: Context): Promise<Lease | undefined> => {
  const { target, holder, clock } = context;
  for (let attempt = 0; attempt < OWN_ATTEMPTS; attempt += 1) {
    const startedAt = momentOf(clock);
    const newest = await newestLease(target);
    if (newest !== undefined && newest.holder !== holder) return undefined;
    const number = (newest?.number ?? 0) + 1;
    if (await claim(target, number, holder)) return keep(context, number, startedAt);
    // The number is taken: by another desk, or by this one in an attempt whose answer was lost.
  }
  return undefined;
};

/**
 * Waits until no desk leads, and takes the lease. Waits for a leader first, because only a desk that leads has a copy to
 * continue from.
 *
 * @param signal ends the waiting
 */
export const waitForLease = async (context: Context, signal: AbortSignal): Promise<Lease> => {
  const { target, holder, clock } = context;
  let seen: number | undefined;
  let seenAt = clock.monotonic();
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      clock.setTimer(RETRY_MS, resolve);
    });
  for (;;) {
    signal.throwIfAborted();
    const startedAt = momentOf(clock);
    const newest = await newestLease(target).catch(() => undefined);
    if (newest?.number !== seen) {
      seen = newest?.number;
      seenAt = clock.monotonic();
    }
    const isFree = newest?.isReleased === true || clock.monotonic() - seenAt > TERM_MS + MARGIN_MS;
    const number = (newest?.number ?? 0) + 1;
    // A claim whose answer is lost shows as a new number, which is waited for like any other.
    const isClaimed = newest !== undefined && isFree && (await claim(target, number, holder).catch(() => false));
    if (isClaimed) return keep(context, number, startedAt);
    await pause();
  }
};
