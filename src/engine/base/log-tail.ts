/** A line of the log that is kept: its number since the start, and the JSON that was written. */
interface KeptLine {
  readonly seq: number;
  readonly json: string;
}

/** The newest lines of a log, for whoever looks at it while the engine runs. */
export interface LogTail {
  /** Takes a line as it was written, already scrubbed. */
  push(json: string): void;
  /** The lines that are still kept and come behind `after`, the oldest first. */
  since(after: number): KeptLine[];
  /** Number of the newest line; 0 while there is none. */
  readonly last: number;
}

/** Keeps the last `size` lines. They stay text until somebody reads them: keeping one costs an assignment. */
export const createLogTail = (size: number): LogTail => {
  const lines: string[] = [];
  let last = 0;
  return {
    push(json) {
      lines[last % size] = json;
      last += 1;
    },
    since(after) {
      const first = Math.max(after, last - size);
      const count = Math.max(0, last - first);
      return Array.from({ length: count }, (_, index) => ({
        seq: first + index + 1,
        json: lines[(first + index) % size] ?? '',
      }));
    },
    get last() {
      return last;
    },
  };
};
