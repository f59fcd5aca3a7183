import type { Caller } from '../api/index.ts';
import type { FeedPage } from '../shared/schema/decision.ts';
import { harmless, shortId } from './human-text.ts';
import { look, printLine } from './terminal.ts';

type Row = FeedPage['rows'][number];

const COLOURS = { sponsored: 'green', denied: 'yellow', error: 'red' } as const;

const twoDigits = (part: number): string => String(part).padStart(2, '0');

/** The time of day, on the clock of the machine. */
const timeOfDay = (at: number): string => {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':');
};

/** A decision on one line, and what would help on a second one if it was not sponsored. */
export const decisionLines = ({ id, at, dapp, outcome, code, message, hint }: Row): string => {
  const { paint } = look();
  const words = harmless(`${dapp}: ${message}`);
  const line = `${paint('dim', timeOfDay(at))}  ${paint(COLOURS[outcome], outcome.padEnd(9))}  ${words}`;
  if (outcome === 'sponsored') return `${line}  ${paint('dim', shortId(id))}`;
  return `${line} ${paint('dim', `${code}, ${shortId(id)}`)}${hint === '' ? '' : `\n${' '.repeat(10)}→ ${harmless(hint)}`}`;
};

interface Tail {
  /** Only decisions of this DApp. */
  readonly paymasterId?: string | undefined;
  /** Ends after this many decisions. */
  readonly limit?: number | undefined;
}

/** Prints each decision as it is made, until `stopped` resolves. */
export const tailDecisions = async (
  call: Caller,
  { paymasterId, limit = Infinity }: Tail,
  stopped: Promise<unknown>,
  show: (row: Row) => string = decisionLines,
  write: (line: string) => void = printLine,
): Promise<void> => {
  let { upTo: after } = await call('decisions.follow', { wait: false });
  for (let left = limit; left > 0;) {
    const page = await Promise.race([call('decisions.follow', { after }), stopped.then(() => undefined)]);
    if (page === undefined) return;
    const { rows, upTo } = page;
    const isMeant = (row: Row): boolean => row.isNew && (paymasterId === undefined || row.paymasterId === paymasterId);
    const shown = rows.filter(isMeant).slice(0, left);
    for (const row of shown) write(show(row));
    left -= shown.length;
    after = upTo;
  }
};
