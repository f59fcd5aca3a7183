import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { loadArtifact } from './artifacts.ts';

test('a checkout that was never built says which command to run', async () => {
  await expect(loadArtifact('EntryPoint', tmpdir())).rejects.toThrow('run npm run build:contracts');
});

test('the storage slot of the gas tanks is known, so that simulation can fill one', async () => {
  const { storage, source } = await loadArtifact('VerifyingSingletonPaymaster');
  expect(storage?.['paymasterIdBalances']).toBe(3);
  expect(source).toBe('@biconomy-devx/account-contracts-v2@1.0.1');
});
