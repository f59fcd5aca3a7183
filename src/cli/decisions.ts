import { Option } from 'commander';
import { type ExportFormat, exportFormats, exportedDecisions } from '../api/decision-export.ts';
import type { Caller } from '../api/index.ts';
import type { DecisionRecord, DecisionRow } from '../shared/schema/decision.ts';
import { MAX_WHOLE_NUMBER, command, group, printFromDesk, wholeNumber } from './command.ts';
import { hasEnded } from '../engine/control/client.ts';
import { EngineError } from '../shared/errors.ts';
import { type DeskOptions, dataPath, runningEngine, withDesk } from './desk.ts';
import { exportDecisions } from './export-decisions.ts';
import { calling, forPeople, taking } from './fields.ts';
import { withIds } from './names.ts';
import { withPageProgress } from './page-progress.ts';
import { type PageFlags, pageForce, pageOut, writePage } from './page.ts';
import { printReplay, replayDecisions, replayFile } from './replay-decisions.ts';
import { stopRequested } from './stop-requested.ts';
import { decisionLines, tailDecisions } from './tail-decisions.ts';
import { exitWith, terminal } from './terminal.ts';
import { timeArgument } from './words.ts';

const dappAndTime = {
  paymasterId: '--dapp <dapp>  only decisions of this DApp: its name, or its id',
  from: {
    words: '--from <time>  only decisions made at this time or later (ISO 8601 or epoch ms)',
    parse: timeArgument,
  },
  to: { words: '--to <time>  only decisions made before this time', parse: timeArgument },
};

const filters = {
  ...dappAndTime,
  sender: '--sender <address>  only decisions for this smart account',
  outcome: 'only decisions with this outcome',
  rule: 'only decisions denied by this rule',
};

const decisionId = '<id>  id of the decision, or its beginning, or the userOpHash';

/** The complete decisions for the rows of a list. */
const wholeOf = async (call: Caller, rows: readonly DecisionRow[]): Promise<DecisionRecord[]> => {
  const decisions = [];
  for (const { id } of rows) decisions.push(await call('decisions.show', { decisionId: id }));
  return decisions;
};

const list = calling(
  'list',
  'List decisions, newest first',
  'decisions.list',
  {
    ...filters,
    limit: 'maximum number of decisions',
    userOpHash: null,
    decisionId: null,
    text: 'only decisions of this person, or with this text in the reason, a hash, a name or an address',
    wouldDeny: null,
    before: null,
    withCalls: null,
  },
  (rows, { call, json }) =>
    json
      ? wholeOf(call, rows)
      : rows.map(({ seq, id, at, dapp, sender, outcome, code }) => ({
          seq,
          at: new Date(at).toISOString(),
          dapp,
          sender,
          outcome,
          code,
          id,
        })),
);

const exportAll = taking<'decisions.page', { readonly format: ExportFormat }>(
  'export',
  'Write decisions as JSON Lines or CSV, oldest first',
  'decisions.page',
  { ...filters, after: null, limit: null },
  (input, options) =>
    withDesk(options, (call) => {
      const { stdout } = terminal();
      const write = (from: Caller): Promise<void> => exportDecisions(from, input, stdout, options.format);
      // In a window, the decisions themselves show how far the export is.
      return stdout.isTTY === true ? write(call) : withPageProgress(call, write);
    }),
).addOption(
  new Option('--format <format>', 'jsonl: whole decisions, for review and replay; csv: a table')
    .choices(exportFormats)
    .default('jsonl'),
);

const report = taking<'decisions.report', PageFlags>(
  'report',
  'Write a report of decisions as one HTML page',
  'decisions.report',
  filters,
  (input, { out, ...options }) =>
    printFromDesk(options, async (call) => {
      const { html, decisions, told } = await call('decisions.report', input);
      if (out === undefined) return html;
      await writePage('report', out, html, options);
      return { file: out, decisions, told };
    }),
)
  .addOption(pageOut)
  .addOption(pageForce);

const replayAll = taking<'decisions.page', { readonly signatures: boolean }>(
  'replay',
  'Decide stored decisions again and list what differs; exit code 1 if anything does',
  'decisions.page',
  { ...dappAndTime, sender: null, outcome: null, rule: null, after: null, limit: null },
  async (input, options, [file]) => {
    const { signatures } = options;
    // The desk leaves out decisions of other DApps and times itself, and knows DApps by name.
    const again = (paged: Caller) => replayDecisions(exportedDecisions(paged, input), {}, signatures);
    const found =
      file === undefined
        ? await withDesk(options, (call) => withPageProgress(call, again))
        : await replayFile(file, input, signatures);
    printReplay(found, options.json === true);
    if (found.different.length > 0) exitWith(1);
  },
)
  .argument(
    '[file]',
    'export to replay, as "gasdesk decisions export" writes it (default: the decisions of the data folder)',
  )
  .option('--no-signatures', 'skip checking who signed, which takes most of the time');

const proof = taking<'log.proof', PageFlags>(
  'proof',
  'Write a page that proves a decision to anyone with a browser, without a network',
  'log.proof',
  { decisionId },
  (input, { out, ...options }) =>
    printFromDesk(options, async (call) => {
      const { html, entry } = await call('log.proof', input);
      if (out === undefined) return html;
      await writePage('proof', out, html, options);
      return { file: out, entry };
    }),
)
  .addOption(pageOut)
  .addOption(pageForce);

const tail = command(
  'tail',
  'Print each decision of the running service as it is made, with what would help, until Ctrl-C',
)
  .option('--dapp <dapp>', 'only decisions of this DApp: its name, or its id')
  .option('--limit <n>', 'end after this many decisions', wholeNumber(1, MAX_WHOLE_NUMBER))
  .action(async ({ dapp: paymasterId, limit, ...options }: DeskOptions & { dapp?: string; limit?: number }) => {
    const end = new AbortController();
    const stopped = stopRequested();
    const call = await runningEngine(options, end.signal);
    if (call === undefined) {
      throw new EngineError(
        'VALIDATION',
        `No service is running on ${dataPath(options)}. Start it with: gasdesk serve --data ${dataPath(options)}`,
      );
    }
    const meant = await withIds(call, paymasterId === undefined ? {} : { paymasterId });
    const show = options.json === true ? JSON.stringify : decisionLines;
    await tailDecisions(call, { ...meant, limit }, stopped, show).catch((error: unknown) => {
      if (!hasEnded(error)) throw error;
      throw new EngineError('CONFIG_INVALID', `The service on ${dataPath(options)} has ended`);
    });
    end.abort();
  });

/** `gasdesk decisions` */
export const decisionsCommand = group('decisions', 'Past decisions', [
  list,
  calling(
    'show',
    'Show one decision with its trace',
    'decisions.show',
    { decisionId },
    // The reason comes last, because the request and the facts fill a screen.
    forPeople(({ message, hint, ...rest }) => ({ ...rest, message, hint })),
  ),
  tail,
  exportAll,
  report,
  replayAll,
  calling(
    'receipt',
    'Print a proof, which anyone can verify, that a decision is in the log',
    'log.receipt',
    { decisionId },
    forPeople(({ receipt }) => receipt),
  ),
  proof,
]);
