import { Wallet } from 'ethers';
import { type Hex, createPublicClient, http } from 'viem';
import { type UserOperationReceipt, createBundlerClient } from 'viem/account-abstraction';
import { localhost } from 'viem/chains';
import { beforeAll, beforeEach } from 'vitest';
import { allEntryPoints, entryPoints } from '../../src/core/entry-points/registry.ts';
import { deployContract, deployEntryPoint } from '../../src/demo/world-contracts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { type EntryPointVersion, entryPointVersion } from '../../src/shared/schema/user-operation.ts';
import { useAlto } from '../support/alto.ts';
import { type ClientDapp, clientDapp } from '../support/client-world.ts';
import { accountFactories } from '../support/entry-point-world.ts';
import { type PaidToken, deployFeeTokens } from '../support/fee-tokens.ts';
import { type SponsoredWorld, useSponsoredWorld } from '../support/sponsored-world.ts';

/** What the clients of an EntryPoint meet: a DApp that whitelists `mint` and deployments, and SimpleAccount's factory. */
export interface Place {
  readonly dapp: ClientDapp;
  readonly factory: Address;
}

export interface Places {
  readonly world: SponsoredWorld;
  readonly bundlerUrl: string;
  readonly of: Readonly<Record<EntryPointVersion, Place>>;
  /** A token that pays, and where it goes. */
  readonly token: PaidToken;
  readonly treasury: Address;
  /** The receipt of an operation, once it is mined. */
  mined(hash: Hex): Promise<UserOperationReceipt>;
}

/** Gives the tests of the calling file a chain, a bundler and a desk with a DApp for each EntryPoint. */
export const usePlaces = (): (() => Places) => {
  // The one local chain id on the lists of Safe and thirdweb.
  const world = useSponsoredWorld({}, { chainId: 1337 });
  beforeAll(async () => {
    for (const version of entryPointVersion.options) await deployEntryPoint(world().operator, version);
  });
  const alto = useAlto(
    () => world().chain,
    () => allEntryPoints.map(({ address }) => address),
  );

  const places = {} as Record<EntryPointVersion, Place>;
  const treasury = Wallet.createRandom().address as Address;
  let token: PaidToken;
  beforeAll(async () => {
    const { chain, engine, operator } = world();
    // Some clients have one URL for paymaster and bundler.
    const bundler = { bundler: alto().url, forwardBundler: 'own' };
    await engine.service.call('chains.set', { chainId: chain.chainId, rpc: chain.url, ...bundler, treasury });
    token = (await deployFeeTokens(world())).static;
    // The first transfer to a treasury needs more gas, which a bundler's estimate for a client that drops the limits that
    // Gasdesk answers does not find.
    await token.give(treasury);
    for (const version of entryPointVersion.options) {
      const factory = await deployContract(accountFactories[version], [entryPoints[version].address], operator);
      const dapp = await clientDapp(world(), `singleton-${version}`);
      await world().registerGameItems(dapp);
      const rule = { name: 'Deployments', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
      await engine.service.call('rules.create', { paymasterId: dapp.paymasterId, rule });
      places[version] = { dapp, factory };
    }
  });

  // The chain follows the machine's time.
  beforeEach(async () => {
    const { chain, clock } = world();
    const { timestamp } = (await chain.provider.getBlock('latest')) ?? { timestamp: 0 };
    await clock.advance(timestamp * 1000 - clock.now());
  });

  const mined = (hash: Hex): Promise<UserOperationReceipt> => {
    const client = createPublicClient({ chain: localhost, transport: http(world().chain.url) });
    const bundler = createBundlerClient({ client, transport: http(alto().url), pollingInterval: 100 });
    return bundler.waitForUserOperationReceipt({ hash });
  };
  return () => ({ world: world(), bundlerUrl: alto().url, of: places, token, treasury, mined });
};
