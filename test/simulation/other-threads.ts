import crypto from 'node:crypto';
import fs from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

/**
 * Node.js works on files and with keys in other threads. The processors decide when such work ends, so a simulation
 * holds its ends back: each comes when nothing else can run, in the order in which the work began. This has to be
 * loaded before the sources, some of which keep the functions that are replaced here.
 */

type Call = (...args: unknown[]) => unknown;
type Release = () => void;

/** What has begun and not ended for its caller, in order. */
const begun: Promise<Release>[] = [];
let plays = 0;

/** The same result, when its turn has come. */
const inTurn = <T>(work: Promise<T>): Promise<T> =>
  plays === 0
    ? work
    : new Promise((resolve, reject) => {
        const release = (value: T) => () => resolve(value);
        begun.push(work.then(release, (error: Error) => () => reject(error)));
      });

const replace = (owner: object, name: string, by: (original: Call) => Call): void => {
  const functions = owner as Record<string, Call | undefined>;
  const original = functions[name];
  if (typeof original === 'function') functions[name] = by(original);
};

/** For functions that return a promise. */
const promising = (original: Call): Call =>
  function (this: unknown, ...args) {
    const result = original.apply(this, args);
    return result instanceof Promise ? inTurn(result) : result;
  };

/** For functions that call their last argument when they end. */
const callingBack = (original: Call): Call =>
  function (this: unknown, ...args) {
    const callback = args.pop() as Call;
    const ended = new Promise<unknown[]>((resolve) => {
      original.call(this, ...args, (...results: unknown[]) => resolve(results));
    });
    void inTurn(ended).then((results) => callback(...results));
  };

for (const name of Object.keys(files)) replace(files, name, promising);
for (const name of Object.getOwnPropertyNames(SubtleCrypto.prototype)) {
  if (name !== 'constructor') replace(SubtleCrypto.prototype, name, promising);
}
replace(fs, 'fdatasync', callingBack);
replace(crypto, 'scrypt', callingBack);
// A thread that signs would be elsewhere in its work in each play. The engine signs without it.
replace(
  threads,
  'Worker',
  (original) =>
    function (...args) {
      if (plays > 0) throw new Error('A simulation has no threads of its own.');
      return Reflect.construct(original, args);
    },
);
syncBuiltinESMExports();

/** From now on, ends are held back. */
export const holdEnds = (): void => {
  plays += 1;
};

/** Ends are no longer held back, unless something else is played. */
export const releaseEnds = async (): Promise<void> => {
  plays -= 1;
  while (plays === 0 && (await endNext()));
};

/** Waits for the work that began first, and lets its caller know. @returns false if no work has begun */
export const endNext = async (): Promise<boolean> => {
  const next = begun.shift();
  (await next)?.();
  return next !== undefined;
};
