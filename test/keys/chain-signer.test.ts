import { join } from 'node:path';
import { Wallet } from 'ethers';
import { afterEach, expect, test } from 'vitest';
import { useTempFolders } from '../support/temp-folder.ts';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../../src/engine/index.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { nextSignerKeyName, signerKeyName } from '../../src/engine/signer/chain-signer.ts';
import { openVault } from '../../src/engine/signer/vault.ts';
import { vaultInFile } from '../../src/engine/store/vault-in-file.ts';

const scrypt = { N: 2, r: 1, p: 1 };
const tempFolder = useTempFolders();
const passphrase = new Secret('correct horse');
const chainId = 31337;

let engine: Engine | undefined;
afterEach(async () => {
  await engine?.stop();
});

const start = async (dir: string): Promise<Engine['service']> => {
  const log = createLog({ level: 'silent' });
  engine = await createEngine({ folder: openDataFolder(dir), config: loadConfig({}), log, passphrase, scrypt });
  return engine.service;
};

test('a signing key is not lost to a second "create" or "import" that does not say so', async () => {
  const service = await start(tempFolder());
  const first = await service.call('signers.create', { chainId });
  const { privateKey, address } = Wallet.createRandom();
  const refused = { code: 'SIGNER_EXISTS', message: expect.stringContaining(first.address) };
  await expect(service.call('signers.create', { chainId })).rejects.toMatchObject(refused);
  await expect(service.call('signers.import', { chainId, privateKey })).rejects.toMatchObject(refused);
  expect(await service.call('signers.list', {})).toEqual([first]);
  await service.call('signers.import', { chainId, privateKey, replace: true });
  expect(await service.call('signers.list', {})).toEqual([{ chainId, address }]);
});

test('a crash between the key and its record does not leave the desk signing for another address', async () => {
  const dir = tempFolder();
  await (await start(dir)).call('signers.create', { chainId });
  await engine?.stop();
  const { privateKey, address } = Wallet.createRandom();
  const vault = openVault(vaultInFile(join(dir, 'vault.json')), { scrypt });
  await vault.unlock({ passphrase });
  await vault.set(signerKeyName(chainId), new Secret(privateKey));
  vault.lock();
  expect(await (await start(dir)).call('signers.list', {})).toEqual([{ chainId, address }]);
});

test('a crash in the middle of a change of keys leaves the desk signing with the new one, and none prepared', async () => {
  const dir = tempFolder();
  await (await start(dir)).call('signers.create', { chainId });
  const { address } = await engine!.service.call('signers.prepareNext', { chainId });
  await engine?.stop();
  const vault = openVault(vaultInFile(join(dir, 'vault.json')), { scrypt });
  await vault.unlock({ passphrase });
  await vault.set(signerKeyName(chainId), vault.get(nextSignerKeyName(chainId))!);
  vault.lock();
  const service = await start(dir);
  expect(await service.call('signers.list', {})).toEqual([{ chainId, address }]);
  expect((await service.call('signers.prepareNext', { chainId })).address).not.toBe(address);
});

test('a prepared key is used once, and not at all once it is dropped', async () => {
  const service = await start(tempFolder());
  await expect(service.call('signers.prepareNext', { chainId })).rejects.toMatchObject({ code: 'SIGNER_MISSING' });
  await service.call('signers.create', { chainId });
  await service.call('signers.prepareNext', { chainId });
  await service.call('signers.dropNext', { chainId });
  await expect(service.call('signers.useNext', { chainId })).rejects.toMatchObject({ code: 'SIGNER_MISSING' });
  const { address } = await service.call('signers.prepareNext', { chainId });
  expect(await service.call('signers.useNext', { chainId })).toEqual({ chainId, address });
  await expect(service.call('signers.useNext', { chainId })).rejects.toMatchObject({ code: 'SIGNER_MISSING' });
  expect(await service.call('signers.list', {})).toEqual([{ chainId, address }]);
});
