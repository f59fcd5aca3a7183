import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { EngineError } from '../../../shared/errors.ts';
import { initial } from './migrations/0010-initial.ts';
import { ledger } from './migrations/0020-ledger.ts';
import { originsAndFilters } from './migrations/0030-origins-and-filters.ts';
import { cheaperDecisions } from './migrations/0035-cheaper-decisions.ts';
import { feeTokens } from './migrations/0040-fee-tokens.ts';
import { pause } from './migrations/0060-pause.ts';
import { fundingProof } from './migrations/0061-funding-proof.ts';
import { operatorTransactions } from './migrations/0062-operator-transactions.ts';
import { burnRateBreaker } from './migrations/0063-burn-rate-breaker.ts';
import { mostOperationCost } from './migrations/0064-most-operation-cost.ts';
import { unreachableBudget } from './migrations/0065-unreachable-budget.ts';
import { endlessReservations } from './migrations/0066-endless-reservations.ts';
import { boundsPerDapp } from './migrations/0067-bounds-per-dapp.ts';
import { decisionFeed } from './migrations/0068-decision-feed.ts';
import { policyRevisions } from './migrations/0069-policy-revisions.ts';
import { ledgerColumns } from './migrations/0070-ledger-columns.ts';
import { sponsorAnswer } from './migrations/0080-sponsor-answer.ts';
import { notifications } from './migrations/0090-notifications.ts';
import { policyHistory } from './migrations/0095-policy-history.ts';
import { log } from './migrations/0100-log.ts';
import { ruleBinding } from './migrations/0105-rule-binding.ts';
import { coinPrice } from './migrations/0110-coin-price.ts';
import { tokensAndKeys } from './migrations/0120-tokens-and-keys.ts';
import { believedFees } from './migrations/0130-believed-fees.ts';
import { tokenMode } from './migrations/0135-token-mode.ts';
import type { Migration } from './migrations/migration.ts';

const migrations: readonly Migration[] = [
  initial,
  ledger,
  originsAndFilters,
  cheaperDecisions,
  feeTokens,
  pause,
  fundingProof,
  operatorTransactions,
  burnRateBreaker,
  mostOperationCost,
  unreachableBudget,
  endlessReservations,
  boundsPerDapp,
  decisionFeed,
  policyRevisions,
  ledgerColumns,
  sponsorAnswer,
  notifications,
  policyHistory,
  log,
  ruleBinding,
  coinPrice,
  tokensAndKeys,
  believedFees,
  tokenMode,
];

/** Schema version of this Gasdesk's databases (`user_version`). */
export const newestSchema = migrations.at(-1)?.version ?? 0;

/** Copies the database. An earlier attempt's copy is replaced only when the new one is complete. */
const backUp = (database: Database.Database, file: string): void => {
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true });
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    database.prepare('VACUUM INTO ?').run(temporary);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
};

/**
 * Migrates a database to the newest schema, each step in its own transaction, after copying the original file
 * (`<file>.before-<version>`).
 *
 * @throws EngineError `DATABASE_TOO_NEW` if a newer Gasdesk wrote it; nothing is then changed
 */
export const migrate = (database: Database.Database, steps: readonly Migration[] = migrations): void => {
  const current = database.pragma('user_version', { simple: true }) as number;
  const newest = steps.at(-1)?.version ?? 0;
  if (current > newest) {
    throw new EngineError(
      'DATABASE_TOO_NEW',
      `The database has schema ${current}, and this Gasdesk knows up to ${newest}. Use a newer Gasdesk, or restore a backup.`,
      { found: current, known: newest },
    );
  }
  const pending = steps.filter((step) => step.version > current);
  const first = pending[0];
  if (first === undefined) return;
  if (current > 0) backUp(database, `${database.name}.before-${first.version}`);
  for (const step of pending) {
    database.transaction(() => {
      database.exec(step.sql);
      database.pragma(`user_version = ${step.version}`);
    })();
  }
};
