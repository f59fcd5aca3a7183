import type { Draw } from '../support/draw.ts';

/** A way into the desk, or into a program that reads its files. */
export interface Way<Input = unknown> {
  readonly name: string;
  /** How many requests are sent before it is the turn of the next way. */
  readonly atATime: number;
  /** How many of them are in flight at the same time. */
  readonly atOnce: number;
  /** True if this process reads them, and not the desk. */
  readonly isHere?: true;
  /** Well-formed requests, from which malformed ones are made. */
  readonly seeds: readonly Input[];
  mutate(input: Input, draw: Draw): Input;
  /** Sends a request. @throws Finding if the answer is not as it must be */
  play(input: Input): Promise<void>;
  /** The request as text, for the report of a finding. */
  show(input: Input): string;
}

/** A promise of the desk that a request has broken. */
export class Finding extends Error {
  override readonly name = 'Finding';
}

/** Hides what a way's input is, so that all ways fit one list. */
export const way = <Input>(described: Way<Input>): Way => described;
