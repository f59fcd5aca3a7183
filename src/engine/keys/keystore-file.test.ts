import { Wallet, decryptKeystoreJson, encryptKeystoreJson } from 'ethers';
import { describe, expect, it } from 'vitest';
import { systemEntropy } from '../base/clock.ts';
import { addressOf, decryptKeystore, encryptKeystore, readKeystore } from './keystore-file.ts';

const COST = { N: 1024, r: 8, p: 1 };
const PRIVATE_KEY = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d';

const specified = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
};

const opened = async (text: string, password: string): Promise<string> =>
  (await decryptKeystore(readKeystore(text).file, password)).toString('hex');

describe('a keystore that was made elsewhere', () => {
  it('opens: that of the specification, by pbkdf2', async () => {
    const text = JSON.stringify(specified);
    expect(await opened(text, 'testpassword')).toBe(PRIVATE_KEY);
    await expect(opened(text, 'testpassworc')).rejects.toMatchObject({ code: 'KEYSTORE_PASSWORD_WRONG' });
  });

  it('opens: that of ethers, with a phrase in it and a password that keyboards compose differently', async () => {
    const wallet = Wallet.createRandom();
    const account = {
      address: wallet.address,
      privateKey: wallet.privateKey,
      mnemonic: { entropy: '0x' + '11'.repeat(16) },
    };
    const text = await encryptKeystoreJson(account, 'Caf\u0065\u0301 ﬁ', { scrypt: COST });
    expect(`0x${await opened(text, 'Caf\u00e9 fi')}`).toBe(wallet.privateKey);
  });

  it('opens: one whose password was taken as it was typed, as geth does', async () => {
    const key = Buffer.from(PRIVATE_KEY, 'hex');
    // The file was encrypted with the normalised form of this password, so it opens only if that form is tried.
    const json = await encryptKeystore(key, 'fi', COST, systemEntropy);
    expect(await opened(JSON.stringify(json), 'ﬁ')).toBe(PRIVATE_KEY);
  });
});

it('a keystore made here opens elsewhere', async () => {
  const wallet = Wallet.createRandom();
  const key = Buffer.from(wallet.privateKey.slice(2), 'hex');
  const text = JSON.stringify(await encryptKeystore(key, 'Café ﬁ', COST, systemEntropy));
  expect(await decryptKeystoreJson(text, 'Café ﬁ')).toMatchObject({
    address: wallet.address,
    privateKey: wallet.privateKey,
  });
  expect(addressOf(key)).toBe(wallet.address);
});

describe('refused before anything is derived, though it would take the machine down, or open nothing:', () => {
  const changed = (crypto: object, kdfparams: object = {}): string => {
    const params = { ...specified.crypto.kdfparams, ...kdfparams };
    return JSON.stringify({ ...specified, crypto: { ...specified.crypto, kdfparams: params, ...crypto } });
  };
  const scrypt = (kdfparams: object): string => changed({ kdf: 'scrypt' }, { n: 4096, r: 8, p: 1, ...kdfparams });
  it('(as they are, both derivations are read)', () => {
    expect(readKeystore(changed({})).file.crypto.kdf).toBe('pbkdf2');
    expect(readKeystore(scrypt({})).file.crypto.kdf).toBe('scrypt');
  });
  it.each([
    ['no JSON', 'keystore', /not JSON/],
    ['a list', '[]', /not a JSON object/],
    ['null', 'null', /not a JSON object/],
    ['another version', JSON.stringify({ ...specified, version: 1 }), /version: /],
    ['nothing encrypted', JSON.stringify({ version: 3 }), /crypto: /],
    ['4 GiB of memory', scrypt({ n: 2 ** 22 }), /too much time or memory/],
    ['memory by r', scrypt({ n: 2, r: 2 ** 26 }), /too much time or memory/],
    ['hours by p', scrypt({ p: 2 ** 20 }), /too much time or memory/],
    ['numbers beyond all', scrypt({ n: 2 ** 60, r: 2 ** 52 }), /kdfparams.n: /],
    ['what scrypt does not allow', scrypt({ n: 2 ** 18, r: 1, p: 8 }), /too large for this r/],
    ['no power of two', scrypt({ n: 1000 }), /power of two/],
    ['a negative cost', scrypt({ n: -2 }), /kdfparams.n: /],
    ['a billion rounds', changed({}, { c: 1_000_000_000 }), /too much time/],
    ['another hash', changed({}, { prf: 'hmac-md5' }), /kdfparams.prf: /],
    ['an unknown derivation', changed({ kdf: 'argon2' }), /crypto.kdf: /],
    ['another cipher', changed({ cipher: 'aes-128-ecb' }), /crypto.cipher: /],
    ['a longer key', changed({ ciphertext: 'ab'.repeat(33) }), /must have 32 bytes/],
    ['a short vector', changed({ cipherparams: { iv: 'ab' } }), /must have 16 bytes/],
    ['no hex', changed({ mac: 'zz'.repeat(32) }), /must be hex/],
  ])('%s', (_what, text, why) => {
    const refused = { code: 'KEYSTORE_INVALID', message: expect.stringMatching(why) };
    expect(() => readKeystore(text)).toThrow(expect.objectContaining(refused));
  });
});
