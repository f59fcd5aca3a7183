/** Prints a story in the terminal, step by step. */
export interface Story {
  step(title: string): void;
  /** Prints a figure or a fact for the current step. */
  print(what: string, value?: string | number | bigint): void;
  /**
   * Prints a fact that must be true. @throws Error if `holds` is false, which means that the step has failed; `instead`
   * says what happened
   */
  check(holds: boolean, what: string, instead?: string): void;
}

/** Creates a story, whose lines are passed to `write`. */
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
