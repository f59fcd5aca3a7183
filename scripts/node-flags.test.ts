import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeFlags } from './node-flags.ts';

test('"npm run gasdesk" runs with the flags that an installed "gasdesk" has', () => {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(nodeFlags.length).toBeGreaterThan(0);
  expect(scripts['gasdesk']).toBe(`node ${nodeFlags.join(' ')} scripts/gasdesk.ts`);
});
