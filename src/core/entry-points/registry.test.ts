import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { entryPointVersion } from '../../shared/schema/user-operation.ts';
import { allEntryPoints, entryPointAt, entryPoints } from './registry.ts';

const SRC = join(import.meta.dirname, '..', '..');

/**
 * The files that may name versions: the list of versions for schemas, and for each version its definition and its
 * paymaster contracts.
 */
const NAMING = /^(?:shared[/]schema[/]user-operation[.]ts$|core[/](?:entry-points|paymaster-layouts)[/])/;

const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter(({ name }) => /[.](?:ts|vue)$/.test(name) && !name.endsWith('.test.ts'))
  .map(({ parentPath, name }) => join(parentPath, name))
  .map((file) => ({ file: relative(SRC, file).replaceAll('\\', '/'), text: readFileSync(file, 'utf8') }));

const filesWith = (pattern: RegExp): string[] =>
  files.filter(({ file, text }) => !NAMING.test(file) && pattern.test(text)).map(({ file }) => file);

test('each is registered under its own version, the oldest first, as the list of schemas has them', () => {
  expect(allEntryPoints.map(({ version }) => version)).toEqual(entryPointVersion.options);
  for (const version of entryPointVersion.options) expect(entryPoints[version].version).toBe(version);
});

test('each is found by its address in any letters, and nothing else is', () => {
  for (const entryPoint of allEntryPoints) {
    expect(entryPointAt(entryPoint.address)).toBe(entryPoint);
    expect(entryPointAt(entryPoint.address.toUpperCase())).toBe(entryPoint);
  }
  for (const other of [undefined, '', '0x', `0x${'00'.repeat(20)}`]) expect(entryPointAt(other)).toBeUndefined();
});

test('no other file of src lists versions or compares with one', () => {
  const versions = entryPointVersion.options.map((version) => version.replace('.', '[.]')).join('|');
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter(({ file }) => NAMING.test(file)).length).toBeGreaterThan(10);
  expect(filesWith(new RegExp(`['"\`]v?(?:${versions})['"\`]`))).toEqual([]);
});

test('no other file of src has an address of one, but for an example', () => {
  const addresses = allEntryPoints.map(({ address }) => address).join('|');
  expect(filesWith(new RegExp(addresses, 'i'))).toEqual(['engine/rpc/examples.ts']);
});
