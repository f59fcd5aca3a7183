import type { HDNodeWallet } from 'ethers';
import { expect } from 'vitest';
import { contractAt, devWallet } from '../../src/demo/world-contracts.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { contractForm } from '../../src/core/user-operation/pack-user-operation.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import type { Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperation } from '../../src/shared/schema/user-operation.ts';
import type { ClientDapp } from './client-world.ts';
import { deployEntryPointWorld } from './entry-point-world.ts';
import { gameCall } from './operations.ts';
import type { SponsoredWorld } from './sponsored-world.ts';

/** Bundles of a DApp's operations, one for each of its users. */
export interface SponsoredBundles {
  /** Has the desk sponsor one more operation for each user, and mines all of them in one transaction. */
  mineOne(): Promise<void>;
  /** The costs by method, once the receipts of so many operations have been read. */
  settledCosts(operations: number): ReturnType<typeof costsByMethod>;
}

const costsByMethod = async ({ engine }: SponsoredWorld, { paymasterId }: ClientDapp) => {
  const [costs] = (await engine.service.call('costs.get', { paymasterId, by: 'method' })).chains;
  if (costs === undefined) throw new Error('No operation was mined');
  return costs;
};

/**
 * Prepares bundles, and brings the desk's clock and the chain's time together.
 *
 * @param methods - of the game that users call, by user; other users mint. A call of an unknown method reverts
 */
export const sponsoredBundles = async (
  world: SponsoredWorld,
  dapp: ClientDapp,
  users: number,
  methods: readonly ('mint' | 'unknown')[] = ['mint', 'unknown'],
): Promise<SponsoredBundles> => {
  const { chain, clock, contracts, operator } = world;
  const aheadMs = ((await chain.provider.getBlock('latest'))?.timestamp ?? 0) * 1000 - clock.now();
  if (aheadMs > 0) await clock.advance(aheadMs);
  else await chain.provider.send('evm_setNextBlockTimestamp', [Math.ceil(clock.now() / 1000) + 1]);
  const owner: HDNodeWallet = devWallet(3, chain.provider);
  const { address, version } = dapp.entryPoint;
  const place = await deployEntryPointWorld(operator, chain.chainId, version);
  const entryPoint = await contractAt(entryPoints[version].deployment.artifact, address, operator);
  const accounts = await Promise.all(Array.from({ length: users }, (_, user) => place.newAccount(owner, BigInt(user))));
  let round = 0n;

  const sponsored = async (op: UserOperation): Promise<UserOperation> => {
    // Any signature of the owner's has the right form.
    const { body } = await dapp.sponsor(toRpcUserOperation(await place.sign(op, owner)));
    if (!body.result?.paymasterAndData || body.result.reason !== undefined) throw new Error(JSON.stringify(body));
    return place.sign(withPaymasterAndData(op, body.result.paymasterAndData), owner);
  };

  return {
    async mineOne() {
      const bundle: UserOperation[] = [];
      for (const [user, account] of accounts.entries()) {
        const data: Hex = methods[user] === 'unknown' ? '0xdeadbeef' : gameCall('mint');
        const first = place.firstOperation(account, { to: contracts.gameItems, data });
        const { emptyFields } = entryPoints[version];
        const existing = round === 0n ? {} : { factory: undefined, factoryData: undefined, ...emptyFields };
        bundle.push(await sponsored({ ...first, ...existing, nonce: round } as UserOperation));
      }
      round += 1n;
      const sent = await entryPoint.getFunction('handleOps').send(bundle.map(contractForm), operator.address);
      await sent.wait();
    },
    async settledCosts(operations) {
      const read = async () => {
        await clock.advance(4_000);
        return costsByMethod(world, dapp).catch(() => undefined);
      };
      await expect.poll(read).toMatchObject({ total: { operations, unsplitWei: '0' } });
      return costsByMethod(world, dapp);
    },
  };
};
