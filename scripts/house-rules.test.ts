import { join } from 'node:path';
import { Linter } from 'eslint';
import { parser } from 'typescript-eslint';
import { describe, expect, test } from 'vitest';
import { houseConfig } from './house-rules.ts';

const root = join(import.meta.dirname, '..');
const linter = new Linter({ cwd: root });

/** Names of the rules that report `code` in `file`. */
const complaints = (file: string, code: string): (string | null)[] =>
  linter
    .verify(code, [{ files: ['**/*.ts'], languageOptions: { parser } }, ...houseConfig], { filename: join(root, file) })
    .map(({ ruleId, fatal, message }) => (fatal ? message : ruleId));

const refused: Record<string, [file: string, code: string][]> = {
  'house/exact-money': [
    ['src/engine/ledger/reserve.ts', 'export const cost = Number(maxCostWei);'],
    ['src/engine/ledger/reserve.ts', 'export const x = Number.parseInt(row.balance, 10);'],
    ['src/shared/schema/wei.ts', 'export const x = parseFloat(amount);'],
    ['src/shared/schema/wei.ts', 'export const x = +op.maxFeePerGas;'],
    ['src/engine/chain/rates.ts', 'export const x = Number(threshold / 10n ** 9n);'],
  ],
  'house/injected-time-and-randomness': [
    ['src/engine/service/system.ts', 'export const now = Date.now();'],
    ['src/engine/service/system.ts', 'export const now = new Date().toISOString();'],
    ['src/engine/service/system.ts', 'export const now = performance.now();'],
    ['src/engine/webhooks/deliver.ts', 'setTimeout(() => retry(), 1000);'],
    ['src/engine/webhooks/deliver.ts', "import { setTimeout as sleep } from 'node:timers/promises'; await sleep(1);"],
    ['src/engine/webhooks/sign.ts', 'export const id = crypto.randomUUID();'],
    ['src/engine/signer/vault.ts', "import { randomBytes } from 'node:crypto'; export const salt = randomBytes(16);"],
    ['src/engine/webhooks/deliver.test.ts', 'export const jitter = Math.random();'],
  ],
  'house/declared-settings': [
    ['src/engine/chain/rpc.ts', 'export const url = process.env.GASDESK_RPC;'],
    ['src/engine/chain/rpc.ts', "export const url = process['env']['GASDESK_RPC'];"],
    ['src/shared/chains.ts', "import { env } from 'node:process'; export const url = env;"],
    ['src/engine/base/log.ts', 'const { env } = process; export const level = env;'],
  ],
  'no-console': [
    ['src/engine/base/log.ts', "console.log('started');"],
    ['src/main/index.ts', 'console.error(failure);'],
  ],
  'house/package-home': [
    ['src/engine/ledger/reserve.ts', "import Database from 'better-sqlite3'; export const db = Database;"],
    ['src/engine/service/export.ts', "export const { DatabaseSync } = await import('node:sqlite');"],
    ['src/engine/index.ts', "import { app } from 'electron'; export const path = app;"],
    ['src/api/index.ts', "import type { Ref } from 'vue'; export type R = Ref;"],
    ['src/cli/index.ts', "export { ipcMain } from 'electron/main';"],
  ],
  'house/plain-words': [
    ['src/engine/base/log.ts', '/** What is told to whoever asks. */ export const a = 1;'],
    ['test/rpc/batch.test.ts', '// Undefined where there is none.'],
    ['test/rpc/batch.test.ts', "test('the client is told', () => {});"],
    ['test/rpc/batch.test.ts', "describe.each([1])('%i begins anew', () => {});"],
  ],
  'house/whole-suite': [
    ['src/engine/base/clock.test.ts', "it.only('one', () => {});"],
    ['src/engine/base/clock.test.ts', "test.skip('one', () => {});"],
    ['test/rpc/batch.test.ts', "describe.concurrent.only('one', () => {});"],
    ['test/rpc/batch.test.ts', "it.only.each([1])('%i', () => {});"],
    ['test/rpc/batch.test.ts', "it.todo('later');"],
    ['test/rpc/batch.test.ts', "xit('one', () => {});"],
  ],
  'house/reasoned-disable': [['src/engine/base/log.ts', '/* eslint-disable no-var */ export const a = 1;']],
  'no-warning-comments': [['src/engine/base/log.ts', 'export const a = 1; // TODO: finish']],
};

const accepted: [file: string, code: string][] = [
  ['src/engine/ledger/reserve.ts', 'export const cost = BigInt(row.maxCostWei);'],
  ['src/engine/config/config.ts', 'export const port = Number(process.env.GASDESK_PORT);'],
  ['src/engine/rules/count.ts', 'export const heavy = Number(weight) + Number(row.count);'],
  ['src/engine/base/clock.ts', 'export const now = Date.now(); setTimeout(() => now, 1);'],
  ['src/engine/service/system.ts', 'export const day = new Date(clock.now()); clock.setTimer(1, run); entropy.uuid();'],
  ['src/cli/serve.ts', 'console.log(process.env.HOME);'],
  ['src/engine/store/sqlite/open.ts', "import Database from 'better-sqlite3'; export const db = Database;"],
  ['src/engine/data-folder/lock.ts', "import Database from 'better-sqlite3'; export const db = Database;"],
  ['src/preload/index.ts', "import { contextBridge } from 'electron'; export const b = contextBridge;"],
  ['src/renderer/src/main.ts', "import { createApp } from 'vue'; export const app = createApp;"],
  ['test/chain/local.test.ts', "test.skipIf(!anvil)('needs anvil', () => { setTimeout(() => {}, Date.now()); });"],
  ['src/engine/base/log.ts', '// eslint-disable-next-line no-console -- last words of a process\nconsole.log(1);'],
];

describe.each(Object.entries(refused))('%s is enforced', (rule, snippets) => {
  test.each(snippets)('in %s: %s', (file, code) => {
    expect(complaints(file, code)).toContain(rule);
  });
});

test.each(accepted)('honest code is left alone in %s: %s', (file, code) => {
  expect(complaints(file, code)).toEqual([]);
});
