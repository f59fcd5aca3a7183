import { MaxUint256, Wallet } from 'ethers';
import { type Hex, createPublicClient, http, isAddressEqual } from 'viem';
import { type UserOperationReceipt, createBundlerClient } from 'viem/account-abstraction';
import { localhost } from 'viem/chains';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { contractAt, deployContract, deployEntryPoint, devWallet } from '../../src/demo/world-contracts.ts';
import { allEntryPoints, entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { type EntryPointVersion, entryPointVersion } from '../../src/shared/schema/user-operation.ts';
import { useAlto } from '../support/alto.ts';
import { type ClientDapp, clientDapp, mintCall } from '../support/client-world.ts';
import { accountFactories } from '../support/entry-point-world.ts';
import { type PaidToken, approveCall, deployFeeTokens } from '../support/fee-tokens.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import type { Call } from '../support/wallets.ts';
import { type Payment, families, older } from './families.ts';
import { installFamily } from './install.ts';
import { type RunningClient, type Said, startClient } from './start-client.ts';

/** How long an install may take: some SDKs bring half a gigabyte. */
const INSTALL_MS = 10 * PATIENCE_MS;

/** The one local chain id on the lists of Safe and thirdweb. */
const world = useSponsoredWorld({}, { chainId: 1337 });
beforeAll(async () => {
  for (const version of entryPointVersion.options) await deployEntryPoint(world().operator, version);
});
const alto = useAlto(
  () => world().chain,
  () => allEntryPoints.map(({ address }) => address),
);

/** What the clients of an EntryPoint meet. */
interface Place {
  readonly dapp: ClientDapp;
  readonly factory: Address;
}
const places = {} as Record<EntryPointVersion, Place>;
const treasury = Wallet.createRandom().address as Address;
let token: PaidToken;
beforeAll(async () => {
  const { chain, engine, operator } = world();
  await engine.service.call('chains.set', { chainId: chain.chainId, rpc: chain.url, bundler: alto().url, treasury });
  token = (await deployFeeTokens(world())).static;
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
  const block = await world().chain.provider.getBlock('latest');
  await world().clock.advance(block!.timestamp * 1000 - world().clock.now());
});

/** What a client is to do, as its program reads it. */
interface Task {
  readonly rpcUrl: string;
  readonly bundlerUrl: string;
  readonly paymasterUrl: string;
  readonly paymaster: Address;
  readonly chainId: number;
  readonly entryPoint: ClientDapp['entryPoint'];
  readonly factory: Address;
  readonly ownerKey: string;
  readonly call: Call;
  /** The token that pays, and the approval that it wants before the call. */
  readonly token?: Address;
  readonly approval?: Call;
}

const taskOf = ({ dapp, factory }: Place, payment: Payment): Task => {
  const { chain } = world();
  return {
    rpcUrl: chain.url,
    bundlerUrl: alto().url,
    paymasterUrl: dapp.url,
    paymaster: dapp.paymaster,
    chainId: chain.chainId,
    entryPoint: dapp.entryPoint,
    factory,
    ownerKey: Wallet.createRandom().privateKey,
    call: mintCall(world()),
    ...(payment === 'in a token' && { token: token.address, approval: approveCall(token, dapp.paymaster, MaxUint256) }),
  };
};

/** The account of clients that have none of their own: the factory's first of that owner. */
const simpleAccountOf = async ({ factory, ownerKey }: Task): Promise<Address> => {
  const contract = await contractAt('SimpleAccountFactory', factory, devWallet(0, world().chain.provider));
  return (await contract.getFunction('getAddress')(new Wallet(ownerKey).address, 0)) as Address;
};

/**
 * A task for an owner of its own. viem 2.17 has its `eth_call` return the account's address as the code of a contract,
 * and such code must not begin with 0xef (EIP-3541): one owner in 256 would fail by that alone.
 */
const newTask = async (place: Parameters<typeof taskOf>[0], payment: Payment): Promise<Task> => {
  for (;;) {
    const task = taskOf(place, payment);
    if (!(await simpleAccountOf(task)).toLowerCase().startsWith('0xef')) return task;
  }
};

const balanceOf = async (address: Address): Promise<bigint> =>
  (await token.contract.getFunction('balanceOf')(address)) as bigint;

/** What an operation's bundle has moved to the treasury, in the token's smallest units. */
const takenIn = ({ receipt }: UserOperationReceipt): bigint =>
  receipt.logs
    .filter(({ address }) => isAddressEqual(address, token.address))
    .map(({ data, topics }) => token.contract.interface.parseLog({ data, topics }))
    .filter((event) => event?.name === 'Transfer' && event.args['to'] === treasury)
    .reduce((sum, event) => sum + (event!.args['value'] as bigint), 0n);

const mined = (hash: Hex): Promise<UserOperationReceipt> => {
  const client = createPublicClient({ chain: localhost, transport: http(world().chain.url) });
  const bundler = createBundlerClient({ client, transport: http(alto().url), pollingInterval: 100 });
  return bundler.waitForUserOperationReceipt({ hash });
};

/** Has a client do its task; where an operation came of it, checks on chain who has paid. */
const send = async (
  client: RunningClient,
  way: string,
  version: EntryPointVersion,
  payment: Payment,
): Promise<Said> => {
  const { dapp } = places[version];
  const task = await newTask(places[version], payment);
  const account = (await client.accountOf(way, task)) ?? (await simpleAccountOf(task));
  if (payment === 'in a token') await token.give(account);
  const before = { tankBalance: await dapp.tankBalance(), units: await balanceOf(account) };
  const said = await client.send(way, task);
  if (said.userOpHash === undefined) return said;

  const receipt = await mined(said.userOpHash);
  expect(receipt).toMatchObject({ success: true, sender: account });
  expect(receipt.paymaster?.toLowerCase()).toBe(dapp.paymaster.toLowerCase());
  expect(before.tankBalance - (await dapp.tankBalance())).toBe(receipt.actualGasCost);
  const paid = before.units - (await balanceOf(account));
  expect(takenIn(receipt)).toBe(paid);
  expect(paid > 0n).toBe(payment === 'in a token');
  const [decision] = await dapp.decisions();
  expect(decision).toMatchObject({ outcome: 'sponsored', userOpHash: said.userOpHash });
  return said;
};

/** vitest's --mode says which are to run. */
const chosen = Object.entries(families).filter(
  ([family]) => process.env['MODE'] !== 'newest' || !older.includes(family),
);

describe.each(chosen)('%s', (family, ways) => {
  let client: RunningClient;
  beforeAll(async () => {
    client = startClient(await installFamily(family));
  }, INSTALL_MS);
  afterAll(() => client.stop());
  const cases = Object.entries(ways).flatMap(([way, { on, paid, errors = [] }]) =>
    on.flatMap((version) =>
      paid.map((payment) => {
        const error = errors.find((each) => each.on.includes(version) && each.paid.includes(payment));
        return { way, version, payment, error };
      }),
    ),
  );

  test.each(cases.filter(({ error }) => error === undefined))(
    '$way: an operation of EntryPoint $version is mined, $payment',
    async ({ way, version, payment }) => {
      expect(await send(client, way, version, payment)).not.toHaveProperty('error');
    },
  );

  test.each(cases.filter(({ error }) => error !== undefined))(
    '$way: an operation of EntryPoint $version, $payment, fails by the $error.whose: $error.why',
    async ({ way, version, payment, error }) => {
      expect(await send(client, way, version, payment)).toMatchObject({ error: expect.stringContaining(error!.error) });
    },
  );
});
