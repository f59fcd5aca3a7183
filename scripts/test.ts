import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildContracts } from './build-contracts.ts';
import { buildCli, buildConsole } from './build-stale.ts';

/**
 * `npm test`: runs every check and the tests of the core, and ends with one line of totals. `scripts/test.ts NAME …`
 * runs the named suites instead, two at a time, and `all` runs every suite. The last line contains their total.
 */

/** The parts of vitest's JSON report that this script counts. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  /** One row per file. A file that could not be loaded has failed without any assertion. */
  testResults: { name: string; status: string; message: string; assertionResults: Assertion[] }[];
}

interface Assertion {
  readonly status: string;
  readonly fullName: string;
  readonly failureMessages: readonly string[];
}

interface Counts {
  readonly passed: number;
  readonly skipped: number;
  /** One entry per failure: the test, and the beginning of its message. */
  readonly failures: readonly string[];
}

const root = join(import.meta.dirname, '..');
const asked = process.argv.slice(2);
/** See `test/support/combinations.ts`. */
const env = asked.length === 0 ? { ...process.env, TEST_ROWS: 'few' } : process.env;

/** Runs a command. Shows its output immediately, or all of it when the command ends. */
const run = async (command: string, output: 'at once' | 'at the end'): Promise<boolean> => {
  const stdio = output === 'at once' ? 'inherit' : 'pipe';
  const child = spawn(command, { cwd: root, shell: true, env, stdio: ['ignore', stdio, stdio] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => printed.push(chunk));
  const [status] = (await once(child, 'close')) as [number | null];
  process.stdout.write(Buffer.concat(printed));
  return status === 0;
};

const failure = (file: string, test: string, message = ''): string =>
  `FAILED ${relative(root, file)} > ${test}\n${message.slice(0, 2000)}`;

/** Counts the results in a report. A vitest run without a report counts as one failure. */
const readReport = (file: string): Counts => {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
    const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) =>
      status === 'failed' && assertionResults.length === 0
        ? [failure(name, 'the file could not be loaded', message)]
        : assertionResults
            .filter((assertion) => assertion.status === 'failed')
            .map((assertion) => failure(name, assertion.fullName, assertion.failureMessages[0])),
    );
    return { passed: report.numPassedTests, failures, skipped: report.numPendingTests + report.numTodoTests };
  } catch {
    return { passed: 0, failures: ['FAILED vitest left no report: see above'], skipped: 0 };
  }
};

const runSuite = async (name: Suite): Promise<Counts> => {
  const report = `test-artifacts/vitest-${name}.json`;
  rmSync(join(root, report), { force: true });
  const reporters = `--reporter=default --reporter=json --outputFile.json=${report}`;
  const passes = await run(`vitest run ${reporters} ${SUITES[name]}`, 'at once');
  const counts = readReport(join(root, report));
  if (passes || counts.failures.length > 0) return counts;
  return {
    ...counts,
    failures: [`FAILED suite ${name} blames no test, such as for an unhandled rejection: see above`],
  };
};

/** Options for vitest, by suite. */
const SUITES = {
  core: '--project unit --project desk',
  // Without a browser, no tests of this suite run.
  browser: '--project browser --passWithNoTests',
  engines: '--project engines',
  faults: '--project faults',
  alone: '--project alone',
  clients: '--config test/clients/vitest.config.ts --mode newest --project sdks',
  program: '--config test/clients/vitest.config.ts --mode newest --project program',
} as const;
type Suite = keyof typeof SUITES;

/** The first measures time; the tests of the second build the program and use its default ports. */
const ONE_BY_ONE: readonly Suite[] = ['alone', 'program'];

const NAMES = Object.keys(SUITES) as Suite[];
const unknown = asked.filter((name) => name !== 'all' && !(name in SUITES));
if (unknown.length > 0)
  throw new Error(`No suite is named ${unknown.join(' or ')}. There are: ${NAMES.join(', ')}, all.`);
const names = asked.includes('all') ? NAMES : NAMES.filter((name) => asked.includes(name));
if (names.length === 0) names.push('core');

const together = names.filter((name) => !ONE_BY_ONE.includes(name));
// Suites that run at the same time would build the same files.
if (together.length > 1) {
  await buildContracts();
  buildConsole();
  buildCli();
}

const runs: Counts[] = [];
const runAll = async (waiting: Suite[]): Promise<void> => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) runs.push(await runSuite(name));
};

// The checks belong to the core. They and two suites run at the same time, because tests often wait.
const gates = names.includes('core') ? run('npm run --silent check', 'at the end') : Promise.resolve(true);
await Promise.all([runAll(together), runAll(together)]);
await runAll(ONE_BY_ONE.filter((name) => names.includes(name)));
const gatesHold = await gates;

if (asked.length === 0) {
  const others = NAMES.filter((name) => !names.includes(name)).map((name) => `npm run test:${name}`);
  console.log(`Left out: ${others.join(', ')}, and rows of slow tables, which npm run test:all plays.`);
}
const failures = runs.flatMap((each) => each.failures);
if (!gatesHold) failures.push('FAILED npm run check: see above');
// Lists every failure at the end of the output.
for (const each of failures) console.log(each);
const sum = (count: 'passed' | 'skipped'): number => runs.reduce((total, each) => total + each[count], 0);
const [passed, skipped] = [sum('passed'), sum('skipped')];
process.exitCode = failures.length === 0 ? 0 : 1;
console.log(`${passed} passed, ${failures.length} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
