import { setTimeout as sleep } from 'node:timers/promises';
import { Wallet, parseEther } from 'ethers';
import { approval } from '../../src/demo/fee-token.ts';
import type { Dapp } from '../../src/demo/dapp.ts';
import { deskClient } from '../../src/demo/desk-client.ts';
import { gameCall } from '../../src/demo/game-items.ts';
import { startLocalChain } from '../../src/demo/local-chain.ts';
import { narrateMined } from '../../src/demo/requests.ts';
import { type SimpleAccount, simpleAccount } from '../../src/demo/simple-account.ts';
import { narrateSponsorship } from '../../src/demo/sponsored-story.ts';
import { createStory } from '../../src/demo/story.ts';
import { narrateTokenPayment } from '../../src/demo/token-story.ts';
import type { World } from '../../src/demo/world.ts';
import { deployWorld, devWallet, fundDeposit, fundGasTank, localProvider } from '../../src/demo/world-contracts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import type { BusyDesk } from './busy-desk.ts';

/** Users whose operations are mined, and a chain that takes blocks back. */
export interface ChainUsers {
  /** One operation sponsored, one paid in a token; both are mined and settled. */
  transact(): Promise<void>;
  /** Takes the newest blocks back, and waits until the desk reserves again what was mined in them. */
  reorganise(): Promise<void>;
  stop(): Promise<void>;
}

const TURN_MS = 100;
const MAX_TURNS = 600;
/** Enough for every round. */
const FUNDS_WEI = parseEther('50');

const until = async (isSo: () => Promise<boolean>, what: string): Promise<void> => {
  for (let turn = 0; !(await isSo()); turn += 1) {
    if (turn === MAX_TURNS) throw new Error(`In vain waited until ${what}`);
    await sleep(TURN_MS);
  }
};

/** Plays the demo's story at a desk, in which every rule denies an operation, and continues from there. */
export const startChainUsers = async ({ url, call }: BusyDesk): Promise<ChainUsers> => {
  const chain = await startLocalChain();
  const provider = localProvider(chain.url, chain.chainId);
  const [operator, bundler, fundingWallet, player, treasury] = [0, 1, 2, 3, 4].map((key) => devWallet(key, provider));
  if (!operator || !bundler || !fundingWallet || !player || !treasury) throw new Error('anvil funds ten keys');
  const contracts = await deployWorld(operator);
  const cast = { operator, bundler, fundingWallet, player, treasury };
  const world: World = {
    chain,
    provider,
    cast,
    contracts,
    url,
    desk: deskClient(url),
    story: createStory(() => undefined),
    // The story asks the desk for nothing else.
    engine: { service: { call } } as unknown as World['engine'],
  };
  const { dapp, account } = await narrateSponsorship(world);
  const { dapp: shop, token, tokenAddress } = await narrateTokenPayment(world, account);
  const all = await call('paymasters.list', {});
  const paymasterId = all.find(({ apiKey }) => apiKey === dapp.apiKey)?.paymasterId ?? '';
  // The story's webhook is gone by now.
  for (const { webhookId } of await call('webhooks.list', { paymasterId })) {
    await call('webhooks.delete', { paymasterId, webhookId });
  }
  const policyData = {
    type: 'PAYMASTER' as const,
    thresholdType: 'NATIVE_ASSET' as const,
    threshold: 40,
    cycleDuration: { value: 1, unit: 'day' as const },
  };
  await call('rules.create', { paymasterId, rule: { name: 'A day', policyType: 'PAYMASTER_SA_LIMIT', policyData } });
  await fundGasTank(dapp.paymaster, fundingWallet.address as Address, FUNDS_WEI, operator);
  await fundDeposit(contracts.entryPoint, shop.paymaster, FUNDS_WEI, operator);

  const newUser = (): Promise<SimpleAccount> =>
    simpleAccount(contracts.accountFactory, Wallet.createRandom(provider), 0n, provider);
  const settlementOf = async ({ address }: SimpleAccount): Promise<string | null | undefined> =>
    (await call('decisions.list', { sender: address, limit: 1 }))[0]?.settlement;
  const settled = (user: SimpleAccount, state: string): Promise<void> =>
    until(async () => (await settlementOf(user)) === state, `an operation is ${state}`);

  const mint = async (payer: Dapp, user: SimpleAccount): Promise<void> => {
    const call = gameCall(world, 'mint', 1n);
    if (payer === dapp) {
      await narrateMined(world, { dapp, account: user, calls: [call] }, 'it is sponsored');
      return;
    }
    const units = 10_000_000n;
    await (await token.getFunction('mint').send(user.address, units)).wait();
    const options = { mode: 'ERC20', tokenInfo: { feeTokenAddress: tokenAddress } };
    const calls = [approval(tokenAddress, shop.paymaster, units), call] as const;
    await narrateMined(world, { dapp: shop, account: user, calls, options }, 'it is paid in the token');
  };

  return {
    async transact() {
      for (const payer of [dapp, shop]) {
        const user = await newUser();
        await mint(payer, user);
        await settled(user, 'settled');
      }
    },
    async reorganise() {
      const user = await newUser();
      await mint(dapp, user);
      await settled(user, 'settled');
      await provider.send('anvil_reorg', [1, []]);
      await provider.send('anvil_mine', ['0x2']);
      await settled(user, 'reserved');
    },
    async stop() {
      provider.destroy();
      await chain.stop();
    },
  };
};
