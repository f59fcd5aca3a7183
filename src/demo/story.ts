/** Prints a story in the terminal, step by step. */
export interface Story {
  step(title: string): void;
  /** A figure or a fact of the current step. */
  print(what: string, value?: string | number | bigint): void;
  /** A fact that must hold. @throws Error if it does not: the step failed; `instead` says what holds */
  check(holds: boolean, what: string, instead?: string): void;
}

/** Passes the lines of a story to `write`. */
export const createStory = (write: (line: string) => void): Story => {
  let steps = 0;
  return {
    step(title) {
      steps += 1;
      write(`\n${steps}. ${title}`);
    },
    print(what, value) {
      write(value === undefined ? `   ${what}` : `   ${what.padEnd(34)} ${String(value)}`);
    },
    check(holds, what, instead) {
      if (!holds) throw new Error(`Step failed: ${what}${instead === undefined ? '' : `; instead ${instead}`}`);
      write(`   ✓ ${what}`);
    },
  };
};
