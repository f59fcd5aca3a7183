import { recordText } from '../../../core/decision/stored-record.ts';
import type { Clock } from '../../base/clock.ts';
import type { DecisionDraft } from '../decision-store.ts';
import type { DeskHead } from '../desk-head.ts';
import { reservesText } from '../reserves.ts';
import type { Transaction } from '../access.ts';
import type { Cells, RowsWrite, StepRows, Steps, Target } from '../rows.ts';
import { createLedger } from './ledger.ts';
import { createLogWriter } from './log-writer.ts';
import { enforcePolicy } from './policy-revisions.ts';

const DECISION: Target = {
  table: 'decision',
  columns: {
    seq: 'bigint',
    id: 'text',
    at: 'bigint',
    paymaster_id: 'text',
    chain_id: 'bigint',
    sender: 'text',
    outcome: 'text',
    user_op_hash: 'text',
    valid_until: 'bigint',
    settlement: 'text',
    actual_cost_wei: 'text',
    rule: 'text',
    record: 'text',
    reserves: 'text',
    entered_at: 'bigint',
    hash: 'bytea',
  },
  as: 'insert',
};

const HASH: Target = { table: 'decision_hash', columns: { user_op_hash: 'text', seq: 'bigint' }, as: 'insert' };

const WATCHED: Target = {
  table: 'watched_paymaster',
  columns: { chain_id: 'bigint', entry_point: 'text', paymaster: 'text' },
  as: 'add',
};

const SHADOW: Target = {
  table: 'shadow_result',
  columns: { rule_id: 'text', cycle: 'bigint', decision_seq: 'bigint', would_deny: 'bigint' },
  as: 'add',
};

const CYCLES = 'SELECT rule_id, cycle FROM rule WHERE rule_id = ANY($1::text[])';

/** The result of a rule in shadow for a decision. */
interface ShadowResult {
  readonly rule: string;
  readonly seq: number;
  readonly wouldDeny: number;
}

/** The paymaster of a sponsored operation. Settlement watches for the paymaster's operations. */
const paymasterOf = ({ paymasterAndData }: DecisionDraft): string => paymasterAndData.slice(0, 42);

interface PendingOptions {
  readonly clock: Clock;
  /**
   * Whether the hash of each decision is added together with the decision. On SQLite, hashes are added before they are
   * searched.
   */
  readonly entersHashes: boolean;
}

/**
 * What the engine keeps in memory of the tables that every decision writes, and what the current transaction adds to
 * them: `save` writes it at the end.
 *
 * @param head of the transaction that is running
 */
export const createPending = (head: DeskHead, { clock, entersHashes }: PendingOptions) => {
  const ledger = createLedger(head);
  const log = createLogWriter(head, clock);
  /** Hash of the policy in force, by DApp. */
  const inForce = new Map<string, string>();
  /** Paymasters that are known to be stored. */
  const watched = new Set<string>();
  let decisions: Cells[] = [];
  let hashes: Cells[] = [];
  let paymasters: Cells[] = [];
  let shadows: ShadowResult[] = [];

  const watchPaymaster = (draft: DecisionDraft): void => {
    const { chainId, entryPoint } = draft;
    const key = `${chainId} ${entryPoint} ${paymasterOf(draft)}`;
    if (watched.has(key)) return;
    watched.add(key);
    paymasters.push([chainId, entryPoint, paymasterOf(draft).toLowerCase()]);
  };
  const enforce = (tx: StepRows): Transaction['enforce'] =>
    function* (revision, use) {
      if (inForce.get(use.paymasterId) === revision.hash) return false;
      inForce.set(use.paymasterId, revision.hash);
      return yield* enforcePolicy(tx, log, revision, use);
    };
  const shadowRows = function* (tx: StepRows): Steps<Cells[]> {
    if (shadows.length === 0) return [];
    const rules = [...new Set(shadows.map(({ rule }) => rule))];
    const found = yield* tx.all<{ ruleId: string; cycle: number }>(CYCLES, [rules]);
    const cycles = new Map(found.map(({ ruleId, cycle }) => [ruleId, cycle]));
    return shadows.flatMap(({ rule, seq, wouldDeny }) => {
      const cycle = cycles.get(rule);
      return cycle === undefined ? [] : [[rule, cycle, seq, wouldDeny]];
    });
  };
  const clear = (): void => {
    decisions = [];
    hashes = [];
    paymasters = [];
    shadows = [];
  };
  return {
    head,
    ledger,
    log,
    /** The writes that a transaction makes through this memory. */
    writing: (tx: StepRows) => {
      const enforceIn = enforce(tx);
      return {
        ledger,
        log,
        ledgerVersion: () => head.ledgerVersion,
        advanceLedger: () => void (head.ledgerVersion += 1),
        enforce: enforceIn,
        *append(draft, revision, reservations = []) {
          if (revision !== undefined) yield* enforceIn(revision, draft);
          const record = recordText(draft);
          const { seq, enteredAt, hash } = log.appendDecision(record);
          const { id, at, paymasterId, chainId, sender, outcome, userOpHash, validUntil } = draft;
          const { settlement, actualCostWei, rule, trace } = draft;
          const reserves = reservations.length === 0 ? null : reservesText(reservations);
          const signed = [seq, id, at, paymasterId, chainId, sender, outcome, userOpHash, validUntil] as const;
          decisions.push([...signed, settlement, actualCostWei, rule, record, reserves, enteredAt, hash]);
          if (entersHashes && userOpHash !== null) hashes.push([userOpHash, seq]);
          if (outcome === 'sponsored') watchPaymaster(draft);
          for (const { shadow, outcome: result } of trace) {
            if (shadow === undefined || result === 'skip') continue;
            shadows.push({ rule: shadow, seq, wouldDeny: Number(result === 'wouldDeny') });
          }
          return { ...draft, seq };
        },
      } satisfies Partial<Transaction>;
    },
    /** Number of decisions that the current transaction has added. */
    added: () => decisions.length,
    *save(tx: StepRows): Steps<void> {
      const writes: RowsWrite[] = [
        { to: DECISION, rows: decisions },
        { to: HASH, rows: hashes },
        { to: WATCHED, rows: paymasters },
        { to: SHADOW, rows: yield* shadowRows(tx) },
      ];
      clear();
      yield* ledger.save(tx);
      yield* log.save(tx, writes);
    },
    /**
     * Discards the contents, because the transaction was undone or another engine has written. @param size as for
     * {@link LogWriter}
     */
    undone(size?: number): void {
      clear();
      inForce.clear();
      watched.clear();
      ledger.forget();
      log.undone(size);
    },
  };
};
