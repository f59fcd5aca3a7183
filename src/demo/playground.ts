import { callsWords } from '../api/call-words.ts';
import type { Address } from '../shared/schema/hex.ts';
import { type Bundler, createBundler } from './bundler.ts';
import { gameCall } from './game-items.ts';
import { narrateMined } from './requests.ts';
import { simpleAccount } from './simple-account.ts';
import { type DemoClock, createDemoClock } from './demo-clock.ts';
import { AMPLE_WEI, LOW_WEI, TANK_WEI, operatorSwitches } from './operator-switches.ts';
import {
  type DecisionWithFix,
  type PlaygroundScene,
  type PlaygroundState,
  type SentVoucher,
  type SwitchName,
  switchNames,
} from './playground-scene.ts';
import { type Fixes, createFixes } from './fixes.ts';
import { type Stage, prepareStage } from './stage.ts';
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
  /** The newest decision of a sender, or of all. */
  newestDecision(sender?: Address): Promise<string | undefined>;
  decision(decisionId: string): Promise<DecisionWithFix>;
  /** Changes, as the operator would, what denied an operation. */
  fix(decisionId: string): Promise<void>;
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

/** Before a visitor comes, one user has minted: no page is empty. */
const mintOnce = async (stage: Stage): Promise<void> => {
  const { contracts, cast, provider } = stage.world;
  const account = await simpleAccount(contracts.accountFactory, cast.player, 0n, provider);
  const calls = [gameCall(stage.world, 'mint', 1n)] as const;
  await narrateMined(stage.world, { dapp: stage.dapp, account, calls }, 'Gasdesk sponsors the operation');
};

/** Sets up the DApp's webhook, which the playground serves, and funds both DApps. */
const furnish = async (stage: Stage, webhookUrl: string): Promise<string> => {
  const { world, dapp, shop } = stage;
  const { engine, contracts, cast } = world;
  const { service } = engine;
  const all = await service.call('paymasters.list', {});
  const paymasterId = all.find(({ apiKey }) => apiKey === dapp.apiKey)?.paymasterId ?? '';
  await fundGasTank(dapp.paymaster, cast.fundingWallet.address as Address, TANK_WEI, cast.operator);
  // The webhook does not answer before the playground is open.
  await mintOnce(stage);
  await service.call('webhooks.create', { paymasterId, webhookUrl, requestType: 'POST' });
  await fundDeposit(contracts.entryPoint, shop.dapp.paymaster, AMPLE_WEI, cast.operator);
  await service.call('tanks.setThreshold', { paymasterId, lowBalanceThresholdWei: String(LOW_WEI) });
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
  tank: { paymaster: dapp.paymaster, owner: world.cast.fundingWallet.address as Address },
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
  const flip = async (name: SwitchName, wanted: boolean): Promise<void> => {
    if (on.has(name) === wanted) return;
    await switches[name](wanted);
    if (wanted) on.add(name);
    else on.delete(name);
  };
  const giveTokens = async (to: Address): Promise<void> => {
    await (await stage.shop.token.getFunction('mint').send(to, FAUCET_UNITS)).wait();
  };
  const fixes: Fixes = createFixes({ service: engine.service, paymasterId, flip, giveTokens });
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
      const [newest] = await engine.service.call('decisions.list', { ...(sender && { sender }), limit: 1 });
      return newest?.id;
    },
    async decision(decisionId) {
      const [decision, { calls }] = await Promise.all([
        engine.service.call('decisions.show', { decisionId }),
        engine.service.call('decisions.calls', { decisionId }),
      ]);
      return { decision, calls: callsWords(calls), fix: fixes.verbOf(decision) ?? null };
    },
    fix: async (decisionId) => fixes.apply(await engine.service.call('decisions.show', { decisionId })),
    flip,
    async setTraffic(wanted) {
      if (!wanted) return traffic.stop();
      const { dapp, world } = stage;
      await fundGasTank(dapp.paymaster, world.cast.fundingWallet.address as Address, AMPLE_WEI, world.cast.operator);
      traffic.start();
    },
    async forward(seconds) {
      await provider.send('evm_increaseTime', [seconds]);
      await provider.send('evm_mine', []);
      clock.forward(seconds * 1000);
    },
    voucherFor: (subject, sender) => office.sign(subject, sender, clock.now()),
    giveTokens,
    async end() {
      await traffic.stop();
      await stage.end();
    },
  };
};

/** Prepares a stage, and opens it to visitors. @throws Error if a step fails */
export const openPlayground = async ({ origin, webhookUrl }: PlaygroundPlace): Promise<Playground> => {
  const clock = createDemoClock();
  const stage = await prepareStage({ clock, consoleFramedBy: origin });
  try {
    return await play(stage, clock, webhookUrl);
  } catch (error) {
    await stage.end();
    throw error;
  }
};
