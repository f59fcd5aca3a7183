import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sharedVault } from '../../../test/support/shared-vault.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import { systemEntropy } from '../base/clock.ts';
import { Secret } from '../base/secret.ts';
import { type Unlocker, beginDerivation } from './vault-file.ts';
import { type Vault, openVault } from './vault.ts';
import { vaultInFile } from '../store/vault-in-file.ts';

const cheap = { scrypt: { N: 2, r: 1, p: 1 } };
const passphrase = (text: string): Unlocker => ({ passphrase: new Secret(text) });
const key = (bytes: Uint8Array): Unlocker => ({ key: new Secret(bytes) });
const RIGHT = passphrase('correct horse');
const VALUE = '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';

let dir: string;
let file: string;
let vault: Vault;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'gasdesk-vault-'));
  file = join(dir, 'vault.json');
  vault = openVault(vaultInFile(file), cheap);
  await vault.create(RIGHT);
  await vault.set('signer:31337', new Secret(VALUE));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const reopened = async (unlocker: Unlocker = RIGHT): Promise<Vault> => {
  const other = openVault(vaultInFile(file), cheap);
  await other.unlock(unlocker);
  return other;
};

/** Expects a refusal that changes neither the file nor the files next to it. */
const refused = async (act: () => unknown, code: ErrorCode, message: string | RegExp = ''): Promise<void> => {
  const before = [readdirSync(dir), existsSync(file) && statSync(file).isFile() && readFileSync(file, 'utf8')];
  const error: unknown = await (async () => act())().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
  expect([readdirSync(dir), existsSync(file) && statSync(file).isFile() && readFileSync(file, 'utf8')]).toEqual(before);
};

test('keys survive a restart and open with the passphrase only', async () => {
  const other = openVault(vaultInFile(file), cheap);
  expect(other.state).toBe('locked');
  await refused(
    () => other.unlock(passphrase('wrong horse')),
    'VAULT_PASSPHRASE_WRONG',
    'Wrong passphrase: the vault stays locked',
  );
  expect(other.state).toBe('locked');
  await other.unlock(RIGHT);
  expect(other.state).toBe('unlocked');
  expect(other.get('signer:31337')?.reveal()).toBe(VALUE);
});

describe('a key whose derivation began before the vault was opened', () => {
  const begun = (text: string): Unlocker => {
    const secret = new Secret(text);
    beginDerivation(file, secret);
    return { passphrase: secret };
  };

  test('opens the vault, and only with the right passphrase', async () => {
    expect((await reopened(begun('correct horse'))).get('signer:31337')?.reveal()).toBe(VALUE);
    await refused(() => reopened(begun('wrong horse')), 'VAULT_PASSPHRASE_WRONG');
  });

  test('is not used for a vault whose passphrase was set again meanwhile', async () => {
    const [right, old] = [begun('new horse'), begun('correct horse')];
    await vault.setUnlocker(passphrase('new horse'));
    await refused(() => reopened(old), 'VAULT_PASSPHRASE_WRONG');
    expect((await reopened(right)).get('signer:31337')?.reveal()).toBe(VALUE);
  });

  test('does not exist without a vault, whose absence or damage is reported as ever', async () => {
    rmSync(file);
    await refused(() => reopened(begun('correct horse')), 'VAULT_LOCKED');
    writeFileSync(file, '{}');
    await refused(() => reopened(begun('correct horse')), 'VAULT_DAMAGED');
  });
});

test('a stolen file shows neither keys nor names nor the passphrase, and others cannot read it', () => {
  const text = readFileSync(file, 'utf8');
  for (const part of [VALUE, VALUE.slice(2), 'signer', '31337', 'horse']) expect(text).not.toContain(part);
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  expect(readdirSync(dir)).toEqual(['vault.json']);
});

test('printing a vault or what it gives prints no key', () => {
  expect(
    inspect([vault, vault.get('signer:31337'), vault.webhookSecret('w')], { depth: 9, showHidden: true }),
  ).not.toMatch(/4c0883|whsec_/);
});

test('a locked vault gives nothing and takes nothing', async () => {
  vault.lock();
  expect(vault.state).toBe('locked');
  const uses = [
    () => vault.get('a'),
    () => vault.set('a', new Secret('b')),
    () => vault.delete('a'),
    () => vault.names(),
    () => vault.webhookSecret('a'),
    () => vault.setUnlocker(RIGHT),
  ];
  for (const use of uses) await refused(use, 'VAULT_LOCKED');
  await vault.unlock(RIGHT);
  expect(vault.names()).toEqual(['signer:31337']);
});

test('an absent vault says so; creating cannot overwrite one that exists, not even by two calls at once', async () => {
  await refused(() => vault.create(RIGHT), 'VAULT_LOCKED', 'already');
  rmSync(file);
  const fresh = openVault(vaultInFile(file), cheap);
  expect(fresh.state).toBe('absent');
  await refused(() => fresh.unlock(RIGHT), 'VAULT_LOCKED', 'no vault yet');
  await refused(() => fresh.get('a'), 'VAULT_LOCKED', 'no vault yet');
  const results = await Promise.allSettled([fresh.create(passphrase('a')), fresh.create(passphrase('b'))]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(fresh.state).toBe('unlocked');
});

test('entries can be replaced and deleted for good, whatever their names', async () => {
  for (const name of ['__proto__', 'constructor', 'ключ', '']) await vault.set(name, new Secret(`value of ${name}`));
  await vault.set('signer:31337', new Secret('new'));
  expect(await vault.delete('ключ')).toBe(true);
  expect(await vault.delete('ключ')).toBe(false);
  const other = await reopened();
  expect(other.names()).toEqual(['signer:31337', '__proto__', 'constructor', '']);
  expect(other.get('signer:31337')?.reveal()).toBe('new');
  expect(other.get('__proto__')?.reveal()).toBe('value of __proto__');
  expect(other.get('ключ')).toBeUndefined();
  expect(other.get('toString')).toBeUndefined();
});

test('a changed passphrase opens the vault, the old one no longer does, and the entries keep their key', async () => {
  await vault.setUnlocker(passphrase('new horse'));
  await refused(() => reopened(RIGHT), 'VAULT_PASSPHRASE_WRONG');
  expect((await reopened(passphrase('new horse'))).get('signer:31337')?.reveal()).toBe(VALUE);
});

test('a passphrase can be tried without changing anything, and the vault lists what unlocks it', async () => {
  const before = readFileSync(file);
  await vault.verify(RIGHT);
  await refused(() => vault.verify(passphrase('wrong horse')), 'VAULT_PASSPHRASE_WRONG');
  expect(vault.unlockers()).toEqual({ passphrase: true, key: false });
  expect(readFileSync(file)).toEqual(before);
  expect(vault.get('signer:31337')?.reveal()).toBe(VALUE);
  rmSync(file);
  expect(vault.unlockers()).toEqual({ passphrase: false, key: false });
});

test('the desktop unlocks the vault with a key of the OS keychain, in addition to or instead of a passphrase', async () => {
  const bytes = systemEntropy.bytes(32);
  await refused(() => reopened(key(bytes)), 'VAULT_PASSPHRASE_WRONG', 'A key does not unlock this vault');
  await vault.setUnlocker(key(bytes));
  expect((await reopened(key(bytes))).names()).toEqual(['signer:31337']);
  expect((await reopened(RIGHT)).names()).toEqual(['signer:31337']);
  await refused(
    () => reopened(key(systemEntropy.bytes(32))),
    'VAULT_PASSPHRASE_WRONG',
    'Wrong key: the vault stays locked',
  );

  rmSync(file);
  await openVault(vaultInFile(file), cheap).create(key(bytes));
  expect((await reopened(key(bytes))).names()).toEqual([]);
  await refused(() => reopened(RIGHT), 'VAULT_PASSPHRASE_WRONG', 'A passphrase does not unlock this vault');
});

test('an empty passphrase or a short key protects nothing and is refused', async () => {
  await refused(() => vault.setUnlocker(passphrase('')), 'VAULT_PASSPHRASE_WRONG', 'must not be empty');
  await refused(() => vault.setUnlocker(key(new Uint8Array(31))), 'VAULT_PASSPHRASE_WRONG', '32 bytes');
});

test('a passphrase with an accent opens the vault from every keyboard', async () => {
  await vault.setUnlocker(passphrase('caf\u00e9'));
  expect((await reopened(passphrase('cafe\u0301'))).state).toBe('unlocked');
});

test('an entry set while the vault is being unlocked again is not lost', async () => {
  const again = vault.unlock(RIGHT);
  const late = vault.set('late', new Secret('x'));
  await Promise.all([again, late]);
  await vault.set('later', new Secret('y'));
  expect((await reopened()).names()).toEqual(['signer:31337', 'late', 'later']);
});

test('a vault locked while its passphrase is changed still opens with the old one', async () => {
  const change = vault.setUnlocker(passphrase('new horse'));
  vault.lock();
  await expect(change).rejects.toMatchObject({ code: 'VAULT_LOCKED' });
  expect((await reopened()).get('signer:31337')?.reveal()).toBe(VALUE);
});

test('webhook secrets have the form of Standard Webhooks, differ, and stay the same over restarts and changes', async () => {
  const secret = vault.webhookSecret('w1').reveal();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  expect(vault.webhookSecret('w2').reveal()).not.toBe(secret);
  await vault.setUnlocker(passphrase('new horse'));
  expect((await reopened(passphrase('new horse'))).webhookSecret('w1').reveal()).toBe(secret);

  const seed = Buffer.alloc(32, 7);
  const known = openVault(vaultInFile(join(dir, 'known.json')), {
    ...cheap,
    entropy: { bytes: (n) => Buffer.alloc(n, 7), uuid: () => '' },
  });
  await known.create(RIGHT);
  const expected = createHmac('sha256', seed).update('webhook:w1').digest('base64');
  expect(known.webhookSecret('w1').reveal()).toBe(`whsec_${expected}`);
});

const damage: [string, (json: VaultJson) => unknown, RegExp][] = [
  ['is empty', () => '', /not JSON/],
  ['was cut short', (json) => JSON.stringify(json).slice(0, -20), /not JSON/],
  ['is of something else', () => ({ version: 3, crypto: {} }), /format: is not "gasdesk-vault"/],
  ['is of a newer Gasdesk', (json) => ({ ...json, version: 2 }), /version: is not 1/],
  ['lacks its entries', (json) => ({ ...json, entries: undefined }), /entries:/],
  ['has altered entries', (json) => ({ ...json, entries: altered(json.entries) }), /the entries were altered/],
  ['has entries cut off', (json) => ({ ...json, entries: '' }), /the entries were altered/],
  ['has the entries of another vault', (json) => ({ ...json, entries: json.locks.passphrase.dataKey }), /altered/],
  ['asks for a terabyte of memory', (json) => withScrypt(json, { N: 2 ** 33 }), /locks.passphrase.scrypt.N/],
  ['asks for an impossible cost', (json) => withScrypt(json, { N: 3 }), /scrypt.N: is not a power of two/],
];

interface VaultJson {
  locks: { passphrase: { scrypt: object; dataKey: string } };
  entries: string;
}
const altered = (box: string): string => {
  const bytes = Buffer.from(box, 'base64');
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  return bytes.toString('base64');
};
const withScrypt = (json: VaultJson, scrypt: object): unknown => {
  const { passphrase: lock } = json.locks;
  return { ...json, locks: { passphrase: { ...lock, scrypt: { ...lock.scrypt, ...scrypt } } } };
};

test.each(damage)(
  'a vault file that %s is reported, with what is wrong, and left alone',
  async (_, change, message) => {
    const content = change(JSON.parse(readFileSync(file, 'utf8')) as VaultJson);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    await refused(() => reopened(), 'VAULT_DAMAGED', message);
  },
);

test('a vault that cannot be read is not taken for a missing one', async () => {
  rmSync(file);
  mkdirSync(file);
  await refused(() => reopened(), 'DATA_FOLDER_UNUSABLE', 'Cannot read');
  await refused(() => openVault(vaultInFile(file), cheap).create(RIGHT), 'VAULT_LOCKED', 'already');
});

test('a change that cannot be written is not believed in memory either', async () => {
  mkdirSync(join(file, '..', 'vault.json.new', 'in the way'), { recursive: true });
  await refused(() => vault.set('lost', new Secret('x')), 'DATA_FOLDER_UNUSABLE', 'Cannot write');
  await refused(() => vault.delete('signer:31337'), 'DATA_FOLDER_UNUSABLE');
  await refused(() => vault.setUnlocker(passphrase('new')), 'DATA_FOLDER_UNUSABLE');
  expect(vault.names()).toEqual(['signer:31337']);
});

test('after kill -9 in the middle of writing, every entry that was acknowledged is there', async () => {
  const script = `
    const { openVault } = await import(${JSON.stringify(new URL('./vault.ts', import.meta.url).href)});
    const { vaultInFile } = await import(${JSON.stringify(new URL('../store/vault-in-file.ts', import.meta.url).href)});
    const { Secret } = await import(${JSON.stringify(new URL('../base/secret.ts', import.meta.url).href)});
    const vault = openVault(vaultInFile(process.argv[1]), { scrypt: { N: 2, r: 1, p: 1 } });
    await vault.unlock({ passphrase: new Secret('correct horse') });
    const next = async (i) => {
      await vault.set('entry ' + i, new Secret('x'));
      process.stdout.write(i + '\\n', () => setImmediate(next, i + 1));
    };
    await next(1);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line);
    if (acknowledged === 25) child.kill('SIGKILL');
  }
  await exited;
  expect(acknowledged).toBeGreaterThanOrEqual(25);
  const names = new Set((await reopened()).names());
  for (let i = 1; i <= acknowledged; i += 1) expect(names).toContain(`entry ${i}`);
});

test('a vault file that vanished is there again, whole, with the next change', async () => {
  rmSync(file);
  await vault.set('another', new Secret('x'));
  expect((await reopened()).names()).toEqual(['signer:31337', 'another']);
});

test('a change is refused where the file was damaged meanwhile', async () => {
  writeFileSync(file, 'not a vault');
  await refused(() => vault.set('another', new Secret('x')), 'VAULT_DAMAGED', 'not JSON');
  expect(vault.names()).toEqual(['signer:31337']);
});

describe('engines that share a vault', () => {
  const twoEngines = async () => {
    const view = sharedVault();
    const [storage, otherStorage] = [view(), view()];
    const [one, other] = [openVault(storage, cheap), openVault(otherStorage, cheap)];
    await one.create(RIGHT);
    expect(other.state).toBe('absent');
    otherStorage.read();
    expect(other.state).toBe('locked');
    await other.unlock(RIGHT);
    return { one, other, storage, otherStorage };
  };

  test('lose nothing that another one sets at the same time', async () => {
    const { one, other, otherStorage } = await twoEngines();
    await one.set('gone', new Secret('x'));
    await Promise.all([
      one.set('a', new Secret('1')),
      other.set('b', new Secret('2')),
      one.delete('gone'),
      other.setUnlocker(passphrase('new horse')),
      one.set('c', new Secret('3')),
    ]);
    otherStorage.read();
    other.refresh();
    expect([...other.names()].sort()).toEqual(['a', 'b', 'c']);
    const third = openVault(otherStorage, cheap);
    await third.unlock(passphrase('new horse'));
    expect([...third.names()].sort()).toEqual(['a', 'b', 'c']);
  });

  test('take over what another one has set, and stay open', async () => {
    const { one, other, otherStorage } = await twoEngines();
    await one.set('a', new Secret('1'));
    other.refresh();
    expect(other.get('a')).toBeUndefined();
    otherStorage.read();
    other.refresh();
    expect([other.state, other.get('a')?.reveal()]).toEqual(['unlocked', '1']);
    expect(other.webhookSecret('w').reveal()).toBe(one.webhookSecret('w').reveal());
  });

  test('do not open by it', async () => {
    const { one, other, otherStorage } = await twoEngines();
    other.lock();
    await one.set('a', new Secret('1'));
    otherStorage.read();
    other.refresh();
    expect(other.state).toBe('locked');
  });

  test('make one vault, though both start at the same moment', async () => {
    const view = sharedVault();
    const vaults = [openVault(view(), cheap), openVault(view(), cheap)];
    const results = await Promise.allSettled(vaults.map((one) => one.create(RIGHT)));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = results.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'VAULT_LOCKED' } });
  });
});

test('with no cost given a guess at the passphrase costs 2^17', async () => {
  const costly = openVault(vaultInFile(join(dir, 'costly.json')));
  await costly.create(RIGHT);
  expect(JSON.parse(readFileSync(join(dir, 'costly.json'), 'utf8'))).toMatchObject({
    locks: { passphrase: { scrypt: { N: 131_072, r: 8, p: 1 } } },
  });
  costly.lock();
  await costly.unlock(RIGHT);
  expect(costly.state).toBe('unlocked');
});

test('a secret is one object until the content changes: what is derived from it can be kept with it', async () => {
  const before = vault.get('signer:31337');
  expect(vault.get('signer:31337')).toBe(before);
  await vault.set('signer:31337', new Secret('0x22'));
  expect(vault.get('signer:31337')).not.toBe(before);
  expect(vault.get('signer:31337')?.reveal()).toBe('0x22');
});
