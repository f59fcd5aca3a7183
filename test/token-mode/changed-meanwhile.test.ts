import { MaxUint256, parseEther } from 'ethers';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { partialOperation, simpleAccount } from '../../src/demo/simple-account.ts';
import { devWallet, fundDeposit } from '../../src/demo/world-contracts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { type PaidToken, approveCall, deployFeeTokens } from '../support/fee-tokens.ts';
import { duringRequest } from '../support/meanwhile.ts';
import { GAS, gameCall } from '../support/operations.ts';
import type { RpcReply } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
const version = 'singleton-0.6';
let token: PaidToken;
let contract: Address;
beforeAll(async () => {
  const { chain, contracts, engine, operator } = world();
  token = (await deployFeeTokens(world())).static;
  contract = await attachNewContract(engine.service, operator, { chainId: chain.chainId, version });
  await fundDeposit(contracts.entryPoint, contract, parseEther('1'), operator);
});

const setToken = (tokensPerCoin: string): Promise<unknown> =>
  world().engine.service.call('feeTokens.set', {
    chainId: world().chain.chainId,
    address: token.address,
    symbol: 'USDT',
    decimals: 6,
    premium: '0',
    preFund: false,
    rate: { source: 'static', tokensPerCoin },
  });
beforeEach(() => setToken('3000'));

let salt = 0n;
/** Has a new user ask to pay in the token, and changes something while the node is asked whether that can be done. */
const pay = async (change: () => Promise<unknown>): Promise<RpcReply> => {
  const { chain, contracts, engine } = world();
  const owner = devWallet(3, chain.provider);
  const account = await simpleAccount(contracts.accountFactory, owner, (salt += 1n), chain.provider);
  await token.give(account.address);
  const mint = { to: contracts.gameItems, data: gameCall('mint') };
  const calls = [approveCall(token, contract, MaxUint256), mint] as const;
  const partial = await partialOperation(account, calls, contracts.entryPoint, chain.provider);
  const options = { mode: 'ERC20', tokenInfo: { feeTokenAddress: token.address } };
  const waiting = duringRequest(world, (method) => method === 'eth_getBlockByNumber', options);
  return waiting(await engine.dapp({ version }), change, { ...partial, ...GAS });
};
const rateOf = ({ body }: RpcReply): bigint[] => {
  expect([body.error, body.result?.reason]).toEqual([undefined, undefined]);
  const data = body.result!.paymasterAndData.slice(2);
  return [3_000_000_000n, 6_000_000_000n].filter((rate) => data.includes(rate.toString(16).padStart(64, '0')));
};

test('a new treasury gets the tokens', async () => {
  const treasury = devWallet(77, world().chain.provider).address;
  const { chainId } = world().chain;
  const { body } = await pay(() => world().engine.service.call('chains.set', { chainId, treasury }));
  expect(body.error).toBeUndefined();
  expect(body.result?.paymasterAndData).toContain(treasury.slice(2).toLowerCase());
});

test('a new rate is the one the user pays', async () => {
  expect(rateOf(await pay(() => setToken('6000')))).toEqual([6_000_000_000n]);
});

test('a change of something else leaves the rate as it is', async () => {
  const { chainId } = world().chain;
  const rename = () => world().engine.service.call('chains.set', { chainId, name: 'Home' });
  expect(rateOf(await pay(rename))).toEqual([3_000_000_000n]);
});

test('a token that is no longer taken pays for nothing', async () => {
  const { chainId } = world().chain;
  const remove = () => world().engine.service.call('feeTokens.remove', { chainId, address: token.address });
  const { status, body } = await pay(remove);
  expect([status, body.error?.code]).toEqual([400, -32057]);
});
