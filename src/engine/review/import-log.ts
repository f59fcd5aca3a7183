import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ReviewInfo, Verification } from '../../api/system.ts';
import type { Entry, EntryBody } from '../../core/log/entry.ts';
import type { LogFault, LogReport } from '../../core/log/log-report.ts';
import { LoggedPolicies } from '../../core/log/policy-check.ts';
import { logWords } from '../../core/log/report-words.ts';
import { type DecisionImport, createDecisionImport } from '../store/sqlite/decision-import.ts';
import { verifyLogFile } from '../log/verify-log.ts';
import { decisionOfEntry } from './decision-of-entry.ts';
import { isTooDeep } from './export-lines.ts';

export interface LogImportOptions {
  /** The log's key, if it is known from a source other than the file. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called from time to time with the fraction of the file that has been read, from 0 to 1. */
  readonly progress?: ((part: number) => void) | undefined;
}

const OWN_KEY =
  'The key is the one in the file: compare it with the key that the operator hands out, or open the file with --key.';

/** The same maximum as in the verifier. */
const MAX_FAULTS = 1_000;
const DIGITS = /^\d+$/;

/** Writes the decisions of a log into a database, entry by entry. */
class EntryImport {
  readonly #target: DecisionImport;
  readonly #policies = new LoggedPolicies();
  from = Infinity;
  to = 0;

  constructor(target: DecisionImport) {
    this.#target = target;
  }

  /** Writes the decision in an entry. @throws Error, which says why the entry cannot be shown */
  add(line: Buffer, entry: Entry): void {
    if (isTooDeep(line.toString(), line)) throw new Error('It is nested too deep');
    if (entry.kind === 'policy') this.#addPolicy(entry);
    if (entry.kind === 'decision') this.#addDecision(line);
    if (entry.kind === 'settlement') this.#settle(entry.body);
  }

  #addPolicy({ at, body }: Entry & { kind: 'policy' }): void {
    const { paymasterId, hash } = body;
    const policy = this.#policies.add(body);
    if (policy !== undefined) this.#target.addRevision({ paymasterId, hash, policy, at });
  }

  #addDecision(line: Buffer): void {
    const decision = decisionOfEntry(line.toString());
    // The verifier reports duplicates.
    if (!this.#target.add(decision)) return;
    this.from = Math.min(this.from, decision.at);
    this.to = Math.max(this.to, decision.at);
  }

  #settle({ decision: id, settlement, actualCostWei }: EntryBody<'settlement'>): void {
    if (actualCostWei !== null && !DIGITS.test(actualCostWei)) throw new Error('It settles less than nothing');
    this.#target.settle({ id, settlement, actualCostWei });
  }
}

const verificationOf = (report: LogReport, hasKey: boolean): Verification => {
  const words = logWords(report);
  if (!report.ok) return { state: 'faulty', words, decisionId: report.faults[0]?.id ?? null };
  if (hasKey) return { state: 'verified', words, decisionId: null };
  return { state: 'keyNotKnown', words: `${words} ${OWN_KEY}`, decisionId: null };
};

const inOrder = (one: LogFault, other: LogFault): number => (one.entry ?? Infinity) - (other.entry ?? Infinity);

/**
 * Verifies an exported log, and writes its decisions, as far as they can be shown, to a new database.
 *
 * @param database path of the database; it must not exist
 * @throws EngineError `EXPORT_INVALID` if the file is not an exported log, `VALIDATION` for an invalid key
 */
export const importLog = async (
  file: string,
  database: string,
  { key, signal, progress }: LogImportOptions,
): Promise<ReviewInfo> => {
  const { mtimeMs, size } = await stat(file);
  const target = createDecisionImport(database);
  const decisions = new EntryImport(target);
  const notShown: LogFault[] = [];
  try {
    const report = await verifyLogFile(
      file,
      { key, withSignatures: true },
      {
        signal,
        progress: (bytes) => progress?.(bytes / size),
        entry(line, entry) {
          // The verifier reports invalid entries.
          if (entry === undefined) return;
          try {
            decisions.add(line, entry);
          } catch (error) {
            if (notShown.length === MAX_FAULTS) return;
            const detail = `It cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
            notShown.push({ entry: entry.entry, id: null, fault: 'NOT_AN_ENTRY', detail });
          }
        },
      },
    );
    target.finish();
    const faults = [...report.faults, ...notShown].sort(inOrder);
    const savedAt = Math.floor(mtimeMs);
    return {
      file: basename(file),
      savedAt,
      ...(decisions.to > 0 ? { from: decisions.from, to: decisions.to } : { from: savedAt, to: savedAt }),
      verification: verificationOf({ ...report, ok: faults.length === 0, faults }, key !== undefined),
    };
  } catch (error) {
    target.abandon();
    throw error;
  }
};
