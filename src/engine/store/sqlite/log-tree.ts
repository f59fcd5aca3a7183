import type Database from 'better-sqlite3';
import { stepsOf } from '../rows.ts';
import { completeTiles } from '../tables/log-tree.ts';
import { runSteps, statementsOf } from './rows.ts';

/** The writing side of the log's tree. */
export const logTree = (database: Database.Database) => {
  const steps = stepsOf(statementsOf(database));
  return {
    /** Stores the tiles that the leaf at `position` completes; runs in the transaction that appends it. */
    complete: (position: number, leaves?: readonly Buffer[]): void =>
      runSteps(completeTiles(steps, { from: position, to: position + 1 }, leaves)),
  };
};
