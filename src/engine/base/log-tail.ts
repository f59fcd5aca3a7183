interface StoredLine {
  readonly seq: number;
  readonly json: string;
}

export interface LogTail {
  push(json: string): void;
  /** The kept lines after number `after`, oldest first. */
  since(after: number): StoredLine[];
  /** Number of the newest line; 0 before the first. */
  readonly last: number;
}

/**
 * Keeps the last `size` lines as text and parses them only when read, so that keeping a line costs just an assignment.
 */
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
