import { join } from 'node:path';
import type { HDNodeWallet } from 'ethers';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { devWallet, deployWorld, fundGasTank, type WorldContracts } from '../../src/demo/world-contracts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { ACCEPTING_ACCOUNT } from './accepting-account.ts';
import { SENDER } from './account-call-data.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from './engine.ts';
import { useFixture } from './fixture.ts';
import { type TestChain, useLocalChain } from './local-chain.ts';
import { ManualClock } from './manual-clock.ts';
import { gameItems } from './operations.ts';
import { makeTempFolder, removeTempFolder } from './temp-folder.ts';

/** A local chain with contracts on it, and a desk that knows both. The clock starts with the chain's time. */
export interface SponsoredWorld {
  /** Applications keep their data here: when the engine is stopped, the desktop application finds this desk. */
  readonly home: string;
  readonly chain: TestChain;
  readonly clock: ManualClock;
  readonly engine: ServingEngine;
  readonly contracts: WorldContracts;
  /** Pays for deployments and deposits, and bundles. */
  readonly operator: HDNodeWallet;
  readonly database: string;
  /** Version 1.1.0. */
  readonly paymaster: Address;
  /** Registers a DApp of version 1.1.0 with a funding wallet of its own and `tankWei` in its tank. */
  dapp(tankWei: bigint): Promise<SponsoredDapp>;
  walletOf(dapp: SponsoredDapp): HDNodeWallet | undefined;
  /** Whitelists `mint`. */
  registerGameItems(dapp: SponsoredDapp): Promise<void>;
}

interface WorldOptions {
  readonly chain: TestChain;
  /** The data folder of the desk. */
  readonly dir: string;
  /** The URL by which the desk reaches the chain; default: the chain's own. */
  readonly rpc?: string;
  readonly flags?: Record<string, unknown>;
}

/** What every desk on a local chain starts from: contracts, an account, a signer, and a clock with the chain's time. */
export const startOnChain = async ({ chain, dir, rpc = chain.url, flags = {} }: WorldOptions) => {
  const { chainId, provider } = chain;
  const operator = devWallet(0, provider);
  const contracts = await deployWorld(operator);
  // Makes the account of `operation` exist, as far as reads can tell.
  await provider.send('anvil_setCode', [SENDER, ACCEPTING_ACCOUNT]);
  const block = await provider.getBlock('latest');
  const clock = new ManualClock((block?.timestamp ?? 0) * 1000);
  const engine = await startEngine({ dir, clock, flags });
  await engine.service.call('chains.set', { chainId, rpc });
  await engine.service.call('signers.create', { chainId });
  return { chain, clock, engine, contracts, operator, database: join(dir, 'gasdesk.db') };
};

/** Gives the tests of the calling file such a world. Call the result inside tests. */
export const useSponsoredWorld = (
  flags: Record<string, unknown> = {},
  options?: { chainId: number },
): (() => SponsoredWorld) => {
  const localChain = useLocalChain(options);
  const home = makeTempFolder();
  return useFixture<SponsoredWorld>(
    async () => {
      // The application uses this name.
      const base = await startOnChain({ chain: localChain(), dir: join(home, 'gasdesk'), flags });
      const { chain, engine, contracts, operator } = base;
      const { service } = engine;
      const { chainId } = chain;
      // Within one hour of this clock, tests sign for more than a share of small tanks.
      await service.call('chains.set', { chainId, breaker: null });
      const paymaster = await attachNewContract(service, operator, { chainId, version: '1.1.0' });
      const fundingWallets: HDNodeWallet[] = [];
      return {
        ...base,
        home,
        paymaster,
        async dapp(tankWei) {
          const fundingWallet = devWallet(100 + fundingWallets.length, chain.provider);
          fundingWallets.push(fundingWallet);
          const dapp = await engine.dapp({ chainId, fundingWallet });
          if (tankWei > 0n) await fundGasTank(paymaster, dapp.fundingWallet, tankWei, operator);
          return dapp;
        },
        walletOf: ({ fundingWallet }) => fundingWallets.find(({ address }) => address === fundingWallet),
        async registerGameItems({ paymasterId }) {
          const contract = { name: 'Game Items', address: contracts.gameItems, abi: gameItems.formatJson() };
          await service.call('contracts.create', { paymasterId, ...contract, whitelistedMethods: ['mint'] });
        },
      };
    },
    async (world) => {
      await world?.engine.stop();
      removeTempFolder(home);
    },
  );
};
