import { createHash } from 'node:crypto';
import type { VirtualTime } from './time.ts';

/** Node.js answers with the time of the real clock. */
const DATE = /^Date: .*$/gm;

/** A hash of everything that is said in a world, and when. Two runs of a seed differ as soon as their traces do. */
export class Trace {
  readonly #hash = createHash('sha256');
  readonly #time: VirtualTime;
  readonly #dir: string;

  /** @param dir the folder of this run, which has another name in each run */
  constructor(time: VirtualTime, dir: string) {
    this.#time = time;
    this.#dir = dir;
  }

  readonly note = (words: string): void => {
    this.#hash.update(`${this.#time.now} ${words.replaceAll(this.#dir, '').replace(DATE, '')}\n`);
  };

  /** Hex. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}
