import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { loadArtifact } from './artifacts.ts';

test('a checkout that was never built says which command to run', async () => {
  await expect(loadArtifact('EntryPoint', tmpdir())).rejects.toThrow('run npm run build:contracts');
});

test('an artifact says of which package it was made', async () => {
  const { source } = await loadArtifact('VerifyingSingletonPaymaster');
  expect(source).toBe('@biconomy-devx/account-contracts-v2@1.0.1');
});
