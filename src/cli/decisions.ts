import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { EngineError } from '../shared/errors.ts';
import { type ExportFormat, exportFormats, exportedDecisions } from '../api/decision-export.ts';
import type { Caller } from '../api/index.ts';
import { decidingRules } from '../core/rule-words.ts';
import type { DecisionRecord, DecisionRow } from '../shared/schema/decision.ts';
import { command, group, printFromDesk, wholeNumber } from './command.ts';
import { type DeskOptions, withDesk } from './desk.ts';
import { exportDecisions } from './export-decisions.ts';
import { print } from './human-text.ts';
import { decisionsIn, replayDecisions, tellReplay } from './replay-decisions.ts';
import { timeArgument } from './time-argument.ts';
import { exitWith, terminal } from './terminal.ts';

interface FilterFlags {
  dapp?: string;
  sender?: `0x${string}`;
  outcome?: 'sponsored' | 'denied' | 'error';
  rule?: string;
  from?: number;
  to?: number;
}

const withDappAndTime = (one: Command): Command =>
  one
    .option('--dapp <id>', 'only decisions of this DApp (paymasterId)')
    .option('--from <time>', 'only decisions made at this time or later (ISO 8601 or epoch ms)', timeArgument)
    .option('--to <time>', 'only decisions made before this time', timeArgument);

const withFilters = (one: Command): Command =>
  withDappAndTime(one)
    .option('--sender <address>', 'only decisions for this smart account')
    .addOption(
      new Option('--outcome <outcome>', 'only decisions with this outcome').choices(['sponsored', 'denied', 'error']),
    )
    .addOption(new Option('--rule <rule>', 'only decisions denied by this rule').choices(decidingRules));

const filtersOf = ({ dapp, sender, outcome, rule, from, to }: FilterFlags) => ({
  ...(dapp !== undefined && { paymasterId: dapp }),
  ...(sender !== undefined && { sender }),
  ...(outcome !== undefined && { outcome }),
  ...(rule !== undefined && { rule }),
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

/** The whole decisions of a list. */
const wholeOf = async (call: Caller, rows: readonly DecisionRow[]): Promise<DecisionRecord[]> => {
  const decisions = [];
  for (const { id } of rows) decisions.push(await call('decisions.show', { decisionId: id }));
  return decisions;
};

const list = withFilters(command('list', 'List decisions, newest first'))
  .option('--limit <n>', 'maximum number of decisions', wholeNumber(1, 1000), 50)
  .action((options: DeskOptions & FilterFlags & { limit: number }) =>
    printFromDesk(options, async (call) => {
      const filters = filtersOf(options);
      const rows = await call('decisions.list', { ...filters, limit: options.limit });
      if (options.json === true) return wholeOf(call, rows);
      return rows.map(({ seq, id, at, dapp, sender, outcome, code }) => ({
        seq,
        at: new Date(at).toISOString(),
        dapp,
        sender,
        outcome,
        code,
        id,
      }));
    }),
  );

const show = command('show', 'Show one decision with its trace')
  .argument('<id>', 'id of the decision')
  .action((decisionId: string, options: DeskOptions) =>
    printFromDesk(options, (call) => call('decisions.show', { decisionId })),
  );

/** Writes a report over what was in the file. @throws EngineError `CONFIG_INVALID` if it cannot be written */
const writeReport = async (file: string, html: string): Promise<void> => {
  try {
    await writeFile(file, html);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError('CONFIG_INVALID', `Cannot write the report to ${file}: ${detail}`, {}, { cause });
  }
};

const exportAll = withFilters(command('export', 'Write decisions as JSON Lines or CSV, oldest first'))
  .addOption(
    new Option('--format <format>', 'jsonl: whole decisions, for review and replay; csv: a table')
      .choices(exportFormats)
      .default('jsonl'),
  )
  .action((options: DeskOptions & FilterFlags & { format: ExportFormat }) =>
    withDesk(options, (call) => exportDecisions(call, filtersOf(options), terminal().stdout, options.format)),
  );

const report = withFilters(command('report', 'Write a report of decisions as one HTML page'))
  .option('--out <file>', 'file to write (default: standard output)')
  .action((options: DeskOptions & FilterFlags & { out?: string }) =>
    withDesk(options, async (call) => {
      const { html, decisions, told } = await call('decisions.report', filtersOf(options));
      if (options.out === undefined) terminal().stdout.write(html);
      else {
        await writeReport(options.out, html);
        print({ file: options.out, decisions, told }, options.json === true);
      }
    }),
  );

const replayAll = withDappAndTime(
  command('replay', 'Decide stored decisions again and list what differs; exit code 1 if anything does'),
)
  .argument(
    '[file]',
    'export to replay, as "gasdesk decisions export" writes it (default: the decisions of the data folder)',
  )
  .option('--no-signatures', 'skip checking who signed, which takes most of the time')
  .action(async (file: string | undefined, options: DeskOptions & FilterFlags & { signatures: boolean }) => {
    const filters = filtersOf(options);
    const again = (decisions: AsyncIterable<DecisionRecord[]>) =>
      replayDecisions(decisions, filters, options.signatures);
    const report =
      file === undefined
        ? await withDesk(options, (call) => again(exportedDecisions(call, filters)))
        : await again(decisionsIn(file));
    tellReplay(report, options.json === true);
    if (report.different.length > 0) exitWith(1);
  });

const receipt = command('receipt', 'Print a proof that a decision is in the log, which anybody can verify')
  .argument('<id>', 'id of the decision')
  .action(async (decisionId: string, options: DeskOptions) => {
    const proof = await withDesk(options, (call) => call('log.receipt', { decisionId }));
    if (options.json === true) print(proof, true);
    else terminal().stdout.write(proof.receipt);
  });

/** `gasdesk decisions` */
export const decisionsCommand = group('decisions', 'Past decisions', [
  list,
  show,
  exportAll,
  report,
  replayAll,
  receipt,
]);
