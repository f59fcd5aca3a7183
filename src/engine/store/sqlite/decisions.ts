import type Database from 'better-sqlite3';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { DecisionDraft, Pause, Store } from '../store.ts';
import { decisionQueries } from './decision-queries.ts';
import { countedOperationsStore } from './counted-operations.ts';
import { decisionSummary } from './decision-summary.ts';
import type { GroupCommit } from './group-commit.ts';
import { createHashIndex } from './hash-index.ts';
import type { Ledger } from './ledger.ts';

type DecisionStore = Pick<
  Store,
  | 'decideAndReserve'
  | 'holdWhile'
  | 'appendDecision'
  | 'settlements'
  | 'heldOf'
  | 'listDecisions'
  | 'pageDecisions'
  | 'findDecision'
  | 'countDecisions'
  | 'summarizeDecisions'
  | 'countedOperations'
>;

/** Decisions in SQLite, each with what it reserves. */
export const decisionStore = (database: Database.Database, ledger: Ledger, commit: GroupCommit): DecisionStore => {
  const insert = database.prepare(
    `INSERT INTO decision (id, at, paymaster_id, chain_id, sender, outcome, user_op_hash, valid_until, settlement,
       actual_cost_wei, rule, record)
     VALUES (@id, @at, @paymasterId, @chainId, @sender, @outcome, @userOpHash, @validUntil, @settlement,
       @actualCostWei, @rule, @record)`,
  );

  const watch = database.prepare<[number, string, string]>('INSERT OR IGNORE INTO watched_paymaster VALUES (?, ?, ?)');
  /** Paymasters that are in the table for sure: what is only about to be committed may yet be rolled back. */
  const watched = new Set<string>();
  const paymasterKey = ({ chainId, entryPoint, paymasterAndData }: DecisionDraft): string =>
    `${chainId} ${entryPoint} ${paymasterAndData.slice(0, 42)}`;
  /** Tells settlement which paymasters to look for. */
  const watchPaymaster = (draft: DecisionDraft): void => {
    if (watched.has(paymasterKey(draft))) return;
    watch.run(draft.chainId, draft.entryPoint, draft.paymasterAndData.slice(0, 42).toLowerCase());
  };

  const pauseOnce = database.prepare<[Pause]>('INSERT OR IGNORE INTO sponsorship_pause VALUES (1, @since, @reason)');
  const append = (draft: DecisionDraft): DecisionRecord => {
    if (draft.outcome === 'sponsored') watchPaymaster(draft);
    const { settlement, actualCostWei, ...stored } = draft;
    const { lastInsertRowid } = insert.run({ ...draft, record: JSON.stringify(stored) });
    return { ...stored, settlement, actualCostWei, seq: Number(lastInsertRowid) };
  };

  const hashes = createHashIndex(database);
  /** A lot at a time, so that decisions are stored in between. */
  const enterHashes = async (): Promise<void> => {
    while (!(await commit.run(() => hashes.catchUp())));
  };

  return {
    async settlements() {
      return ledger.settlements();
    },
    async heldOf(claims) {
      return claims.map(ledger.held);
    },
    decideAndReserve: async ({ claims, settlements }, conclude) => {
      const stored = await commit.run(() => {
        if (ledger.settlements() !== settlements) return undefined;
        const held = claims.map(ledger.held);
        const { decision, reserve, pause } = conclude(held);
        const record = append(decision);
        if (pause !== undefined) pauseOnce.run(pause);
        if (reserve) ledger.reserve(record.seq, claims, held);
        return record;
      });
      if (stored?.outcome === 'sponsored') watched.add(paymasterKey(stored));
      return stored;
    },
    holdWhile: async ({ claims, settlements }, check, run) => {
      if (ledger.settlements() !== settlements) return undefined;
      check(claims.map(ledger.held));
      const release = ledger.hold(claims);
      try {
        return await run();
      } finally {
        release();
      }
    },
    appendDecision: (decision) => commit.run(() => append(decision)),
    ...decisionQueries(database, enterHashes),
    ...decisionSummary(database),
    ...countedOperationsStore(database),
  };
};
