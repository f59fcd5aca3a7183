import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Imports that the architecture forbids, and the rule that must report each. */
const forbidden: [from: string, to: string, rule: string][] = [
  ['src/shared/a.ts', 'src/engine/base/clock.ts', 'shared-reaches'],
  ['src/shared/b.ts', 'ethers', 'shared-is-pure'],
  ['src/shared/c.ts', 'node:fs', 'shared-is-pure'],
  ['src/shared/d.ts', 'src/api/x.ts', 'shared-reaches'],
  ['src/core/calls/d.ts', 'src/api/x.ts', 'core-reaches'],
  ['src/api/a.ts', 'src/engine/base/clock.ts', 'api-reaches'],
  ['src/api/b.ts', 'ethers', 'api-is-pure'],
  ['src/core/calls/a.ts', 'src/engine/store/x.ts', 'core-reaches'],
  ['src/core/calls/b.ts', 'node:http', 'core-is-pure'],
  ['src/core/calls/c.ts', 'vue', 'core-is-pure'],
  ['src/core/rules/b.ts', 'src/core/rules/a.ts', 'a-kind-knows-no-other'],
  ['src/core/rules/c.ts', 'src/core/rules/registry.ts', 'a-kind-knows-no-other'],
  ['src/core/rules/d.ts', 'src/core/decision/decide.ts', 'a-kind-knows-no-other'],
  ['src/core/rules/e.ts', 'src/core/rules/folder/index.ts', 'a-kind-knows-no-other'],
  ['src/core/rules/folder2/a.ts', 'src/core/rules/folder/index.ts', 'a-kind-knows-no-other'],
  ['src/core/rules/folder2/b.ts', 'src/core/rules/registry.ts', 'a-kind-knows-no-other'],
  ['src/core/rules/registry.ts', 'src/core/rules/folder/data.ts', 'a-kind-has-one-face'],
  ['src/core/rules/f.ts', 'src/core/rules/folder/data.ts', 'a-kind-has-one-face'],
  ['src/engine/service/b.ts', 'src/core/rules/folder/data.ts', 'a-kind-has-one-face'],
  ['src/renderer/b.ts', 'src/core/rules/folder/data.ts', 'a-kind-has-one-face'],
  ['src/core/inspect/a.ts', 'src/core/entry-points/0.6.ts', 'entry-points-come-from-the-registry'],
  ['src/core/loose.ts', 'src/core/calls/x.ts', 'core-has-no-loose-files'],
  ['src/engine/index.ts', 'src/cli/x.ts', 'engine-reaches'],
  ['src/renderer/a.ts', 'src/engine/base/clock.ts', 'renderer-reaches'],
  ['src/preload/a.ts', 'src/core/x.ts', 'preload-reaches'],
  ['src/main/a.ts', 'src/cli/x.ts', 'main-reaches'],
  ['src/engine/rpc/a.ts', 'src/engine/sponsorship/x.ts', 'doors-call-the-service'],
  ['src/engine/rpc/b.ts', 'src/engine/store/x.ts', 'doors-call-the-service'],
  ['src/engine/rpc/c.ts', 'src/engine/management/x.ts', 'doors-are-apart'],
  ['src/engine/rpc/d.ts', 'src/engine/server/x.ts', 'doors-downwards'],
  ['src/engine/service/a.ts', 'src/engine/rpc/x.ts', 'service-downwards'],
  ['src/engine/sponsorship/a.ts', 'src/engine/service/x.ts', 'workers-downwards'],
  ['src/engine/store/a.ts', 'src/engine/sponsorship/x.ts', 'store-downwards'],
  ['src/engine/base/a.ts', 'src/engine/store/x.ts', 'base-downwards'],
  ['src/engine/sponsorship/b.ts', 'src/engine/elsewhere/x.ts', 'every-folder-has-a-layer'],
  ['src/engine/base/b.ts', 'test/support/x.ts', 'no-test-code-in-the-product'],
  ['src/engine/base/c.ts', 'fast-check', 'no-test-library-in-the-product'],
  ['src/engine/base/d.ts', 'no-such-package', 'resolvable'],
];

const allowed: [from: string, to: string][] = [
  ['src/shared/ok.ts', 'zod'],
  ['src/core/calls/ok.ts', 'ethers'],
  ['src/api/ok.ts', 'src/core/rules/rule.ts'],
  ['src/core/rules/ok.ts', 'src/core/rules/rule.ts'],
  ['src/core/rules/ok2.ts', 'src/core/calls/x.ts'],
  ['src/core/decision/ok.ts', 'src/core/rules/registry.ts'],
  ['src/core/rules/folder/ok.ts', 'src/core/rules/folder/data.ts'],
  ['src/core/rules/folder/ok2.ts', 'src/core/rules/rule.ts'],
  ['src/core/rules/folder/ok.test.ts', 'src/core/rules/folder2/a.ts'],
  ['src/engine/service/ok2.ts', 'src/core/rules/webhook.ts'],
  ['src/core/inspect/ok.ts', 'src/core/entry-points/registry.ts'],
  ['src/core/paymaster-layouts/ok.ts', 'src/core/entry-points/0.6.ts'],
  ['src/engine/service/ok3.ts', 'src/core/rules/folder/index.ts'],
  ['src/core/rules/ok.test.ts', 'fast-check'],
  ['src/engine/server/ok.ts', 'src/engine/rpc/x.ts'],
  ['src/engine/rpc/ok.ts', 'src/engine/service/x.ts'],
  ['src/engine/service/ok.ts', 'src/engine/sponsorship/x.ts'],
  ['src/engine/sponsorship/ok.ts', 'src/engine/store/x.ts'],
  ['src/engine/sponsorship/ok2.ts', 'src/core/rules/rule.ts'],
  ['src/engine/rpc/ok2.ts', 'src/api/x.ts'],
  ['src/renderer/ok.ts', 'src/core/calls/x.ts'],
  ['src/renderer/ok2.ts', 'src/api/x.ts'],
  ['src/cli/ok.ts', 'src/engine/base/clock.ts'],
];

interface Violation {
  from: string;
  rule: { name: string };
}

let tree: string;
let violations: Violation[];

const cruise = (config: string, ...folders: string[]): Violation[] => {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const options = ['--config', join(root, config), '--output-type', 'json', ...folders];
  const { stdout } = spawnSync(process.execPath, [program, ...options], { cwd: tree, encoding: 'utf8' });
  return (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
};

/** Writes each file of the tables with type imports only, to show that these count. */
beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'gasdesk-arrows-'));
  const files = new Map<string, string>([
    ['src/engine/base/loop.ts', "import type {} from './loop-back.ts';\nexport {};\n"],
    ['src/engine/base/loop-back.ts', "import type {} from './loop.ts';\nexport {};\n"],
    ['src/engine/base/alone.ts', 'export {};\n'],
    ['src/engine/chain/there.ts', "import type {} from '../signer/back.ts';\nexport {};\n"],
    ['src/engine/signer/back.ts', "import type {} from '../chain/other.ts';\nexport {};\n"],
    ['src/engine/chain/other.ts', 'export {};\n'],
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

  violations = cruise('.dependency-cruiser.mjs', 'src', 'test');
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

const rulesAgainst = (from: string): string[] =>
  violations.filter((violation) => violation.from === from).map(({ rule }) => rule.name);

test.each(forbidden)('%s may not import %s', (from, _to, rule) => {
  expect(rulesAgainst(from)).toContain(rule);
});

test('files that import each other are found', () => {
  expect(violations.filter(({ rule }) => rule.name === 'no-cycle').map(({ from }) => from)).toContain(
    'src/engine/base/loop-back.ts',
  );
});

test('folders that import each other are found, though none of their files do', () => {
  expect(cruise('.dependency-cruiser.folders.mjs', 'src').map(({ from }) => from)).toEqual(
    expect.arrayContaining(['src/engine/chain', 'src/engine/signer']),
  );
});

test('a file that nothing reaches is found', () => {
  expect(rulesAgainst('src/engine/base/alone.ts')).toEqual(['no-orphan']);
});

test.each(allowed)('%s may import %s', (from) => {
  expect(rulesAgainst(from)).toEqual([]);
});
