import { gasScheduleName } from '../shared/schema/gas-schedule.ts';
import { readFile, writeFile } from 'node:fs/promises';
import { Option } from 'commander';
import type { ProcedureInput } from '../api/index.ts';
import type { PolicyTestView } from '../api/policies.ts';
import { EngineError } from '../shared/errors.ts';
import {
  type ApplyFlags,
  addApplyOptions,
  applyFile,
  hasFailed,
  linesFor,
  linesOf,
  printable,
  printResult,
  testLines,
} from './apply-policy.ts';
import { stopRequested } from './stop-requested.ts';
import { command, group, printFromDesk, wholeNumber } from './command.ts';
import { type DeskOptions, onFile, withDesk } from './desk.ts';
import { calling, forPeople, taking } from './fields.ts';
import { withIds } from './names.ts';
import { templateCommand } from './policy-template.ts';
import { type TrialFilters, trialText, tryPolicy } from './try-policy.ts';
import { exitWith } from './terminal.ts';
import { NEW_FILE, dapp, timeArgument } from './words.ts';

const SHORT = 'sha256:'.length + 12;

/**
 * Reads a policy file.
 * @throws EngineError `CONFIG_INVALID` if it cannot be read; `POLICY_FILE_INVALID` if it is not UTF-8
 */
const readPolicyFile = async (file: string): Promise<string> => {
  const bytes = await onFile(`read the file ${file}`, () => readFile(file));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new EngineError('POLICY_FILE_INVALID', `${file} is not UTF-8 text.`, {}, { cause });
  }
};

/** Adds the file's name to the errors in it, and reports all of them. */
const aboutFile = async <T>(file: string | undefined, use: () => Promise<T>): Promise<T> => {
  try {
    return await use();
  } catch (error) {
    if (file === undefined || !(error instanceof EngineError) || error.code !== 'POLICY_FILE_INVALID') throw error;
    const { errors = [error.message] } = error.data as { errors?: readonly string[] };
    const words = errors.map((one) => printable(`${file}: ${one}`)).join('\n');
    throw new EngineError(error.code, words, error.data, { cause: error });
  }
};

const policyFile = (help: string) => ({ words: `<file>  ${help}`, send: readPolicyFile });

const history = calling(
  'history',
  'List the policies of a DApp that were in force, newest first',
  'policies.history',
  { paymasterId: dapp, limit: 'maximum number of revisions' },
  forPeople((revisions) =>
    revisions.map(({ revision, at, changes }) => ({
      revision: revision.slice(0, SHORT),
      at,
      changes: changes === null ? 'initial policy' : linesOf(changes, 'nothing').replaceAll('\n', ' · '),
    })),
  ),
);

const show = calling(
  'show',
  'Show the policy of a DApp that is in force, or a revision of it',
  'policies.show',
  { paymasterId: dapp, revision: 'name of the revision, or its beginning' },
  forPeople(({ revision, isInForce, file, settings }) =>
    linesFor([
      `# ${revision}${isInForce ? ', in force' : ''}`,
      file,
      '# What no file holds:',
      ...settings.map(({ title, value }) => `# ${title}: ${value}`),
    ]),
  ),
);

const diff = calling(
  'diff',
  'Show what differs between two revisions of the policy of a DApp',
  'policies.diff',
  {
    paymasterId: dapp,
    from: '<from>  name of a revision, or its beginning',
    to: '<to>  name of the other revision, or its beginning',
  },
  forPeople(({ changes }) => linesFor([linesOf(changes, 'No difference.')])),
);

/** What to do about a policy file that exists: its comments and tests are not in the policy. */
const USE_INTO = 'To bring it up to date, use --into';

const exportFile = taking<'policies.export', { readonly into?: string; readonly out?: string }>(
  'export',
  'Write the policy of a DApp as a YAML file, without credentials',
  'policies.export',
  {
    paymasterId: dapp,
    into: {
      words: '--into <file>  bring this policy file up to date: what has not changed keeps its comments and tests',
      send: readPolicyFile,
    },
  },
  (input, { into, out, ...options }) =>
    printFromDesk(options, async (call) => {
      const { revision, text } = await aboutFile(into, () => call('policies.export', input));
      const file = into ?? out;
      if (file === undefined) return options.json === true ? { revision, text } : text;
      const changed = text !== input.into;
      const flag = into === undefined ? 'wx' : 'w';
      if (changed) await onFile(`write the file ${file}`, () => writeFile(file, text, { flag }), USE_INTO);
      return into === undefined ? { file, revision } : { file, revision, changed };
    }),
).addOption(new Option('--out <file>', NEW_FILE).conflicts('into'));

const apply = taking<'policies.apply', ApplyFlags>(
  'apply',
  'Apply a policy file to a DApp, as one revision or not at all',
  'policies.apply',
  {
    paymasterId: dapp,
    text: policyFile('policy file, as "gasdesk policy export" writes it'),
    expect: {
      add: (to) => addApplyOptions(to, 'show what would be added, changed and removed, and change nothing'),
      read: ({ expect }: ApplyFlags) => expect,
    },
  },
  (input, options, [file]) => aboutFile(file, () => withDesk(options, (call) => applyFile(call, input, options))),
);

/** Runs the tests in a file. Without a DApp, no data folder is needed, so that a file in git can be tested anywhere. */
const testsOf = async (
  { text, paymasterId }: ProcedureInput<'policies.test'>,
  options: DeskOptions,
): Promise<readonly PolicyTestView[]> => {
  if (paymasterId !== undefined) return withDesk(options, (call) => call('policies.test', { text, paymasterId }));
  // Imported here because it takes half of a command's start-up time.
  const { parsePolicyFile } = await import('../core/policy-file/parse-file.ts');
  const { runPolicyTests } = await import('../core/policy-file/run-tests.ts');
  return runPolicyTests(parsePolicyFile(text), Date.now());
};

const test = taking(
  'test',
  'Run the tests of a policy file; exit code 1 if any fails',
  'policies.test',
  {
    text: policyFile('policy file'),
    paymasterId: '--dapp <dapp>  DApp whose version and chain it is for (default: 1.1.0 on Ethereum)',
  },
  async (input, options, [file]) => {
    const tests = await aboutFile(file, () => testsOf(input, options));
    printResult(options.json, tests, ...(tests.length === 0 ? ['The file has no tests.'] : testLines(tests)));
    if (hasFailed(tests)) exitWith(1);
  },
);

const tryFile = command('try', 'Decide past decisions of a DApp again under a policy file; changes nothing')
  .requiredOption('--dapp <dapp>', 'name of the DApp, or its id')
  .argument('<file>', 'policy file')
  .option('--from <time>', 'only decisions made at this time or later (ISO 8601 or epoch ms)', timeArgument)
  .option('--to <time>', 'only decisions made before this time', timeArgument)
  .option('--last <n>', 'only the newest n decisions', wholeNumber(1, 999_999_999))
  .addOption(
    new Option('--assume <what...>', "where a record lacks it, assume today's price, or that a webhook agrees").choices(
      ['price', 'webhook'],
    ),
  )
  .action(async (file: string, options: DeskOptions & TrialFilters & { dapp: string }) => {
    const { dapp: typed, from, to, last, assume } = options;
    const draft = { text: await readPolicyFile(file), filters: { from, to, last, assume } };
    const trial = await aboutFile(file, () =>
      withDesk(options, async (call) => {
        const { paymasterId } = await withIds(call, { paymasterId: typed });
        return tryPolicy(call, { paymasterId, ...draft }, stopRequested());
      }),
    );
    printResult(options.json, trial.report, trialText(trial));
  });

const worstCase = calling(
  'worst-case',
  'Compute the most that an attacker with the API key can make you pay',
  'policies.worstCase',
  { paymasterId: dapp, people: 'how many people an attacker may be (default: any number)' },
  forPeople(async (found) => {
    const { worstCaseText } = await import('./worst-case.ts');
    return linesFor([worstCaseText(found)]);
  }),
);

const rehearse = calling(
  'rehearse',
  'Show what another gas schedule, such as that of the next fork, would refuse or make more expensive',
  'policies.rehearse',
  {
    paymasterId: dapp,
    schedule: `--schedule <name>  gas schedule: ${gasScheduleName.options.join(', ')}`,
    last: 'only the newest n decisions',
  },
  forPeople(async (report) => {
    const { rehearsalText } = await import('./rehearsal.ts');
    return linesFor([rehearsalText(report)]);
  }),
);

const narrow = taking<'policies.narrow', { readonly out?: string }>(
  'narrow',
  'Propose the narrowest policy that still sponsors what was sponsored, as a policy file; changes nothing',
  'policies.narrow',
  {
    paymasterId: dapp,
    last: 'only the newest n decisions',
    from: {
      words: '--from <time>  only decisions made at this time or later (ISO 8601 or epoch ms)',
      parse: timeArgument,
    },
  },
  (input, { out, ...options }) =>
    printFromDesk(options, async (call) => {
      const { text, ...found } = await call('policies.narrow', input);
      if (out !== undefined) await onFile(`write the file ${out}`, () => writeFile(out, text, { flag: 'wx' }));
      if (options.json === true) return { text, ...found };
      return out === undefined
        ? text
        : linesFor([linesOf(found.changes, 'Nothing can be narrowed.'), `Written to ${out}.`]);
    }),
).option('--out <file>', NEW_FILE);

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
  rehearse,
  narrow,
  templateCommand,
]);
