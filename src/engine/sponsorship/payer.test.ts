import { join } from 'node:path';
import { Wallet } from 'ethers';
import { expect, test } from 'vitest';
import { useTempFolders } from '../../../test/support/temp-folder.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { biconomy110 } from '../../core/paymaster-layouts/biconomy-1.1.0.ts';
import { Secret } from '../base/secret.ts';
import { signerKeyName } from '../signer/chain-signer.ts';
import { openVault } from '../signer/vault.ts';
import { vaultInFile } from '../store/vault-in-file.ts';
import { type Payer, holdsKey, isSamePayer } from './payer.ts';

const tempFolder = useTempFolders();
const chainId = 31337;
const key = new Secret<Hex>(`0x${'5e'.repeat(32)}`);
const address = (digits: string): Address => `0x${digits.repeat(20)}`;
const ready = {
  chainId,
  layout: biconomy110,
  entryPoint: address('ee'),
  contract: address('cc'),
  checked: true,
  key,
  signer: new Wallet(key.reveal()).address as Address,
  fundingWallet: address('ff'),
};
const payer: Payer = { ready, payment: undefined, rate: undefined, rpc: undefined };

test.each<[string, Partial<Payer['ready']>, boolean]>([
  ['nothing', {}, true],
  ['only that it was checked', { checked: false }, true],
  ['the contract', { contract: address('c2') }, false],
  ['the signer', { signer: address('52') }, false],
  ['the funding wallet', { fundingWallet: address('f2') }, false],
  ['the key under the same address', { key: new Secret<Hex>(`0x${'5f'.repeat(32)}`) }, false],
])('a payer of which %s has changed', (_what, changed, same) => {
  expect(isSamePayer(payer, { ...payer, ready: { ...ready, ...changed } })).toBe(same);
});

test('a key signs while the open vault holds it: not once it was replaced or the vault is locked', async () => {
  const vault = openVault(vaultInFile(join(tempFolder(), 'vault.json')), { scrypt: { N: 2, r: 1, p: 1 } });
  const passphrase = new Secret('correct horse');
  await vault.create({ passphrase });
  expect(holdsKey(vault, ready)).toBe(false);
  await vault.set(signerKeyName(chainId), key);
  expect(holdsKey(vault, ready)).toBe(true);
  vault.lock();
  expect(holdsKey(vault, ready)).toBe(false);
  await vault.unlock({ passphrase });
  await vault.set(signerKeyName(chainId), new Secret(`0x${'5f'.repeat(32)}`));
  expect(holdsKey(vault, ready)).toBe(false);
});
