import type Database from 'better-sqlite3';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { DecisionDraft, DecisionStore } from '../decision-store.ts';
import type { Pause, PolicyRevision, PolicyStore } from '../policy-store.ts';
import type { DecisionEntry } from '../log-rows.ts';
import { type StoredReservation, reservesText } from '../reserves.ts';
import type { Log } from '../../base/log.ts';
import type { GroupCommit } from './group-commit.ts';
import type { LogWriter } from './log.ts';
import type { Ledger } from './ledger.ts';
import type { SettingsVersion } from './memory.ts';
import type { PoliciesInForce } from './policy-revisions.ts';
import { recordText } from '../../../core/decision/stored-record.ts';

export const decisionStore = (
  database: Database.Database,
  {
    ledger,
    settings,
    commit,
    entries,
    inForce,
    log,
  }: {
    ledger: Ledger;
    settings: SettingsVersion;
    commit: GroupCommit;
    entries: LogWriter;
    inForce: PoliciesInForce;
    log: Log;
  },
): Omit<DecisionStore, 'forgetRolling'> & Pick<PolicyStore, 'settingsVersion'> => {
  const insert = database.prepare(
    `INSERT INTO decision (seq, id, at, paymaster_id, chain_id, sender, outcome, user_op_hash, valid_until, settlement,
       actual_cost_wei, rule, record, reserves, entered_at, hash) VALUES (?${', ?'.repeat(15)})`,
  );
  /** Passes the values by position, which takes half as long as by name. */
  const insertDecision = (
    { id, at, paymasterId, chainId, sender, outcome, userOpHash, validUntil, ...draft }: DecisionDraft,
    { record, reserves }: { readonly record: string; readonly reserves: string | null },
    { seq, enteredAt, hash }: DecisionEntry,
  ): void => {
    const { settlement, actualCostWei, rule } = draft;
    insert.run(
      ...[seq, id, at, paymasterId, chainId, sender, outcome, userOpHash, validUntil, settlement],
      ...[actualCostWei, rule, record, reserves, enteredAt, hash],
    );
  };

  const watch = database.prepare<[number, string, string]>('INSERT OR IGNORE INTO watched_paymaster VALUES (?, ?, ?)');
  /** Paymasters known to be stored. Only committed ones, because others may still be rolled back. */
  const watched = new Set<string>();
  const paymasterKey = ({ chainId, entryPoint, paymasterAndData }: DecisionDraft): string =>
    `${chainId} ${entryPoint} ${paymasterAndData.slice(0, 42)}`;
  /** Adds the paymaster to those that settlement watches. */
  const watchPaymaster = (draft: DecisionDraft): void => {
    if (watched.has(paymasterKey(draft))) return;
    watch.run(draft.chainId, draft.entryPoint, draft.paymasterAndData.slice(0, 42).toLowerCase());
  };

  const pauseOnce = database.prepare<[Pause]>('INSERT OR IGNORE INTO sponsorship_pause VALUES (1, @since, @reason)');
  const pauseDappOnce = database.prepare<[Pause & { paymasterId: string }]>(
    'INSERT OR IGNORE INTO dapp_pause VALUES (@paymasterId, @since, @reason)',
  );
  const keepShadow = database.prepare<[number, number, string]>(
    'INSERT OR IGNORE INTO shadow_result SELECT rule_id, cycle, ?, ? FROM rule WHERE rule_id = ?',
  );
  const append = (
    draft: DecisionDraft,
    revision: PolicyRevision | undefined,
    reservations: readonly StoredReservation[] = [],
  ): DecisionRecord => {
    if (revision !== undefined) inForce.enforce(revision, draft);
    if (draft.outcome === 'sponsored') watchPaymaster(draft);
    const record = recordText(draft);
    const reserves = reservations.length === 0 ? null : reservesText(reservations);
    const seq = entries.appendDecision(record, (entry) => insertDecision(draft, { record, reserves }, entry));
    for (const { shadow, outcome } of draft.trace) {
      if (shadow !== undefined && outcome !== 'skip') keepShadow.run(seq, Number(outcome === 'wouldDeny'), shadow);
    }
    return { ...draft, seq };
  };
  return {
    async ledgerVersion() {
      return ledger.version();
    },
    async settingsVersion(scope) {
      return settings.of(scope);
    },
    async hasOtherAccount(account) {
      return ledger.hasOther(account);
    },
    async heldOf(parts) {
      return parts.map(ledger.heldBy);
    },
    decideAndReserve: async ({ reservations, ledgerVersion, settings: read }, conclude) => {
      const stored = await commit.run(() => {
        if (ledger.version() !== ledgerVersion) return undefined;
        if (read !== undefined && settings.of(read.scope) !== read.version) return undefined;
        const before = reservations.map(ledger.heldBy);
        const conclusion = conclude(before);
        if (conclusion === undefined) return undefined;
        const { decision, reserve, taken = reservations, pause, pauseDapp, revision } = conclusion;
        const record = append(decision, revision, reserve ? ledger.reserve(taken, before) : []);
        if (pause !== undefined) {
          pauseOnce.run({ since: pause.since, reason: pause.reason });
          settings.deskChanged();
        }
        if (pauseDapp !== undefined) {
          const { since, reason } = pauseDapp;
          pauseDappOnce.run({ since, reason, paymasterId: decision.paymasterId });
          settings.dappChanged(decision.paymasterId);
        }
        return record;
      });
      if (stored?.outcome === 'sponsored') watched.add(paymasterKey(stored));
      return stored;
    },
    withHold: async ({ reservations, ledgerVersion }, check, run) => {
      const holds = await commit.run(() => {
        if (ledger.version() !== ledgerVersion) return undefined;
        check(reservations.map(ledger.heldBy));
        return ledger.hold(reservations);
      });
      if (holds === undefined) return undefined;
      try {
        return await run(holds);
      } finally {
        // The action may have sent money: its result matters more than the hold, which ends when the store opens again.
        await commit
          .run(() => ledger.release(holds))
          .catch((err: unknown) => {
            log.warn('store.holdKept', { err });
          });
      }
    },
    appendDecision: (decision, revision) => commit.run(() => append(decision, revision)),
  };
};
