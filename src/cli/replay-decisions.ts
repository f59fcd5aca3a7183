import type { NotReplayable } from '../core/replay/replay.ts';
import type { ReplayReport } from '../core/replay/replay-export.ts';
import type { ProcedureInput } from '../api/index.ts';
import type { DecisionRecord } from '../shared/schema/decision.ts';
import { notReplayableWords, otherEngineWords } from '../core/log/report-words.ts';
import { EngineError } from '../shared/errors.ts';
import { humanText } from './human-text.ts';
import { meantBy } from './names.ts';
import { printLine } from './terminal.ts';

/** The decisions of an export, oldest first. @throws EngineError `EXPORT_INVALID` */
export async function* decisionsIn(file: string): AsyncGenerator<DecisionRecord[]> {
  const { asExpected, readExport } = await import('../engine/review/export-lines.ts');
  try {
    for await (const lines of readExport(file)) yield lines.map(({ decision }) => decision);
  } catch (error) {
    throw asExpected(error, file);
  }
}

/** `paymasterId` as it was typed: the id of a DApp, its beginning, or a name. */
type Filters = Partial<Pick<ProcedureInput<'decisions.page'>, 'paymasterId' | 'from' | 'to'>>;

const isOf = ({ paymasterId: id, dapp: name }: DecisionRecord, typed: string): boolean =>
  meantBy(typed, [{ id, name }]).length > 0;

/** Replays those decisions that match the filters. */
export const replayDecisions = async (
  decisions: AsyncIterable<DecisionRecord[]>,
  { paymasterId, from = 0, to = Infinity }: Filters,
  withSignatures: boolean,
): Promise<ReplayReport> => {
  // Imported here because it takes half of a command's start-up time.
  const [{ replayExport }, { version: engine }, { nativeRecoverSigner: recover }] = await Promise.all([
    import('../core/replay/replay-export.ts'),
    import('../engine/base/version.ts'),
    import('../engine/signer/recover-signer.ts'),
  ]);
  const isMeant = (decision: DecisionRecord): boolean =>
    (paymasterId === undefined || isOf(decision, paymasterId)) && decision.at >= from && decision.at < to;
  return replayExport(decisions, { engine, withSignatures, recover, isMeant });
};

/**
 * Replays those decisions of an exported file that match the filters.
 *
 * @throws EngineError `EXPORT_INVALID`; `PAYMASTER_NOT_FOUND` if the file has no decision of that DApp
 */
export const replayFile = async (file: string, filters: Filters, withSignatures: boolean): Promise<ReplayReport> => {
  const report = await replayDecisions(decisionsIn(file), filters, withSignatures);
  if (report.decisions > 0 || filters.paymasterId === undefined) return report;
  const message = `${file} has no decision, in the given time, of a DApp with the name or id "${filters.paymasterId}"`;
  throw new EngineError('PAYMASTER_NOT_FOUND', message);
};

const MAX_ROWS = 20;
const MAX_CHARACTERS = 60;

const shortened = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
};

const replayText = ({ decisions, same, byOtherEngine, different, notReplayable }: ReplayReport): string => {
  const ids = new Set(different.map(({ id }) => id));
  const reasons = Object.entries(notReplayable) as [NotReplayable, number][];
  const rows = different
    .slice(0, MAX_ROWS)
    .map(({ id, field, stored, replayed }) => ({
      id,
      field,
      stored: shortened(stored),
      replayed: shortened(replayed),
    }));
  return [
    `Decisions: ${decisions}. Same: ${same}. Different: ${ids.size}.`,
    ...(byOtherEngine > 0 ? [otherEngineWords(byOtherEngine)] : []),
    ...reasons.map(([reason, count]) => `Not replayable: ${count} (${notReplayableWords[reason]}).`),
    ...(rows.length > 0 ? ['', humanText(rows)] : []),
    ...(different.length > MAX_ROWS ? [`… and ${different.length - MAX_ROWS} more. Use --json to list all.`] : []),
  ].join('\n');
};

/** Prints the result: the JSON document of behaviour 9.3, or readable text. */
export const printReplay = (report: ReplayReport, json: boolean): void => {
  printLine(json ? JSON.stringify(report) : replayText(report));
};
