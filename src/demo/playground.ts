import type { Address } from '../shared/schema/hex.ts';
import { type Bundler, createBundler } from './bundler.ts';
import { type DemoClock, createDemoClock } from './demo-clock.ts';
import { TANK_WEI, operatorSwitches } from './operator-switches.ts';
import {
  type PlaygroundScene,
  type PlaygroundState,
  type SentVoucher,
  type SwitchName,
  switchNames,
} from './playground-scene.ts';
import { type Stage, narrateStory } from './stage.ts';
import type { Story } from './story.ts';
import { type Traffic, createTraffic } from './traffic.ts';
import { openVoucherOffice } from './voucher-office.ts';
import { fundDeposit, fundGasTank } from './world-contracts.ts';

const FAUCET_UNITS = 10_000_000n;

export interface Playground {
  readonly bundler: Bundler;
  /** Does not change until the playground is reset. */
  readonly scene: PlaygroundScene;
  readonly isVerified: boolean;
  state(): PlaygroundState;
  newestDecision(sender: Address): Promise<string | undefined>;
  flip(name: SwitchName, on: boolean): Promise<void>;
  /** Starts or stops the traffic of other users. */
  setTraffic(on: boolean): Promise<void>;
  /** Moves the time of the chain and of Gasdesk forward. */
  forward(seconds: number): Promise<void>;
  /** Vouches for a person as the DApp's backend does. */
  voucherFor(subject: string, sender: Address): SentVoucher;
  /** Gives tokens to an account, so that it can pay with them. */
  giveTokens(to: Address): Promise<void>;
  end(): Promise<void>;
}

export interface PlaygroundPlace {
  readonly origin: string;
  readonly webhookUrl: string;
}

/** Sets up the DApp's webhook, which the playground serves, and funds hours of operations. */
const furnish = async ({ world, dapp, shop }: Stage, webhookUrl: string): Promise<string> => {
  const { engine, contracts, cast } = world;
  const { service } = engine;
  const all = await service.call('paymasters.list', {});
  const paymasterId = all.find(({ apiKey }) => apiKey === dapp.apiKey)?.paymasterId ?? '';
  for (const { webhookId } of await service.call('webhooks.list', { paymasterId })) {
    await service.call('webhooks.delete', { paymasterId, webhookId });
  }
  await service.call('webhooks.create', { paymasterId, webhookUrl, requestType: 'POST' });
  await fundGasTank(dapp.paymaster, cast.fundingWallet.address as Address, TANK_WEI, cast.operator);
  await fundDeposit(contracts.entryPoint, shop.dapp.paymaster, TANK_WEI, cast.operator);
  return paymasterId;
};

const sceneOf = ({ world, dapp, shop }: Stage): PlaygroundScene => ({
  chainId: world.chain.chainId,
  chainUrl: world.chain.url,
  deskUrl: world.url,
  consoleUrl: `${world.url}/console/`,
  operatorToken: world.engine.operatorToken.reveal(),
  contracts: world.contracts,
  apiKey: dapp.apiKey,
  shop: { apiKey: shop.dapp.apiKey, paymaster: shop.dapp.paymaster, token: shop.tokenAddress },
});

const play = async (stage: Stage, clock: DemoClock, webhookUrl: string): Promise<Playground> => {
  const { engine, provider } = stage.world;
  const paymasterId = await furnish(stage, webhookUrl);
  const bundler = createBundler(stage.world);
  const traffic: Traffic = createTraffic(stage, bundler, clock);
  const on = new Set<SwitchName>();
  const switches = operatorSwitches(stage, paymasterId);
  const { chainId } = stage.world.chain;
  const office = await openVoucherOffice(engine, { chainId, paymasterId });
  return {
    bundler,
    scene: sceneOf(stage),
    get isVerified() {
      return !on.has('webhook');
    },
    state: () => ({
      deskUrl: stage.world.url,
      now: clock.now(),
      traffic: traffic.isOn,
      on: switchNames.filter((name) => on.has(name)),
    }),
    async newestDecision(sender) {
      const [newest] = await engine.service.call('decisions.list', { sender, limit: 1 });
      return newest?.id;
    },
    async flip(name, wanted) {
      if (on.has(name) === wanted) return;
      await switches[name](wanted);
      if (wanted) on.add(name);
      else on.delete(name);
    },
    async setTraffic(wanted) {
      if (wanted) traffic.start();
      else await traffic.stop();
    },
    async forward(seconds) {
      await provider.send('evm_increaseTime', [seconds]);
      await provider.send('evm_mine', []);
      clock.forward(seconds * 1000);
    },
    voucherFor: (subject, sender) => office.sign(subject, sender, clock.now()),
    async giveTokens(to) {
      await (await stage.shop.token.getFunction('mint').send(to, FAUCET_UNITS)).wait();
    },
    async end() {
      await traffic.stop();
      await stage.end();
    },
  };
};

/** Plays the story, and opens the result to visitors. @throws Error if a step fails */
export const openPlayground = async (story: Story, { origin, webhookUrl }: PlaygroundPlace): Promise<Playground> => {
  const clock = createDemoClock();
  const stage = await narrateStory(story, { clock, consoleFramedBy: origin });
  try {
    return await play(stage, clock, webhookUrl);
  } catch (error) {
    await stage.end();
    throw error;
  }
};
