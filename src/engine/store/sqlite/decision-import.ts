import { closeSync, openSync } from 'node:fs';
import Database, { SqliteError } from 'better-sqlite3';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import { addressKey } from '../../../shared/schema/hex.ts';
import type { Address } from '../../../shared/schema/hex.ts';
import { hashCatchUp } from './hash-index.ts';
import { createSchema } from './schema.ts';
import { stepsOf } from '../rows.ts';
import { type FirstUse, saveRevision } from '../tables/policy-revisions.ts';
import { runSteps, statementsOf } from './rows.ts';
import { type StoredRecord, recordText } from '../../../core/decision/stored-record.ts';

/** A complete decision, or a decision as a log stores it. */
export type ImportedDecision = StoredRecord &
  Pick<DecisionRecord, 'seq' | 'settlement' | 'actualCostWei' | 'policyRevision'>;

/** A new database that is being filled with decisions of another installation. */
export interface DecisionImport {
  /**
   * Adds a decision unchanged, with its `seq`, which must be new, and its policy revision.
   *
   * @returns false if its id exists already
   */
  add(decision: ImportedDecision): boolean;
  addRevision(revision: Revision): void;
  /** Stores the settlement of a sponsored operation that was added before. Ignores any other settlement. */
  settle(settlement: Settlement): void;
  /** Completes the file, which the store can then open. */
  finish(): void;
  /** Stops early. The file is then useless. */
  abandon(): void;
}

/** A policy revision, with the DApp and time of its first use. */
interface Revision extends Pick<DecisionRecord, 'paymasterId' | 'at'> {
  readonly hash: string;
  readonly policy: unknown;
}

interface Settlement extends Pick<DecisionRecord, 'settlement' | 'actualCostWei'> {
  readonly id: string;
}

interface Dapp {
  readonly paymasterId: string;
  readonly name: string;
  readonly chainId: number;
  readonly createdAt: number;
}

interface Part {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** Opens the file for filling only. After any error, the file is discarded. */
const openForFilling = (file: string): Database.Database => {
  closeSync(openSync(file, 'wx', 0o600));
  const database = new Database(file);
  database.pragma('journal_mode = OFF');
  database.pragma('synchronous = OFF');
  // Rules and accounts of the other installation are unknown.
  database.pragma('foreign_keys = OFF');
  createSchema(database);
  return database;
};

const isIdTaken = (error: unknown): boolean =>
  error instanceof SqliteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE' && error.message.endsWith('decision.id');

/**
 * Starts to fill a new database with decisions. Uses one transaction, and creates indexes and triggers at the end: ten
 * times as fast as storing decisions that must be durable.
 *
 * @param file must not exist
 */
export const createDecisionImport = (file: string): DecisionImport => {
  const database = openForFilling(file);
  const parts = database
    .prepare<[], Part>(
      `SELECT type, name, sql FROM sqlite_schema
       WHERE tbl_name = 'decision' AND type IN ('index', 'trigger') AND sql <> ''`,
    )
    .all();
  for (const { type, name } of parts) database.exec(`DROP ${type} ${name}`);
  const insert = database.prepare(
    `INSERT INTO decision (seq, id, at, paymaster_id, chain_id, sender, outcome, user_op_hash, valid_until, settlement,
       actual_cost_wei, rule, record)
     VALUES (@seq, @id, @at, @paymasterId, @chainId, @sender, @outcome, @userOpHash, @validUntil, @settlement,
       @actualCostWei, @rule, @record)`,
  );
  const insertDapp = database.prepare<[Dapp]>(
    `INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, created_at)
     VALUES (@paymasterId, @paymasterId, @name, @chainId, @paymasterId, '', @createdAt)`,
  );
  const update = database.prepare<[Settlement]>(
    `UPDATE decision SET settlement = @settlement, actual_cost_wei = @actualCostWei
     WHERE id = @id AND outcome = 'sponsored'`,
  );
  const steps = stepsOf(statementsOf(database));
  const addRevision = (revision: Pick<Revision, 'hash' | 'policy'>, use: FirstUse): void =>
    void runSteps(saveRevision(steps, revision, use));
  const dapps = new Map<string, Dapp>();
  database.exec('BEGIN');
  return {
    add(decision) {
      const { seq: _, settlement, actualCostWei, policyRevision, ...stored } = decision;
      const sender = addressKey(decision.sender as Address);
      try {
        insert.run({ ...decision, settlement, actualCostWei, sender, record: recordText(stored) });
      } catch (error) {
        if (isIdTaken(error)) return false;
        throw error;
      }
      const { paymasterId, dapp: name, chainId, at: createdAt, policy: hash } = decision;
      // Stored unchanged, so that a later decision with the revision can compare it with its hash.
      if (hash !== undefined && policyRevision !== undefined) {
        addRevision({ hash, policy: policyRevision }, decision);
      }
      if (!dapps.has(paymasterId)) dapps.set(paymasterId, { paymasterId, name, chainId, createdAt });
      return true;
    },
    addRevision: (revision) => addRevision(revision, revision),
    settle: (settlement) => void update.run(settlement),
    finish() {
      // Each DApp gets a separate account, because two accounts may have DApps with the same name.
      for (const dapp of dapps.values()) insertDapp.run(dapp);
      for (const { sql } of parts) database.exec(sql);
      const catchUp = hashCatchUp(database);
      while (!catchUp());
      database.exec('COMMIT');
      database.close();
    },
    abandon() {
      database.close();
    },
  };
};
