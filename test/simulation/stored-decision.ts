import Database from 'better-sqlite3';
import type { Hex } from '../../src/shared/schema/hex.ts';

interface Stored {
  readonly id: string;
  readonly at: number;
  readonly validUntil: number;
  readonly maxCostWei: string;
  readonly settlement: string;
}

/** A sponsored decision as it is in the database file at this moment, read past the engine. */
export const storedDecision = (file: string, userOpHash: Hex): Stored | undefined => {
  const database = new Database(file, { readonly: true });
  try {
    return database
      .prepare<[string], Stored>(
        `SELECT id, at, valid_until AS validUntil, record ->> 'maxCostWei' AS maxCostWei, settlement FROM decision
         WHERE user_op_hash = ? AND outcome = 'sponsored' ORDER BY seq DESC LIMIT 1`,
      )
      .get(userOpHash);
  } finally {
    database.close();
  }
};
