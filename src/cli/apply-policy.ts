import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { Caller, ProcedureInput } from '../api/index.ts';
import type { PolicyChangeView, PolicyTestView } from '../api/policies.ts';
import { EngineError } from '../shared/errors.ts';
import type { DeskOptions } from './desk.ts';
import { exitWith, look, terminal } from './terminal.ts';

const SIGNS = { added: '+', changed: '~', removed: '-' } as const;

/** Replaces control characters, so that a name chosen by an operator or a DApp cannot control the terminal. */
export const printable = (text: string): string => text.replaceAll(/[^\P{Cc}\n]/gu, '\u{fffd}');

const lineOf = ({ change, text }: PolicyChangeView): string => `${SIGNS[change]} ${text}`;

/** Changes as text, one per line. @param none text for an empty list */
export const linesOf = (changes: readonly PolicyChangeView[], none: string): string =>
  changes.length === 0 ? none : changes.map(lineOf).join('\n');

const testLine = ({ name, passed, expected, actual, message }: PolicyTestView): string =>
  passed ? `ok    ${name}` : [`fails ${name}: ${actual} instead of ${expected}.`, message].join(' ').trimEnd();

/** The results of a file's tests, one per line. */
export const testLines = (tests: readonly PolicyTestView[]): string[] => {
  const passed = tests.filter((one) => one.passed).length;
  return tests.length === 0 ? [] : [...tests.map(testLine), `${passed} of ${tests.length} tests pass.`];
};

export const hasFailed = (tests: readonly PolicyTestView[]): boolean => tests.some(({ passed }) => !passed);

const COLOURS = { '+': 'green', '~': 'yellow', '-': 'red' } as const;

const painted = (line: string): string => {
  const { paint } = look();
  const sign = /^[+~-](?= )/.exec(line)?.[0] as keyof typeof COLOURS | undefined;
  return sign === undefined ? line : paint(COLOURS[sign], line);
};

export const linesFor = (lines: readonly string[]): string =>
  `${printable(lines.join('\n')).split('\n').map(painted).join('\n')}\n`;

export const printResult = (json: boolean | undefined, document: object, ...lines: readonly string[]): void =>
  void terminal().stdout.write(json === true ? `${JSON.stringify(document)}\n` : linesFor(lines));

export interface ApplyFlags {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly expect?: string;
}

export const addApplyOptions = (to: Command, dryRun: string): Command =>
  to
    .option('--dry-run', dryRun)
    .option('--yes', 'apply it without asking')
    .option('--expect <revision>', 'refuse if another revision is in force');

/** Asks whether to apply the changes shown. @throws EngineError `VALIDATION` if no terminal can answer */
const confirm = async ({ json }: DeskOptions): Promise<boolean> => {
  if (json === true || !terminal().stdin.isTTY || !terminal().stdout.isTTY) {
    throw new EngineError('VALIDATION', 'Not applied. Run again with --yes to apply the file, or with --dry-run');
  }
  const { stdin: input, stdout: output } = terminal();
  const dialogue = createInterface({ input, output });
  try {
    return /^y(es)?$/i.test((await dialogue.question('Apply? [y/N] ')).trim());
  } finally {
    dialogue.close();
  }
};

/**
 * Shows what a policy file would change, asks for confirmation, and applies the file. @throws EngineError like
 * `policies.apply`
 */
export const applyFile = async (
  call: Caller,
  target: ProcedureInput<'policies.apply'>,
  options: DeskOptions & ApplyFlags,
): Promise<void> => {
  const plan = await call('policies.plan', target);
  const { revision, changes, tests } = plan;
  const failed = hasFailed(tests);
  if (options.json !== true) printResult(false, plan, linesOf(changes, 'No change.'), ...testLines(tests));
  if (options.dryRun === true || failed) {
    if (options.json === true) printResult(true, { applied: false, before: revision, ...plan });
    if (failed) exitWith(1);
    return;
  }
  const isAgreed = options.yes === true || changes.length === 0 || (await confirm(options));
  if (!isAgreed) return;
  // Applies the policy only if it has not changed since it was shown.
  const applied = await call('policies.apply', { ...target, expect: revision });
  const isChanged = applied.before !== applied.revision;
  printResult(
    options.json,
    { applied: isChanged, ...applied },
    isChanged ? `Applied: ${applied.revision}` : 'Nothing to apply.',
  );
};
