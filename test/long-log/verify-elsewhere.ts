import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { LogReport } from '../../src/core/log/log-report.ts';

const CLI = join(import.meta.dirname, '../../src/cli/index.ts');
const POLL_MS = 100;

/** What verifying a log took. */
export interface VerifierReport {
  readonly report: LogReport;
  readonly seconds: number;
  /** The most memory that the process had at once, MiB. */
  readonly mebibytes: number;
}

const mostMemory = (pid: number): number => {
  try {
    // A process that has just ended has none.
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
};

/** Verifies a log with nothing but the file and the key: in a folder and a home that hold nothing else. Linux only. */
export const verifyElsewhere = async (
  file: string,
  key: string,
  flags: readonly string[] = [],
): Promise<VerifierReport> => {
  const folder = mkdtempSync(join(tmpdir(), 'gasdesk-elsewhere-'));
  try {
    copyFileSync(file, join(folder, 'log.jsonl'));
    const args = [CLI, 'log', 'verify', 'log.jsonl', '--key', key, '--json', ...flags];
    const start = performance.now();
    const env = { HOME: folder, XDG_DATA_HOME: folder, TMPDIR: folder };
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let memory = 0;
    const sampling = setInterval(() => (memory = Math.max(memory, mostMemory(child.pid ?? 0))), POLL_MS);
    const [stdout] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    clearInterval(sampling);
    const seconds = Number(((performance.now() - start) / 1_000).toFixed(1));
    return { report: JSON.parse(stdout) as LogReport, seconds, mebibytes: Math.round(memory) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
