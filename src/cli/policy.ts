import { readFile, writeFile } from 'node:fs/promises';
import type { ProcedureOutput } from '../api/index.ts';
import type { PolicyTestView } from '../api/policies.ts';
import { EngineError } from '../shared/errors.ts';
import { type ApplyFlags, applyFile, hasFailed, linesOf, printable, tell, testLines } from './apply-policy.ts';
import { askedToStop } from './asked-to-stop.ts';
import { command, group, printFromDesk, wholeNumber } from './command.ts';
import { type DeskOptions, withDesk } from './desk.ts';
import { print } from './human-text.ts';
import { templateCommand } from './policy-template.ts';
import { timeArgument } from './time-argument.ts';
import { type TrialFilters, trialText, tryPolicy } from './try-policy.ts';
import { exitWith, terminal } from './terminal.ts';

type Dapp = DeskOptions & { readonly dapp: string };

const SHORT = 'sha256:'.length + 12;

/** The text of a file. @throws EngineError `CONFIG_INVALID` if it cannot be read; `POLICY_FILE_INVALID` if it is not UTF-8 */
const readPolicyFile = async (file: string): Promise<string> => {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError('CONFIG_INVALID', `Cannot read the file ${file}: ${detail}`, {}, { cause });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new EngineError('POLICY_FILE_INVALID', `${file} is not UTF-8 text.`, {}, { cause });
  }
};

/** Replaces the text of a file. @throws EngineError `CONFIG_INVALID` if it cannot be written */
const writePolicyFile = async (file: string, text: string): Promise<void> => {
  try {
    await writeFile(file, text);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError('CONFIG_INVALID', `Cannot write the file ${file}: ${detail}`, {}, { cause });
  }
};

/** Says all that is wrong with a file, and of which file. */
const aboutFile = async <T>(file: string, use: () => Promise<T>): Promise<T> => {
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'POLICY_FILE_INVALID') throw error;
    const { errors = [error.message] } = error.data as { errors?: readonly string[] };
    const words = errors.map((one) => printable(`${file}: ${one}`)).join('\n');
    throw new EngineError(error.code, words, error.data, { cause: error });
  }
};

const ofDapp = (name: string, summary: string) =>
  command(name, summary).requiredOption('--dapp <id>', 'paymasterId of the DApp');

const history = ofDapp('history', 'List the policies of a DApp that were in force, newest first')
  .option('--limit <n>', 'maximum number of revisions', wholeNumber(1, 200), 50)
  .action(({ dapp: paymasterId, limit, ...options }: Dapp & { limit: number }) =>
    printFromDesk(options, async (call) => {
      const revisions = await call('policies.history', { paymasterId, limit });
      if (options.json === true) return revisions;
      return revisions.map(({ revision, at, changes }) => ({
        revision: revision.slice(0, SHORT),
        at,
        changes: changes === null ? 'the first that is known' : linesOf(changes, 'nothing').replaceAll('\n', ' · '),
      }));
    }),
  );

const shown = ({ revision, isInForce, file, settings }: ProcedureOutput<'policies.show'>): string[] => [
  `# ${revision}${isInForce ? ', in force' : ''}`,
  file,
  '# What no file holds:',
  ...settings.map(({ title, value }) => `# ${title}: ${value}`),
];

const show = ofDapp('show', 'Show the policy of a DApp that is in force, or a revision of it')
  .option('--revision <revision>', 'name of the revision, or its beginning')
  .action(({ dapp: paymasterId, revision, ...options }: Dapp & { revision?: string }) =>
    withDesk(options, async (call) => {
      const policy = await call('policies.show', { paymasterId, ...(revision !== undefined && { revision }) });
      tell(options.json, policy, ...shown(policy));
    }),
  );

const diff = ofDapp('diff', 'Tell what differs between two revisions of the policy of a DApp')
  .argument('<from>', 'name of a revision, or its beginning')
  .argument('<to>', 'name of another one')
  .action((from: string, to: string, { dapp: paymasterId, ...options }: Dapp) =>
    withDesk(options, async (call) => {
      const difference = await call('policies.diff', { paymasterId, from, to });
      tell(options.json, difference, linesOf(difference.changes, 'No difference.'));
    }),
  );

/** Brings a file up to date. Nothing is written where nothing has changed. */
const exportInto = async (file: string, { dapp: paymasterId, ...options }: Dapp): Promise<void> => {
  const into = await readPolicyFile(file);
  const { revision, text } = await aboutFile(file, () =>
    withDesk(options, (call) => call('policies.export', { paymasterId, into })),
  );
  if (text !== into) await writePolicyFile(file, text);
  print({ file, revision, changed: text !== into }, options.json === true);
};

const exportFile = ofDapp('export', 'Write the policy of a DApp as a YAML file, without credentials')
  .option('--into <file>', 'bring this policy file up to date: what has not changed keeps its comments and tests')
  .action(async ({ into, ...options }: Dapp & { into?: string }) => {
    if (into !== undefined) return exportInto(into, options);
    const { dapp: paymasterId, json } = options;
    const policy = await withDesk(options, (call) => call('policies.export', { paymasterId }));
    if (json === true) print(policy, true);
    else terminal().stdout.write(policy.text);
  });

const apply = ofDapp('apply', 'Make a policy file the policy of a DApp, as one revision or not at all')
  .argument('<file>', 'policy file, as "gasdesk policy export" writes it')
  .option('--dry-run', 'show what would be added, changed and removed, and change nothing')
  .option('--yes', 'apply it without asking')
  .option('--expect <revision>', 'refuse if another revision is in force')
  .action(async (file: string, { dapp: paymasterId, ...options }: Dapp & ApplyFlags) => {
    const text = await readPolicyFile(file);
    const target = { paymasterId, text, ...(options.expect !== undefined && { expect: options.expect }) };
    await aboutFile(file, () => withDesk(options, (call) => applyFile(call, target, options)));
  });

/** Without a DApp no desk is needed: a file in git is tested where there is none. */
const testsOf = async (text: string, { dapp, ...options }: Partial<Dapp>): Promise<readonly PolicyTestView[]> => {
  if (dapp !== undefined) return withDesk(options, (call) => call('policies.test', { text, paymasterId: dapp }));
  // Half of the time a command takes to start.
  const { parsePolicyFile } = await import('../core/policy-file/parse-file.ts');
  const { runPolicyTests } = await import('../core/policy-file/run-tests.ts');
  return runPolicyTests(parsePolicyFile(text), Date.now());
};

const test = command('test', 'Run the tests of a policy file; exit code 1 if any fails')
  .argument('<file>', 'policy file')
  .option('--dapp <id>', 'DApp whose version and chain it is for (default: 1.1.0 on Ethereum)')
  .action(async (file: string, options: Partial<Dapp>) => {
    const text = await readPolicyFile(file);
    const tests = await aboutFile(file, () => testsOf(text, options));
    tell(options.json, tests, ...(tests.length === 0 ? ['The file has no tests.'] : testLines(tests)));
    if (hasFailed(tests)) exitWith(1);
  });

const tryFile = ofDapp('try', 'Decide past decisions of a DApp again under a policy file; nothing is changed')
  .argument('<file>', 'policy file')
  .option('--from <time>', 'only decisions made at this time or later (ISO 8601 or epoch ms)', timeArgument)
  .option('--to <time>', 'only decisions made before this time', timeArgument)
  .option('--last <n>', 'only the newest decisions, so many', wholeNumber(1, 999_999_999))
  .action(async (file: string, { dapp, from, to, last, ...options }: Dapp & TrialFilters) => {
    const text = await readPolicyFile(file);
    const filters = {
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(last !== undefined && { last }),
    };
    const tried = { paymasterId: dapp, text, filters };
    const trial = await aboutFile(file, () => withDesk(options, (call) => tryPolicy(call, tried, askedToStop())));
    tell(options.json, trial.report, trialText(trial));
  });

const worstCase = ofDapp(
  'worst-case',
  'Tell the most that a holder of the API key with any number of accounts can make you pay',
).action(({ dapp: paymasterId, ...options }: Dapp) =>
  withDesk(options, async (call) => {
    const found = await call('policies.worstCase', { paymasterId });
    const { worstCaseText } = await import('./worst-case.ts');
    tell(options.json, found, worstCaseText(found));
  }),
);

/** `gasdesk policy` */
export const policyCommand = group('policy', 'Policies of DApps: revisions, and policies as files', [
  history,
  show,
  diff,
  exportFile,
  apply,
  test,
  tryFile,
  worstCase,
  templateCommand,
]);
