import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createLog } from '../../src/engine/base/log.ts';
import { createReview } from '../../src/engine/review/review.ts';
import { draft } from '../export/stored-decisions.ts';
import { parseLines, seconds } from './parse-lines.ts';

/** `npm run bench:review`: opens a large decision export for review, compared with a mere parsing of its lines; prints JSON. */

const { values: flags } = parseArgs({ options: { decisions: { type: 'string', default: '100000' } } });
const decisions = Number(flags.decisions);

function* lines(): Generator<string> {
  for (let seq = 1; seq <= decisions; seq += 1) yield `${JSON.stringify({ ...draft(seq), seq })}\n`;
}

const folder = mkdtempSync(join(tmpdir(), 'gasdesk-bench-'));
try {
  const file = join(folder, 'decisions.jsonl');
  await pipeline(Readable.from(lines()), createWriteStream(file));
  const parsing = await seconds(() => parseLines(file));
  const log = createLog({ level: 'silent' });
  const opening = await seconds(async () => (await createReview({ file, log })).stop());
  console.log(JSON.stringify({ decisions, parsing, opening, ratio: Number((opening / parsing).toFixed(1)) }, null, 2));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
