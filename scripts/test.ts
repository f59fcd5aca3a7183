import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What `npm test` does: the gates, then every test, then one last line that says how it went. */

/** The part of vitest's JSON report that is counted. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  /** One row per file; a file that could not be loaded failed without any assertion. */
  testResults: { status: string; assertionResults: unknown[] }[];
}

const root = join(import.meta.dirname, '..');
const reportFile = join(root, 'test-artifacts', 'vitest.json');

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

/** Counts of the report; a vitest that left none failed as a whole. */
const readReport = (): { passed: number; failed: number; skipped: number } => {
  try {
    const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report;
    const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests + broken.length,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
};

rmSync(reportFile, { force: true });
// At once: neither keeps two cores busy.
const [gatesHold, testsPass] = await Promise.all([
  run('npm run --silent check', 'at the end'),
  run('vitest run --reporter=default --reporter=json --outputFile.json=test-artifacts/vitest.json', 'at once'),
]);

const { passed, failed, skipped } = readReport();
if (!gatesHold) console.log('npm run check failed: see above. It counts as one failure.');
// vitest also fails for what no test is blamed for, such as an unhandled rejection.
const unblamed = !testsPass && failed === 0 ? 1 : 0;
const failures = failed + unblamed + (gatesHold ? 0 : 1);
process.exitCode = failures === 0 ? 0 : 1;
console.log(`${passed} passed, ${failures} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
