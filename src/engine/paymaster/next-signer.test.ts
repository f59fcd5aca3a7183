import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { useTempFolders } from '../../../test/support/temp-folder.ts';
import { systemEntropy } from '../base/clock.ts';
import { createLog } from '../base/log.ts';
import { Secret } from '../base/secret.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { addressOf, nextSignerKeyName, signerKeyName } from '../signer/chain-signer.ts';
import { prepareNextSigner, useNextSigner } from './next-signer.ts';
import { type Vault, openVault } from '../signer/vault.ts';
import { vaultInFile } from '../store/vault-in-file.ts';

const tempFolder = useTempFolders();
const chainId = 31337;
const present = `0x${'11'.repeat(32)}`;

const failing = (): never => {
  throw new Error('the disk is full');
};

test.each([
  ['the store', (store: Store, vault: Vault) => ({ store: { ...store, saveSigner: async () => failing() }, vault })],
  ['the vault', (store: Store, vault: Vault) => ({ store, vault: { ...vault, set: failing } })],
])('where %s cannot be written, the key that signed before signs on, and the next can be used later', async (_, at) => {
  const dir = tempFolder();
  const store = openSqliteStore(join(dir, 'gasdesk.db'), {
    clock: new ManualClock(),
    log: createLog({ level: 'silent' }),
  });
  const vault = openVault(vaultInFile(join(dir, 'vault.json')), { scrypt: { N: 2, r: 1, p: 1 } });
  const rpc = () => Promise.reject(new Error('there is no contract to ask about'));
  try {
    await vault.create({ passphrase: new Secret('correct horse') });
    await vault.set(signerKeyName(chainId), new Secret(present));
    await store.saveSigner({ chainId, address: addressOf(present) });
    const next = await prepareNextSigner({ store, vault, entropy: systemEntropy }, chainId);
    const signs = async () => [
      (await store.findSigner(chainId))?.address,
      addressOf(vault.get(signerKeyName(chainId))?.reveal() ?? ''),
    ];

    await expect(useNextSigner({ ...at(store, vault), rpc }, chainId)).rejects.toThrow('the disk is full');
    expect(await signs()).toEqual([addressOf(present), addressOf(present)]);

    expect(await useNextSigner({ store, vault, rpc }, chainId)).toEqual(next);
    expect(await signs()).toEqual([next.address, next.address]);
    expect(vault.get(nextSignerKeyName(chainId))).toBeUndefined();
  } finally {
    await store.close();
  }
});
