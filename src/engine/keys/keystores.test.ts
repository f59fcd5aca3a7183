import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Wallet, decryptKeystoreJson, encryptKeystoreJson } from 'ethers';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { useTempFolders } from '../../../test/support/temp-folder.ts';
import type { Address } from '../../shared/schema/hex.ts';
import { systemEntropy } from '../base/clock.ts';
import { type Keystores, createKeystores } from './keystores.ts';

const tempFolder = useTempFolders();
const COST = { N: 1024, r: 8, p: 1 };
const PASSWORD = 'of the key';

const open = (scrypt = COST): { dir: string; clock: ManualClock; keystores: Keystores } => {
  const [dir, clock] = [join(tempFolder(), 'keystores'), new ManualClock()];
  return { dir, clock, keystores: createKeystores({ dir, clock, entropy: systemEntropy, scrypt }) };
};

const foreign = async (password = PASSWORD): Promise<{ wallet: Wallet; text: string }> => {
  const wallet = new Wallet(Wallet.createRandom().privateKey);
  return { wallet, text: await encryptKeystoreJson(wallet, password, { scrypt: COST }) };
};

const addressUsed = (keystores: Keystores, address: Address, password = PASSWORD): Promise<string> =>
  keystores.use(address, password, async (wallet) => wallet.address);

it('a new key is in a file that only its owner reads, under its address, and opens with its password alone', async () => {
  const { dir, clock, keystores } = open();
  expect(keystores.list()).toEqual([]);
  const made = await keystores.create('Funds', PASSWORD);
  expect(made).toEqual({ address: made.address, label: 'Funds', createdAt: clock.now(), error: null });
  expect(keystores.list()).toEqual([made]);
  const file = `${made.address.toLowerCase()}.json`;
  expect(readdirSync(dir)).toEqual([file]);
  expect([statSync(dir).mode & 0o777, statSync(join(dir, file)).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(await addressUsed(keystores, made.address.toLowerCase() as Address)).toBe(made.address);
  await expect(addressUsed(keystores, made.address, 'another')).rejects.toMatchObject({
    code: 'KEYSTORE_PASSWORD_WRONG',
  });
  await expect(addressUsed(keystores, made.address, '')).rejects.toMatchObject({ code: 'KEYSTORE_PASSWORD_WRONG' });
});

it('a key is exported as other wallets know it, and comes back', async () => {
  const [{ keystores, clock }, other] = [open(), open()];
  const { address } = await keystores.create('Funds', PASSWORD);
  const { fileName, keystore } = keystores.export(address);
  const time = new Date(clock.now()).toISOString().replaceAll(':', '-');
  expect(fileName).toBe(`UTC--${time}--${address.slice(2).toLowerCase()}.json`);
  expect(Object.keys(JSON.parse(keystore) as object)).toEqual(['version', 'id', 'address', 'crypto']);
  expect(await decryptKeystoreJson(keystore, PASSWORD)).toMatchObject({ address });
  await other.clock.advance(5);
  const imported = await other.keystores.import('Moved', keystore, PASSWORD);
  expect(imported).toEqual({ address, label: 'Moved', createdAt: other.clock.now(), error: null });
  expect(await addressUsed(other.keystores, address)).toBe(address);
});

describe('a file of another wallet', () => {
  it('is kept as it is, whatever else is in it', async () => {
    const { keystores } = open();
    const { wallet, text } = await foreign();
    const more = JSON.stringify({
      ...(JSON.parse(text) as object),
      name: 'Mine',
      gasdesk: { label: 'Not so', createdAt: 1 },
    });
    const { address, label } = await keystores.import('Funds', more, PASSWORD);
    expect([address, label]).toEqual([wallet.address, 'Funds']);
    expect(JSON.parse(keystores.export(address).keystore)).toEqual({ ...(JSON.parse(text) as object), name: 'Mine' });
  });

  it('may begin with a byte order mark', async () => {
    const { keystores } = open();
    const { wallet, text } = await foreign();
    expect(await keystores.import('Funds', `\uFEFF${text}`, PASSWORD)).toMatchObject({ address: wallet.address });
  });

  it('is taken only if the password opens it, it is what it says, and it is not here already', async () => {
    const { dir, keystores } = open();
    const { text } = await foreign();
    const other = Wallet.createRandom().address.slice(2);
    const renamed = JSON.stringify({ ...(JSON.parse(text) as object), address: other });
    const refusals: [string, string, string][] = [
      [text, 'another', 'KEYSTORE_PASSWORD_WRONG'],
      [renamed, PASSWORD, 'KEYSTORE_INVALID'],
      ['{}', PASSWORD, 'KEYSTORE_INVALID'],
    ];
    for (const [file, password, code] of refusals) {
      await expect(keystores.import('Funds', file, password)).rejects.toMatchObject({ code });
      expect(keystores.list()).toEqual([]);
    }
    const kept = await keystores.import('Funds', text, PASSWORD);
    const before = readFileSync(join(dir, readdirSync(dir)[0]!), 'utf8');
    await expect(keystores.import('Again', text, PASSWORD)).rejects.toMatchObject({ code: 'KEYSTORE_EXISTS' });
    expect(readFileSync(join(dir, readdirSync(dir)[0]!), 'utf8')).toBe(before);
    expect(keystores.list()).toEqual([kept]);
  });
});

it('a damaged file is reported and hides no other; foreign files are left alone', async () => {
  const { dir, keystores } = open();
  const good = await keystores.create('Good', PASSWORD);
  const named = (digit: string): Address => `0x${digit.repeat(40)}`;
  writeFileSync(join(dir, `${named('1')}.json`), '{"version":3,');
  writeFileSync(join(dir, `${named('2')}.json`), 'x'.repeat(100_000));
  // Only regular files are opened, because reading a pipe could wait indefinitely.
  mkdirSync(join(dir, `${named('3')}.json`));
  symlinkSync('/etc/passwd', join(dir, `${named('5')}.json`));
  // The file contains a different key than its name says. Only the chosen key may sign.
  const { text } = await foreign();
  writeFileSync(join(dir, `${named('4')}.json`), text);
  writeFileSync(join(dir, 'notes.txt'), 'mine');
  const listed = keystores.list();
  expect(listed.map(({ error }) => error === null)).toEqual([false, false, true, true]);
  expect(listed.map(({ label }) => label)).toEqual(['', '', '', 'Good']);
  expect(listed[3]).toEqual(good);
  for (const digit of ['1', '2', '3', '4']) {
    await expect(addressUsed(keystores, named(digit))).rejects.toMatchObject({ code: 'KEYSTORE_INVALID' });
  }
  expect(() => keystores.export(named('1'))).toThrow(expect.objectContaining({ code: 'KEYSTORE_INVALID' }));
  expect(readdirSync(dir)).toHaveLength(7);

  // A damaged file is not deleted, because it may be repairable.
  await keystores.remove(named('1'));
  await keystores.remove(named('2'), 'whatever');
  expect(readdirSync(dir).filter((name) => name.includes('.damaged-'))).toHaveLength(2);
  const other = { code: 'KEYSTORE_PASSWORD_WRONG' };
  await expect(keystores.remove(named('4'))).rejects.toMatchObject(other);
  await expect(keystores.remove(named('4'), 'another')).rejects.toMatchObject(other);
  await keystores.remove(named('4'), PASSWORD);
  expect(keystores.list()).toEqual([good]);
  await expect(keystores.remove(named('1'))).rejects.toMatchObject({ code: 'KEYSTORE_NOT_FOUND' });
});

it.each([1e300, -1, 1.5])(
  'a file that says it was made at %d hides no other and can be exported',
  async (createdAt) => {
    const { dir, keystores } = open();
    const { address } = await keystores.create('Funds', PASSWORD);
    const path = join(dir, readdirSync(dir)[0]!);
    const json = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...json, gasdesk: { label: 'Funds', createdAt } }));
    expect(keystores.list()).toEqual([{ address, label: '', createdAt: 0, error: null }]);
    expect(keystores.export(address).fileName).toMatch(/^UTC--1970-/);
  },
);

it('a key is removed only by who can use it', async () => {
  const { dir, keystores } = open();
  const { address } = await keystores.create('Funds', PASSWORD);
  await expect(keystores.remove(address, 'another')).rejects.toMatchObject({ code: 'KEYSTORE_PASSWORD_WRONG' });
  expect(keystores.list()).toHaveLength(1);
  await keystores.remove(address, PASSWORD);
  expect(readdirSync(dir)).toEqual([]);
  const missing = { code: 'KEYSTORE_NOT_FOUND' };
  await expect(keystores.remove(address, PASSWORD)).rejects.toMatchObject(missing);
  await expect(addressUsed(keystores, address)).rejects.toMatchObject(missing);
  expect(() => keystores.export(address)).toThrow(expect.objectContaining(missing));
});

it('an unusable folder is reported, and no key is lost in it', async () => {
  const { dir, keystores } = open();
  writeFileSync(dir, 'a file');
  await expect(keystores.create('Funds', PASSWORD)).rejects.toMatchObject({ code: 'DATA_FOLDER_UNUSABLE' });
  expect(() => keystores.list()).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_UNUSABLE' }));
});

it('decisions continue while a password is tried: its derivation does not hold the event loop', async () => {
  const { keystores } = open({ N: 2 ** 16, r: 8, p: 1 });
  let turns = 0;
  let counting = true;
  const count = (): void => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  count();
  const { address } = await keystores.create('Funds', PASSWORD);
  await addressUsed(keystores, address);
  counting = false;
  // Two derivations of 100 ms each, with turns of the event loop that take a few microseconds. A blocked event loop
  // would make only a few turns.
  expect(turns).toBeGreaterThan(100);
});
