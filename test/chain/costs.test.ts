import { type HDNodeWallet, parseEther } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import { contractAt, deployContract, devWallet, fundGasTank } from '../../src/demo/world-contracts.ts';
import { costParts } from '../../src/shared/schema/cost.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperation } from '../../src/shared/schema/user-operation.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { layouts } from '../../src/core/paymaster-layouts/registry.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import { contractForm } from '../../src/core/user-operation/pack-user-operation.ts';
import { type ClientDapp, clientDapp } from '../support/client-world.ts';
import { sized } from '../support/combinations.ts';
import { type EntryPointWorld, type NewAccount, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { gameCall } from '../support/operations.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
/** Those whose contract is in a package, and 1.0.0, like which a contract of the tests behaves. */
const VERSIONS = layouts.filter((one) => one.deployment !== undefined).map(({ version }) => version);

/** Operations in a bundle. */
const USERS = 4;
const ROUNDS = sized(14, 2);

const costsOf = (paymasterId: string, by = 'method') => world().engine.service.call('costs.get', { paymasterId, by });

/** A DApp of version 1.0.0. */
const endlessDapp = async (): Promise<ClientDapp> => {
  const { engine, operator, chain, contracts } = world();
  const { chainId, provider } = chain;
  const signer = (await engine.service.call('signers.list', {})).find((one) => one.chainId === chainId)!.address;
  const paymaster = await deployContract(
    'TankPaymasterV100',
    [operator.address, contracts.entryPoint, signer],
    operator,
  );
  await engine.service.call('paymasterContracts.use', { chainId, version: '1.0.0', address: paymaster });
  const dapp = await engine.dapp({ version: '1.0.0', chainId, fundingWallet: devWallet(90, provider) });
  await fundGasTank(paymaster, dapp.fundingWallet, parseEther('1'), operator);
  const tanks = await contractAt('TankPaymasterV100', paymaster, provider);
  return {
    ...dapp,
    url: engine.url,
    paymaster,
    entryPoint: { address: contracts.entryPoint, version: '0.6' },
    tankBalance: async () => (await tanks.getFunction('getBalance')(dapp.fundingWallet)) as bigint,
  };
};

describe.each(['1.0.0', ...VERSIONS])('operations of version %s', (version) => {
  let dapp: ClientDapp;
  let chain: EntryPointWorld;
  const accounts: NewAccount[] = [];
  const owner = (): HDNodeWallet => devWallet(3, world().chain.provider);
  beforeAll(async () => {
    // The desk's clock moved while it waited for receipts.
    const now = Math.ceil(world().clock.now() / 1000) + 1;
    await world().chain.provider.send('evm_setNextBlockTimestamp', [now]);
    dapp = version === '1.0.0' ? await endlessDapp() : await clientDapp(world(), version);
    chain = await deployEntryPointWorld(world().operator, world().chain.chainId, dapp.entryPoint.version);
    for (let user = 0; user < USERS; user += 1) accounts.push(await chain.newAccount(owner(), BigInt(user)));
  });

  const sponsored = async (op: UserOperation): Promise<UserOperation> => {
    const { body } = await dapp.sponsor(toRpcUserOperation(op));
    if (!body.result?.paymasterAndData || body.result.reason !== undefined) throw new Error(JSON.stringify(body));
    return chain.sign(withPaymasterAndData(op, body.result.paymasterAndData), owner());
  };

  /** The costs once the receipts of so many operations have been read. */
  const settledCosts = async (operations: number) => {
    const read = async () => {
      await world().clock.advance(4_000);
      const { chains } = await costsOf(dapp.paymasterId);
      return chains[0];
    };
    await expect.poll(read).toMatchObject({ total: { operations, unsplitWei: '0' } });
    return (await read())!;
  };

  test('cost, in parts, exactly what the tank paid', async () => {
    const before = await dapp.tankBalance();
    const { artifact } = entryPoints[dapp.entryPoint.version].deployment;
    const entryPoint = await contractAt(artifact, dapp.entryPoint.address, world().operator);
    for (let round = 0; round < ROUNDS; round += 1) {
      const bundle: UserOperation[] = [];
      for (const [user, account] of accounts.entries()) {
        // The second user's calls revert.
        const data: Hex = user === 1 ? '0xdeadbeef' : gameCall('mint');
        const op = chain.firstOperation(account, { to: world().contracts.gameItems, data });
        const { emptyFields } = entryPoints[dapp.entryPoint.version];
        const existing = round === 0 ? {} : { factory: undefined, factoryData: undefined, ...emptyFields };
        const unsigned = { ...op, ...existing, nonce: BigInt(round) } as UserOperation;
        // Any signature of the owner's has the right form.
        bundle.push(await sponsored(await chain.sign(unsigned, owner())));
      }
      const sent = await entryPoint.getFunction('handleOps').send(bundle.map(contractForm), world().operator.address);
      await sent.wait();
    }
    const { total, groups } = await settledCosts(ROUNDS * USERS);
    const paid = before - (await dapp.tankBalance());
    expect(BigInt(total.costWei)).toBe(paid);
    // Only these EntryPoints have a penalty.
    expect(total.penaltyWei !== '0').toBe(dapp.entryPoint.version !== '0.6');
    expect([total.operations, total.reverted, total.unsplitWei]).toEqual([ROUNDS * USERS, ROUNDS, '0']);
    for (const group of [total, ...groups]) {
      expect(costParts.reduce((sum, part) => sum + BigInt(group[part]), 0n)).toBe(BigInt(group.costWei));
    }
  });
});
