import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { CONTRACT_TYPE } from '../../src/api/rules.ts';
import { decidingRules, ruleTypes } from '../../src/core/decision/rule-words.ts';
import { type PolicyStep, policySteps } from '../../src/renderer/src/modules/dapps/policy-steps.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const tempFolder = useTempFolders();
const run = promisify(execFile);

/** What test/registry/made-up-desk.ts prints. */
interface ReportedWork {
  refused: unknown;
  created: unknown;
  answered: { result: { reason: unknown } };
  echoed: unknown;
  openapi: unknown;
  openrpc: { methods: { name: string; summary: string; params: unknown; examples: unknown }[] };
  html: string;
  policyFile: { text: string; changes: unknown };
  console: unknown;
  trace: { rule: string; outcome: string }[];
  differences: unknown[];
  newEntryPoint: {
    supported: unknown;
    misfit: unknown;
    shown: unknown;
    userOpHash: string;
    completions: { text: string }[];
    inspected: string[];
  };
}

/** Puts one file and one line of a list into the copy. */
const add = (
  copy: string,
  file: string,
  to: string,
  list: string,
  name: string,
  before: string,
  line = `  ${name},`,
): void => {
  const up = relative(dirname(to), 'src');
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  writeFileSync(join(copy, to), text.replaceAll("'../../src/", `'${up}/`));
  const lines = readFileSync(join(copy, list), 'utf8').split('\n');
  const place = lines.indexOf(before);
  expect(place).toBeGreaterThan(0);
  const path = `./${relative(dirname(list), to)}`;
  writeFileSync(
    join(copy, list),
    [`import { ${name} } from '${path}';`, ...lines.slice(0, place), line, ...lines.slice(place)].join('\n'),
  );
};

let copy: string;
let told: ReportedWork;
beforeAll(async () => {
  copy = tempFolder();
  for (const part of ['src', 'package.json', 'test/support', 'test/registry']) {
    mkdirSync(dirname(join(copy, part)), { recursive: true });
    cpSync(join(ROOT, part), join(copy, part), {
      recursive: true,
      filter: (file) => basename(file) !== 'node_modules',
    });
  }
  for (const part of ['node_modules', 'resources']) symlinkSync(join(ROOT, part), join(copy, part));
  add(
    copy,
    'sender-list.ts',
    'src/core/rules/sender-list.ts',
    'src/core/rules/registry.ts',
    'senderList',
    '  validity,',
  );
  add(
    ...([copy, 'pm_echo.ts', 'src/engine/rpc/methods/pm_echo.ts', 'src/engine/rpc/methods.ts'] as const),
    ...(['pmEcho', '  pmGetFeeQuoteOrData,'] as const),
  );
  const newer = { entryPoints: 'src/core/entry-points', layouts: 'src/core/paymaster-layouts' };
  add(
    ...([copy, 'entry-point-9.9.ts', `${newer.entryPoints}/9.9.ts`, `${newer.entryPoints}/registry.ts`] as const),
    ...(['entryPoint99', '};', "  '9.9': entryPoint99,"] as const),
  );
  add(
    ...([copy, 'verifying-9.9.ts', `${newer.layouts}/verifying-9.9.ts`, `${newer.layouts}/registry.ts`] as const),
    ...(['verifying99', '  biconomy100,'] as const),
  );
  const schema = join(copy, 'src/shared/schema/user-operation.ts');
  writeFileSync(schema, readFileSync(schema, 'utf8').replace("'0.9'])", "'0.9', '9.9'])"));
  const program = join(copy, 'test/registry/made-up-desk.ts');
  const { stdout } = await run(process.execPath, [program, join(copy, 'data')], { maxBuffer: 64 * 1024 * 1024 });
  told = JSON.parse(stdout) as ReportedWork;
});

const senders = [`0x${'5e'.repeat(20)}`];

test('the management interface checks the settings of a new kind of rule, and names the field', () => {
  expect(told.refused).toMatchObject({ statusCode: 400, message: 'senders must be an array' });
  expect(told.created).toMatchObject({
    statusCode: 200,
    data: { policyType: 'SENDER_LIST', policyData: { senders, addedAt: expect.any(Number) } },
  });
});

test('a new kind of rule is in the OpenAPI document', () => {
  const text = JSON.stringify(told.openapi);
  expect(text).toContain('"const":"SENDER_LIST"');
  const types = [...ruleTypes.map(({ setup }) => setup.policyType), 'SENDER_LIST', CONTRACT_TYPE];
  expect(text).toContain(types.map((type) => `"${type}"`).join());
});

test('a new kind of rule is among those that the help of the command line lists', async () => {
  const help = await run(process.execPath, [join(copy, 'src/cli/index.ts'), 'decisions', 'list', '--help']);
  expect(help.stdout.replaceAll(/\s+/g, ' ')).toContain(
    decidingRules.map((type) => (type === 'validity' ? '"senderList", "validity"' : `"${type}"`)).join(', '),
  );
});

test('the console shows a new kind of rule in its place, lets one be added, and describes it in its own words', () => {
  const steps = policySteps({ rules: [], webhooks: [], coin: 'ETH' });
  const place = steps.findIndex(({ type }) => type === 'validity');
  const [before, behind] = [steps.slice(0, place), steps.slice(place)];
  const added = ({ title, add: opens }: PolicyStep) => (opens === undefined ? [] : [[title, opens]]);
  expect(before.flatMap(added)).toContainEqual(['Token holding', 'Add holding']);
  expect(behind.flatMap(added)).toContainEqual(['Spending limit', 'Add limit']);
  expect(told.console).toEqual({
    added: [
      ...before.flatMap(added),
      ['Sender list', 'Bar senders', '1 senders are barred.'],
      ...behind.flatMap(added),
    ],
    title: 'Sender list',
  });
});

test('a new kind of rule denies with its own words, stands in the trace, and decides the same again', () => {
  expect(told.answered.result.reason).toEqual({
    code: 'SENDER_LISTED',
    rule: 'senderList',
    message: `The list "Barred" bars ${senders[0]!}.`,
    hint: 'Send from another account.',
  });
  expect(told.trace.find(({ outcome }) => outcome === 'deny')).toMatchObject({
    rule: 'senderList',
    code: 'SENDER_LISTED',
    evidence: { sender: senders[0], list: 'Barred' },
  });
  expect(told.html).toContain('<th scope="row">Sender list</th>');
  expect(told.differences).toEqual([]);
});

test('a new kind of rule is in policy files, by what operators send of it, and is applied from them', () => {
  expect(told.policyFile.text).toContain(`rules:
  - name: Barred
    type: SENDER_LIST
    data:
      senders:
        - "${senders[0]!}"
`);
  expect(told.policyFile.changes).toEqual([{ change: 'changed', text: 'sender list "Barred": senders changed' }]);
});

test('a new JSON-RPC method answers, and is in the OpenRPC document', () => {
  expect(told.echoed).toEqual({ jsonrpc: '2.0', id: 1, result: 'hello' });
  expect(told.openrpc.methods.find(({ name }) => name === 'pm_echo')).toMatchObject({
    summary: 'What was sent',
    params: [{ name: 'said', schema: { type: 'string' } }],
    examples: [{ result: { value: 'hello' } }],
  });
});

const NEW_ENTRY_POINT = `0x${'90'.repeat(20)}`;

test('a new EntryPoint is one file, its line and its version in the list of schemas: a desk reads, signs and decides again', () => {
  const { supported, misfit, shown, userOpHash } = told.newEntryPoint;
  expect(supported).toMatchObject({ result: [NEW_ENTRY_POINT] });
  expect(misfit).toMatchObject({
    error: { message: expect.stringContaining(`this DApp uses EntryPoint 9.9 (${NEW_ENTRY_POINT})`) },
  });
  expect(shown).toMatchObject({ outcome: 'sponsored', entryPoint: NEW_ENTRY_POINT, userOpHash });
  expect(told.differences).toEqual([]);
});

test('a new EntryPoint is offered where conditions are typed, and the inspector knows its address, operations and codes', () => {
  const { completions, inspected } = told.newEntryPoint;
  expect(completions.map(({ text }) => text)).toEqual(['0.6', '0.7', '0.8', '0.9', '9.9']);
  expect(inspected).toEqual(['EntryPoint 9.9', 'User operation of EntryPoint 9.9', 'An error: AA89 made up']);
});
