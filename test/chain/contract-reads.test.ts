import { beforeAll, describe, expect, it } from 'vitest';
import { deployEntryPoint, devWallet, fundDeposit, fundGasTank } from '../../src/demo/world-contracts.ts';
import { deployLayout } from '../support/deploy-layout.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { operationV06, vectorCases } from '../support/vectors.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { biconomy110 } from '../../src/core/paymaster-layouts/biconomy-1.1.0.ts';
import {
  readBalance,
  readSenderNonce,
  readSigner,
  verifyPaymasterContract,
} from '../../src/engine/paymaster/contract-reads.ts';
import type { EthCall } from '../../src/engine/paymaster/contract-reads.ts';
import type { SponsorshipTerms } from '../../src/core/paymaster-layouts/layout.ts';
import { verifying06 } from '../../src/core/paymaster-layouts/verifying-0.6.ts';

const NOBODY: Address = `0x${'99'.repeat(20)}`;
const FUNDING_WALLET: Address = `0x${'22'.repeat(20)}`;
const answering =
  (answer: Hex): EthCall =>
  () =>
    Promise.resolve(answer);

describe('a deployed paymaster', () => {
  const chain = useLocalChain();
  let entryPoint: Address;
  let signer: Address;
  let tankPaymaster: Address;
  let depositPaymaster: Address;
  const call: EthCall = async (to, data) => (await chain().provider.call({ to, data })) as Hex;

  beforeAll(async () => {
    const { provider } = chain();
    const owner = await provider.getSigner(0);
    signer = devWallet(5, provider).address as Address;
    entryPoint = await deployEntryPoint(owner);
    tankPaymaster = await deployLayout(biconomy110, signer, owner);
    depositPaymaster = await deployLayout(verifying06, signer, owner);
    await fundGasTank(tankPaymaster, FUNDING_WALLET, 5n, owner);
    await fundDeposit(entryPoint, depositPaymaster, 7n, owner);
  });

  const deployed = [
    { layout: biconomy110, other: verifying06, at: () => tankPaymaster, balance: 5n },
    { layout: verifying06, other: biconomy110, at: () => depositPaymaster, balance: 7n },
  ];

  it.each(deployed)('is cleared for signing when it is what it should be: $layout.version', async ({ layout, at }) => {
    const check = await verifyPaymasterContract(call, layout, { chainId: chain().chainId, paymaster: at(), signer });
    expect(check).toEqual({
      matches: true,
      hash: { local: check.hash.contract, contract: check.hash.contract },
      signer: { vault: signer, contract: signer.toLowerCase() },
    });
    expect(check.hash.contract).toMatch(/^0x[0-9a-f]{64}$/);
  });

  it.each(deployed)('is not signed for with a key it does not know: $layout.version', async ({ layout, at }) => {
    const target = { chainId: chain().chainId, paymaster: at(), signer: NOBODY };
    const { matches, signer: signers } = await verifyPaymasterContract(call, layout, target);
    expect(matches).toBe(false);
    expect(signers).toEqual({ vault: NOBODY, contract: signer.toLowerCase() });
  });

  it.each(deployed)('is not signed for with the wrong chain id: $layout.version', async ({ layout, at }) => {
    const { matches, hash } = await verifyPaymasterContract(call, layout, { chainId: 1, paymaster: at(), signer });
    expect(matches).toBe(false);
    expect(hash.local).not.toBe(hash.contract);
  });

  it.each(deployed)('of another kind than $other.version says so by reverting', async ({ other, at }) => {
    const target = { chainId: chain().chainId, paymaster: at(), signer };
    await expect(verifyPaymasterContract(call, other, target)).rejects.toThrow(/revert/);
  });

  it.each(deployed)('pays out of what it has, no other number: $layout.version', async ({ layout, at, balance }) => {
    const terms = { paymaster: at(), fundingWallet: FUNDING_WALLET };
    expect(await readBalance(call, layout, terms, entryPoint)).toBe(balance);
  });

  it('has an empty tank for a wallet that never paid in', async () => {
    const terms = { paymaster: tankPaymaster, fundingWallet: NOBODY };
    expect(await readBalance(call, biconomy110, terms, entryPoint)).toBe(0n);
  });

  it('counts from zero for a sender it has not seen', async () => {
    expect(await readSenderNonce(call, depositPaymaster, NOBODY)).toBe(0n);
  });

  it.each(deployed)('agrees on the hash of operations of any shape: $layout.version', async ({ layout, at }) => {
    const terms: SponsorshipTerms = {
      chainId: chain().chainId,
      paymaster: at(),
      validUntil: 2 ** 48 - 1,
      validAfter: 0,
      fundingWallet: FUNDING_WALLET,
      senderNonce: 0n,
    };
    for (const vector of vectorCases('userop-hash').filter(({ entryPointVersion }) => entryPointVersion === '0.6')) {
      const op = operationV06(vector);
      expect(await call(at(), layout.getHashCall(op, terms)), vector.id).toBe(layout.hash(op, terms));
    }
  });

  it('that is not there is a mismatch with both values, not an error', async () => {
    const target = { chainId: chain().chainId, paymaster: NOBODY, signer };
    const check = await verifyPaymasterContract(call, biconomy110, target);
    expect(check.matches).toBe(false);
    expect(check.hash.contract).toBe('0x');
    expect(check.signer).toEqual({ vault: signer, contract: '0x' });
  });

  it('that is not there has no balance, not an empty one', async () => {
    const terms = { paymaster: NOBODY, fundingWallet: FUNDING_WALLET };
    await expect(readBalance(call, biconomy110, terms, entryPoint)).rejects.toThrow(/getBalance/);
    await expect(readBalance(call, verifying06, terms, NOBODY)).rejects.toThrow(/balanceOf/);
    await expect(readSenderNonce(call, NOBODY, NOBODY)).rejects.toThrow(/senderNonce/);
  });
});

describe('answers of a chain', () => {
  it('are read exactly: the largest senderNonce and balance', async () => {
    const largest: Hex = `0x${'ff'.repeat(32)}`;
    expect(await readSenderNonce(answering(largest), NOBODY, NOBODY)).toBe(2n ** 256n - 1n);
    expect(await readBalance(answering(largest), verifying06, { paymaster: NOBODY }, NOBODY)).toBe(2n ** 256n - 1n);
  });

  it('that are no address are shown as they came', async () => {
    const number: Hex = `0x01${'00'.repeat(31)}`;
    expect(await readSigner(answering(number), verifying06, NOBODY, NOBODY)).toBe(number);
  });

  it('of megabytes are shown by their beginning', async () => {
    const endless: Hex = `0x${'ab'.repeat(1_000_000)}`;
    const target = { chainId: 1, paymaster: NOBODY, signer: NOBODY };
    const { matches, hash, signer } = await verifyPaymasterContract(answering(endless), verifying06, target);
    expect([matches, hash.contract, signer.contract]).toEqual([false, endless.slice(0, 100), endless.slice(0, 100)]);
  });

  it('are waited for: a chain that cannot be reached is not a mismatch', async () => {
    const down: EthCall = () => Promise.reject(new Error('connect ECONNREFUSED'));
    const target = { chainId: 1, paymaster: NOBODY, signer: NOBODY };
    await expect(verifyPaymasterContract(down, verifying06, target)).rejects.toThrow('ECONNREFUSED');
  });
});
