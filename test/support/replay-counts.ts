import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Counts = Readonly<Record<string, number>>;

/** One line for each test file: several processes write at the same time. */
const FILE = join(import.meta.dirname, '../../test-artifacts/replayed.jsonl');

export const beginReplayCounts = (): void => {
  mkdirSync(dirname(FILE), { recursive: true });
  rmSync(FILE, { force: true });
};

/** Adds the replayed decisions of a test file, by result. */
export const countReplayed = (counts: Counts): void => appendFileSync(FILE, `${JSON.stringify(counts)}\n`);

export const replayCountWords = (): string => {
  const lines = existsSync(FILE) ? readFileSync(FILE, 'utf8').trim().split('\n') : [];
  const totals: Record<string, number> = { same: 0, different: 0 };
  for (const line of lines) {
    for (const [result, count] of Object.entries(JSON.parse(line) as Counts)) {
      totals[result] = (totals[result] ?? 0) + count;
    }
  }
  return `Decisions decided again: ${Object.entries(totals)
    .map(([result, count]) => `${count} ${result}`)
    .join(', ')}.`;
};
