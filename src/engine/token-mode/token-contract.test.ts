import { expect, test } from 'vitest';
import type { Address } from '../../shared/schema/hex.ts';
import { requireTokenContract } from './token-contract.ts';

const CONTRACT: Address = `0x${'cc'.repeat(20)}`;
const SIGNER: Address = `0x${'51'.repeat(20)}`;
const TREASURY: Address = `0x${'7e'.repeat(20)}`;
const TOKEN_PAYMASTER: Address = `0x${'9a'.repeat(20)}`;

const chainWith = (settings: { treasury?: Address; tokenPaymaster?: Address }) => ({
  findChain: async (chainId: number) => ({
    ...{ chainId, name: null, symbol: null, rpc: null, bundler: null, treasury: null, tokenPaymaster: null },
    ...settings,
  }),
});
const unknownChain = { findChain: async () => undefined };
const attached = (version: string) => ({ chainId: 5, version, contract: CONTRACT, signer: SIGNER });

test.each(['singleton-0.6', 'singleton-0.7', 'singleton-0.8'])('%s takes the tokens itself', async (version) => {
  const own = { kind: version, address: CONTRACT };
  expect(await requireTokenContract(unknownChain, attached(version))).toEqual({ ...own, treasury: SIGNER });
  const set = chainWith({ treasury: TREASURY });
  expect(await requireTokenContract(set, attached(version))).toEqual({ ...own, treasury: TREASURY });
});

test('1.1.0 takes tokens through the token paymaster of its chain, and through nothing else', async () => {
  const set = chainWith({ tokenPaymaster: TOKEN_PAYMASTER });
  expect(await requireTokenContract(set, attached('1.1.0'))).toMatchObject({
    kind: 'biconomy-token-0.6',
    address: TOKEN_PAYMASTER,
  });
  await expect(requireTokenContract(unknownChain, attached('1.1.0'))).rejects.toMatchObject({
    code: 'PAYMASTER_NOT_READY',
    data: { missing: 'tokenPaymaster', fix: 'Run "gasdesk chain set 5 --token-paymaster 0x…".' },
  });
});

test.each(['1.0.0', '2.0.0', 'verifying-0.6', 'verifying-0.7', 'toString'])(
  '%s has no token mode, and says so',
  async (version) => {
    const error = { code: 'PAYMASTER_NOT_READY', data: { missing: 'tokenMode' } };
    await expect(requireTokenContract(unknownChain, attached(version))).rejects.toMatchObject(error);
  },
);
