import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Imports that the architecture forbids, and the rule that must say so. */
const forbidden: [from: string, to: string, rule: string][] = [
  ['src/shared/a.ts', 'src/engine/clock.ts', 'shared-reaches'],
  ['src/shared/b.ts', 'ethers', 'shared-is-pure'],
  ['src/shared/c.ts', 'node:fs', 'shared-is-pure'],
  ['src/engine/a.ts', 'src/cli/x.ts', 'engine-reaches'],
  ['src/renderer/a.ts', 'src/engine/clock.ts', 'renderer-reaches'],
  ['src/preload/a.ts', 'src/engine/clock.ts', 'preload-reaches'],
  ['src/main/a.ts', 'src/cli/x.ts', 'main-reaches'],
  ['src/engine/rpc/a.ts', 'src/engine/ledger/x.ts', 'doors-call-the-service'],
  ['src/engine/rpc/b.ts', 'src/engine/store/x.ts', 'doors-call-the-service'],
  ['src/engine/rpc/c.ts', 'src/engine/management/x.ts', 'doors-are-apart'],
  ['src/engine/service/a.ts', 'src/engine/rpc/x.ts', 'service-below-doors'],
  ['src/engine/decision/a.ts', 'src/engine/service/x.ts', 'workers-below-service'],
  ['src/engine/store/a.ts', 'src/engine/ledger/x.ts', 'store-at-the-bottom'],
  ['src/engine/calls/a.ts', 'src/engine/store/x.ts', 'pure-parts'],
  ['src/engine/rules/a.ts', 'src/engine/clock.ts', 'a-rule-is-one-file'],
  ['src/engine/rules/b.ts', 'src/engine/rules/a.ts', 'a-rule-is-one-file'],
  ['src/engine/rules/c.ts', 'node:http', 'a-rule-is-one-file'],
  ['src/engine/rules/registry.ts', 'src/engine/store/x.ts', 'registry-lists-rules'],
  ['src/engine/b.ts', 'test/support/x.ts', 'no-test-code-in-the-product'],
  ['src/engine/c.ts', 'fast-check', 'no-dev-dependency-in-the-product'],
  ['src/engine/d.ts', 'no-such-package', 'resolvable'],
];

/** Imports that must stay possible. */
const allowed: [from: string, to: string][] = [
  ['src/shared/ok.ts', 'zod'],
  ['src/engine/rpc/ok.ts', 'src/engine/service/x.ts'],
  ['src/engine/service/ok.ts', 'src/engine/decision/x.ts'],
  ['src/engine/decision/ok.ts', 'src/engine/store/x.ts'],
  ['src/engine/decision/ok2.ts', 'src/engine/rules/rule.ts'],
  ['src/engine/rules/ok.ts', 'src/engine/rules/rule.ts'],
  ['src/engine/rules/ok2.ts', 'src/engine/calls/x.ts'],
  ['src/engine/rules/registry.ts', 'src/engine/rules/ok.ts'],
  ['src/engine/rules/ok.test.ts', 'fast-check'],
  ['src/cli/ok.ts', 'src/engine/clock.ts'],
];

interface Violation {
  from: string;
  rule: { name: string };
}

let tree: string;
let violations: Violation[];

/** Writes each file of the tables with its imports, types only, so that these are seen to count. */
beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'gasdesk-arrows-'));
  const files = new Map<string, string>([
    ['src/engine/loop.ts', "import type {} from './loop-back.ts';\nexport {};\n"],
    ['src/engine/loop-back.ts', "import type {} from './loop.ts';\nexport {};\n"],
    ['src/engine/alone.ts', 'export {};\n'],
  ]);
  for (const [from, to] of [...forbidden, ...allowed]) {
    const path = /^(src|test)\//.test(to) ? relative(dirname(from), to) : to;
    const specifier = path === to || path.startsWith('.') ? path : `./${path}`;
    files.set(from, `import type {} from '${specifier}';\n${files.get(from) ?? 'export {};\n'}`);
    if (path !== to && !files.has(to)) files.set(to, 'export {};\n');
  }
  for (const [file, text] of files) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), text);
  }
  for (const file of ['package.json', 'tsconfig.base.json']) cpSync(join(root, file), join(tree, file));
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));

  const cruise = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const options = ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', 'src', 'test'];
  const { stdout } = spawnSync(process.execPath, [cruise, ...options], { cwd: tree, encoding: 'utf8' });
  violations = (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

const rulesAgainst = (from: string): string[] =>
  violations.filter((violation) => violation.from === from).map(({ rule }) => rule.name);

test.each(forbidden)('%s may not import %s', (from, _to, rule) => {
  expect(rulesAgainst(from)).toContain(rule);
});

test('files that import each other are found', () => {
  expect(violations.filter(({ rule }) => rule.name === 'no-cycle').map(({ from }) => from)).toContain(
    'src/engine/loop-back.ts',
  );
});

test('a file that nothing reaches is found', () => {
  expect(rulesAgainst('src/engine/alone.ts')).toEqual(['no-orphan']);
});

test.each(allowed.filter(([from]) => from !== 'src/engine/rules/registry.ts'))('%s may import %s', (from) => {
  expect(rulesAgainst(from)).toEqual([]);
});
