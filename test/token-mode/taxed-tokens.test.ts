import { MaxUint256, parseEther, toQuantity } from 'ethers';
import { expect, test } from 'vitest';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { contractAt, deployContract, devWallet, fundDeposit } from '../../src/demo/world-contracts.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { deployEntryPointWorld } from '../support/entry-point-world.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();

test('a token that keeps a part of each transfer is refused, but not one that keeps nothing, nor a treasury that pays itself', async () => {
  const { engine, operator } = world();
  const { chainId, provider, url } = world().chain;
  const treasury = devWallet(7, provider);
  const version = 'singleton-0.7';
  const chain = await deployEntryPointWorld(operator, chainId, '0.7');
  const paymaster = await attachNewContract(engine.service, operator, { chainId, version });
  await fundDeposit(chain.entryPoint, paymaster, parseEther('10'), operator);
  await engine.service.call('chains.set', { chainId, rpc: url, treasury: treasury.address });
  const dapp = await engine.dapp({ version });

  const send = async (contract: Awaited<ReturnType<typeof contractAt>>, method: string, ...args: unknown[]) => {
    await (await contract.getFunction(method).send(...args)).wait();
  };
  /** The code of the denial of an operation that is paid for in the token; undefined if it is signed. */
  const denialOf = async (token: Address, preFund: boolean, isTreasury = false): Promise<unknown> => {
    const definition = { chainId, address: token, symbol: 'TAX', decimals: 6, premium: '0', preFund };
    const rate = { source: 'static', tokensPerCoin: '3000' } as const;
    await engine.service.call('feeTokens.set', { ...definition, rate });
    const account = await chain.newAccount(operator, preFund ? 1n : 2n);
    if (isTreasury) await engine.service.call('chains.set', { chainId, treasury: account.address });
    await send(await contractAt('TestToken', token, operator), 'mint', account.address, 10n ** 12n);
    await send(await contractAt('TestToken', token, treasury), 'approve', paymaster, MaxUint256);
    // As an account that is there already would approve: a prefund is taken before the operation runs.
    await provider.send('anvil_impersonateAccount', [account.address]);
    await provider.send('anvil_setBalance', [account.address, toQuantity(parseEther('1'))]);
    await send(
      await contractAt('TestToken', token, await provider.getSigner(account.address)),
      'approve',
      paymaster,
      MaxUint256,
    );
    await provider.send('anvil_setNonce', [account.address, '0x0']);
    const signature: Hex = `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`;
    const op = { ...chain.firstOperation(account, { to: token, data: '0x18160ddd' }), signature };
    const { body } = await dapp.sponsor(toRpcUserOperation(op), {
      mode: 'ERC20',
      tokenInfo: { feeTokenAddress: token },
    });
    expect(body.error ?? body.result?.paymasterAndData).not.toBe('0x');
    return body.error?.data?.['code'];
  };

  const taxed = await deployContract('TaxedToken', ['TAX', 6], operator);
  const plain = await deployContract('TestToken', ['TAX', 6], operator);
  for (const preFund of [true, false]) {
    expect([preFund, await denialOf(taxed, preFund)]).toEqual([preFund, 'TOKEN_TRANSFER_REFUSED']);
    expect([preFund, await denialOf(plain, preFund)]).toEqual([preFund, undefined]);
  }
  expect(await denialOf(plain, true, true)).toBeUndefined();
});
