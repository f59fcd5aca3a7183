import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What `npm test` does: every check, the tests of what a desk does, and one last line that says how it went.
 * `scripts/test.ts NAME …` runs those suites instead, and `all` every one; the line counts them together.
 */

/** The part of vitest's JSON report that is counted. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  /** One row per file; a file that could not be loaded failed without any assertion. */
  testResults: { status: string; assertionResults: unknown[] }[];
}

/** How many tests of a run ended how. */
interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const root = join(import.meta.dirname, '..');

/** Runs a command; what it prints comes at once, or in one piece when it has ended. */
const run = async (command: string, output: 'at once' | 'at the end'): Promise<boolean> => {
  const stdio = output === 'at once' ? 'inherit' : 'pipe';
  const child = spawn(command, { cwd: root, shell: true, stdio: ['ignore', stdio, stdio] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => printed.push(chunk));
  const [status] = (await once(child, 'close')) as [number | null];
  process.stdout.write(Buffer.concat(printed));
  return status === 0;
};

/** Counts of a report; a vitest that left none failed as a whole. */
const readReport = (file: string): Counts => {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
    const broken = report.testResults.filter((row) => row.status === 'failed' && row.assertionResults.length === 0);
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests + broken.length,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
};

const vitest = async (options = ''): Promise<Counts> => {
  const file = join(root, 'test-artifacts', 'vitest.json');
  rmSync(file, { force: true });
  const reporters = '--reporter=default --reporter=json --outputFile.json=test-artifacts/vitest.json';
  const passes = await run(`vitest run ${reporters} ${options}`, 'at once');
  const counts = readReport(file);
  // vitest also fails for what no test is blamed for, such as an unhandled rejection.
  return passes || counts.failed > 0 ? counts : { ...counts, failed: 1 };
};

/** What vitest is told, by the name of a suite. */
const SUITES = {
  core: '--project unit --project desk',
  // Without a browser there are none.
  browser: '--project browser --passWithNoTests',
  engines: '--project engines',
  faults: '--project faults',
  clients: '--config test/clients/vitest.config.ts --mode newest',
} as const;
type Suite = keyof typeof SUITES;

const NAMES = Object.keys(SUITES) as Suite[];
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => name !== 'all' && !(name in SUITES));
if (unknown.length > 0)
  throw new Error(`No suite is named ${unknown.join(' or ')}. There are: ${NAMES.join(', ')}, all.`);
const names = asked.includes('all') ? NAMES : NAMES.filter((name) => asked.includes(name));
if (names.length === 0) names.push('core');

let gatesHold = true;
const runs: Counts[] = [];
for (const name of names) {
  // The checks belong to the core. At once: neither keeps two cores busy.
  const gates = name === 'core' ? run('npm run --silent check', 'at the end') : Promise.resolve(true);
  runs.push(await vitest(SUITES[name]));
  gatesHold &&= await gates;
}

if (!gatesHold) console.log('npm run check failed: see above. It counts as one failure.');
if (asked.length === 0) {
  const others = NAMES.filter((name) => !names.includes(name)).map((name) => `npm run test:${name}`);
  console.log(`Left out: ${others.join(', ')}.`);
}
const sum = (count: keyof Counts): number => runs.reduce((total, each) => total + each[count], 0);
const [passed, skipped] = [sum('passed'), sum('skipped')];
const failed = sum('failed') + (gatesHold ? 0 : 1);
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
