import { stepsOf } from '../rows.ts';
import { completeTiles as complete } from '../tables/log-tree.ts';
import { type Rows, runSteps } from './rows.ts';

/** Stores the tiles that new leaves complete; runs in the transaction that appends them. */
export const completeTiles = (rows: Rows, leaves: { readonly from: number; readonly to: number }): Promise<void> =>
  runSteps(complete(stepsOf(rows), leaves));
