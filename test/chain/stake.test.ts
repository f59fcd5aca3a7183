import { dataSlice, parseEther, toQuantity } from 'ethers';
import { expect, test } from 'vitest';
import { finishOperation, simpleAccount } from '../../src/demo/simple-account.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { contractAt, devWallet } from '../../src/demo/world-contracts.ts';
import type { UserOperationV06 } from '../../src/shared/schema/user-operation.ts';
import { useOperatorDesk } from '../support/operator-desk.ts';
import { gameCall, operation } from '../support/operations.ts';

const desk = useOperatorDesk();
const DAY = 86_400;
const TO = `0x${'77'.repeat(20)}` as const;

test.each(['verifying-0.6', '1.1.0'])(
  'the owner of %s stakes, unlocks, waits and gets the stake back',
  async (version) => {
    await desk().attach(version);
    const { operator, chain } = desk();
    const target = { chainId: chain.chainId, version };
    const reputation = () => desk().engine().service.call('reputation.get', target);
    expect(await reputation()).toMatchObject({ stakeWei: '0', isStaked: false, status: 'good', bundlers: [] });
    const unlock = { kind: 'unlockStake', ...target } as const;
    await expect(desk().prepare(unlock, operator)).rejects.toMatchObject({ code: 'TRANSACTION_WOULD_FAIL' });

    const amountWei = String(parseEther('2'));
    const stranger = await desk().rich();
    await expect(desk().prepare({ kind: 'addStake', ...target, amountWei }, stranger)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      message: expect.stringContaining('owner'),
    });
    const staked = await desk().send({ kind: 'addStake', ...target, amountWei }, operator);
    expect(await desk().now(staked)).toMatchObject({ state: 'mined', outcome: 'The stake is at the EntryPoint.' });
    expect(await reputation()).toMatchObject({ stakeWei: amountWei, isStaked: true, unstakeDelaySec: DAY });

    const withdraw = { kind: 'withdrawStake', ...target, to: TO } as const;
    await expect(desk().prepare(withdraw, operator)).rejects.toMatchObject({
      message: expect.stringContaining('Unlock the stake'),
    });
    await desk().send(unlock, operator);
    expect(await reputation()).toMatchObject({ isStaked: false, withdrawableAt: expect.any(Number) });
    await expect(desk().prepare(withdraw, operator)).rejects.toMatchObject({ code: 'TRANSACTION_WOULD_FAIL' });
    await chain.provider.send('evm_increaseTime', [toQuantity(DAY + 1)]);
    await chain.provider.send('anvil_mine', ['0x1']);
    const before = await chain.provider.getBalance(TO);
    await desk().send(withdraw, operator);
    expect(await chain.provider.getBalance(TO)).toBe(before + parseEther('2'));
    expect(await reputation()).toMatchObject({ stakeWei: '0', withdrawableAt: null });
  },
);

const withoutEntryPoint = async (run: (address: string) => Promise<void>): Promise<void> => {
  const { provider } = desk().chain;
  const { address } = entryPoints['0.6'];
  const code = await provider.getCode(address);
  await provider.send('anvil_setCode', [address, '0x']);
  try {
    await run(address);
  } finally {
    await provider.send('anvil_setCode', [address, code]);
  }
};

test('a contract whose EntryPoint is gone is named, with what to do', async () => {
  await desk().attach('verifying-0.6');
  const target = { chainId: desk().chain.chainId, version: 'verifying-0.6' };
  await withoutEntryPoint(async () => {
    const reputation = () => desk().engine().service.call('reputation.get', target);
    const stake = () => desk().prepare({ kind: 'addStake', ...target, amountWei: '1' }, desk().operator);
    for (const refused of [reputation, stake]) {
      await expect(refused()).rejects.toMatchObject({
        code: 'CONTRACT_MISMATCH',
        message: expect.stringContaining('there is no EntryPoint'),
      });
    }
  });
});

test.each(['1.1.0', 'verifying-0.6'])(
  'without its EntryPoint, %s is neither deployed nor attached',
  async (version) => {
    const address = await desk().attach(version);
    const { chainId } = desk().chain;
    await withoutEntryPoint(async (entryPoint) => {
      const missing = `EntryPoint 0.6 (${entryPoint}) is not deployed on chain ${chainId}.`;
      await expect(desk().prepare({ kind: 'deploy', chainId, version }, desk().operator)).rejects.toMatchObject({
        code: 'TRANSACTION_WOULD_FAIL',
        message: missing,
      });
      const use = desk().engine().service.call('paymasterContracts.use', { chainId, version, address });
      await expect(use).rejects.toMatchObject({ code: 'CONTRACT_MISMATCH', message: expect.stringContaining(missing) });
    });
  },
);

test('the operator sees which bundlers include the operations of a contract, most first, and of no other contract', async () => {
  const { chain, clock, contracts, operator, engine } = desk();
  // The chain's time may be days ahead. No timer runs for these days.
  const { timestamp } = (await chain.provider.getBlock('latest'))!;
  clock.setBack(Math.min(0, clock.now() - timestamp * 1_000));
  // Its signatures do not depend on the order of a sender's operations, so several fit into one bundle.
  const version = 'singleton-0.6';
  await desk().attach(version);
  const account = await simpleAccount(contracts.accountFactory, devWallet(3, chain.provider), 11n, chain.provider);
  await (
    await operator.sendTransaction({ to: contracts.accountFactory, data: dataSlice(account.initCode, 20) })
  ).wait();
  const amountWei = String(parseEther('1'));
  const dapp = await desk().dapp(version);
  await desk().send({ kind: 'deposit', paymasterId: dapp.paymasterId, amountWei }, dapp.wallet);
  const onChain = { chainId: chain.chainId, entryPoint: contracts.entryPoint };
  let key = 0n;
  const signed = async (): Promise<UserOperationV06> => {
    const nonce = toQuantity((key += 1n) << 64n);
    const partial = operation({ to: contracts.gameItems, data: gameCall('mint') }, { sender: account.address, nonce });
    const { body } = await dapp.sponsor(partial);
    expect(body.result?.reason).toBeUndefined();
    return finishOperation(account, partial as Record<string, string>, body.result!, onChain);
  };
  const include = async (bundler: number, count: number): Promise<number> => {
    const wallet = devWallet(bundler, chain.provider);
    const ops = [];
    for (let made = 0; made < count; made += 1) ops.push(await signed());
    const entryPoint = await contractAt('EntryPoint', contracts.entryPoint, wallet);
    const sent = await entryPoint.getFunction('handleOps').send(ops, wallet.address);
    return (await sent.wait())!.blockNumber;
  };
  const [one, other] = [devWallet(8, chain.provider), devWallet(9, chain.provider)];
  await include(8, 1);
  const lastOfOther = await include(9, 3);
  const lastOfOne = await include(8, 1);
  const seen = (contract: string) =>
    engine().service.call('reputation.get', { chainId: chain.chainId, version: contract });
  expect((await seen(version)).bundlers).toEqual([
    { bundler: other.address.toLowerCase(), operations: 3, lastBlock: lastOfOther },
    { bundler: one.address.toLowerCase(), operations: 2, lastBlock: lastOfOne },
  ]);
  await desk().attach('1.1.0');
  expect((await seen('1.1.0')).bundlers).toEqual([]);

  // The newest 2,000 blocks are read.
  await chain.provider.send('anvil_mine', [toQuantity(lastOfOther + 2_000 - (await chain.provider.getBlockNumber()))]);
  expect((await seen(version)).bundlers).toEqual([
    { bundler: one.address.toLowerCase(), operations: 1, lastBlock: lastOfOne },
  ]);
});
