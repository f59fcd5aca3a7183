import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { typedWei } from '../shared/typed-wei.ts';
import { MAX_WHOLE_NUMBER, wholeNumber } from './command.ts';

/** Reads a chain id from the command line. */
export const chainIdArgument = wholeNumber(1, MAX_WHOLE_NUMBER);

/** Reads a chain from the command line: its EIP-155 chain id, or the name that it has in the desk. */
export const chainArgument = (text: string): number | string => (/^\p{L}/u.test(text) ? text : chainIdArgument(text));

/** A chain, which the command names by an option. */
export const chain = { words: '--chain <chain>  name of the chain, or its EIP-155 chain id', parse: chainArgument };

/** Help of `--out`. */
export const NEW_FILE = 'file to write, which must not exist (default: standard output)';

/** How a DApp is named: by its name, its id (`paymasterId`), or the beginning of either. */
export const dapp = '--dapp <dapp>  name of the DApp, or its id';

/** Reads an amount of the native coin, and returns decimal wei. @param end the end of the error message */
export const coinArgument =
  (end = ', such as 0.5') =>
  (text: string): string => {
    const wei = typedWei(text);
    if (wei !== undefined) return wei;
    throw new InvalidArgumentError(`Use an amount of the native coin${end}.`);
  };

/** Reads the target of a continuous backup: returns an absolute path, or the URL of a bucket. */
export const targetArgument = (text: string): string => {
  if (/^s3:\/\/[^/]/.test(text)) return text.replace(/\/+$/, '');
  // An empty variable of a shell, or another URL, would become a folder below the current one.
  if (text !== '' && !/^[a-z][\w+.-]*:\/\//i.test(text)) return resolve(text);
  throw new InvalidArgumentError('Use a path, or s3://BUCKET/PREFIX.');
};

/** An amount of the native coin, which is sent as wei. */
export const amount = { words: '--amount <amount>  amount of the native coin, such as 0.5', parse: coinArgument() };

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** A time in epoch ms; NaN for a text that is not a time, such as February 30, which Date would read as March 2. */
const isoTime = (text: string): number => {
  const time = ISO_8601.test(text) ? Date.parse(text) : Number.NaN;
  const [year, month, day] = text.slice(0, 10).split('-').map(Number);
  const exists = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day)).getUTCDate() === day;
  return exists ? time : Number.NaN;
};

/** Smaller numbers are refused. As milliseconds they would be times before March 1973, so they are probably seconds. */
const MILLISECONDS_FROM = 100_000_000_000;

/** Reads a time from the command line: ISO 8601, or milliseconds since 1970. */
export const timeArgument = (text: string): number => {
  const time = /^\d{1,15}$/.test(text) ? Number(text) : isoTime(text);
  if (time > 0 && time < MILLISECONDS_FROM) {
    throw new InvalidArgumentError('This looks like seconds. Use epoch milliseconds.');
  }
  if (time >= 0) return time;
  throw new InvalidArgumentError('Use a time such as 2026-01-31, 2026-01-31T14:30:00Z or 1769869800000.');
};
