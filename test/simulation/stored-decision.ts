import Database from 'better-sqlite3';
import type { Hex } from '../../src/shared/schema/hex.ts';

interface Stored {
  readonly id: string;
  readonly at: number;
  readonly validUntil: number;
  readonly maxCostWei: string;
  readonly settlement: string;
}

const reading = <T>(file: string, read: (database: Database.Database) => T): T => {
  const database = new Database(file, { readonly: true });
  try {
    return read(database);
  } finally {
    database.close();
  }
};

/**
 * A sponsored decision as it is in the database file at this moment, read past the engine.
 *
 * @param paymasterId of its DApp, as several may sign the same operation; default: whichever it is
 */
export const storedDecision = (file: string, userOpHash: Hex, paymasterId?: string): Stored | undefined =>
  reading(file, (database) =>
    database
      .prepare<[{ userOpHash: string; paymasterId: string | null }], Stored>(
        `SELECT id, at, valid_until AS validUntil, record ->> 'maxCostWei' AS maxCostWei, settlement FROM decision
         WHERE user_op_hash = $userOpHash AND outcome = 'sponsored'
           AND coalesce($paymasterId, paymaster_id) = paymaster_id ORDER BY seq DESC LIMIT 1`,
      )
      .get({ userOpHash, paymasterId: paymasterId ?? null }),
  );

/** Operations of which no decision reserves or has spent anything, by their hashes. */
export const releasedHashes = (file: string): readonly Hex[] =>
  reading(file, (database) =>
    database
      .prepare<[], Hex>(
        `SELECT user_op_hash FROM decision WHERE outcome = 'sponsored' GROUP BY user_op_hash
         HAVING min(settlement = 'released')`,
      )
      .pluck()
      .all(),
  );
