import { MaxUint256, Wallet } from 'ethers';
import { isAddressEqual } from 'viem';
import type { UserOperationReceipt } from 'viem/account-abstraction';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contractAt, devWallet } from '../../src/demo/world-contracts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import type { EntryPointVersion } from '../../src/shared/schema/user-operation.ts';
import { type ClientDapp, mintCall } from '../support/client-world.ts';
import { approveCall } from '../support/fee-tokens.ts';
import type { Call } from '../support/wallets.ts';
import { families, older } from './families.ts';
import { INSTALL_MS, installFamily } from './install.ts';
import { type RunningClient, type Said, startClient } from './start-client.ts';
import { type Place, usePlaces } from './use-places.ts';
import type { Payment, Way } from './way.ts';

const places = usePlaces();

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
  const { world, bundlerUrl, token } = places();
  const { chain } = world;
  return {
    rpcUrl: chain.url,
    bundlerUrl,
    paymasterUrl: dapp.url,
    paymaster: dapp.paymaster,
    chainId: chain.chainId,
    entryPoint: dapp.entryPoint,
    factory,
    ownerKey: Wallet.createRandom().privateKey,
    call: mintCall(world),
    ...(payment === 'in a token' && { token: token.address, approval: approveCall(token, dapp.paymaster, MaxUint256) }),
  };
};

/** The account of clients that have none of their own: the factory's first of that owner. */
const simpleAccountOf = async ({ factory, ownerKey }: Task): Promise<Address> => {
  const contract = await contractAt('SimpleAccountFactory', factory, devWallet(0, places().world.chain.provider));
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
  (await places().token.contract.getFunction('balanceOf')(address)) as bigint;

/** What an operation's bundle has moved to the treasury, in the token's smallest units. */
const takenIn = ({ receipt }: UserOperationReceipt): bigint => {
  const { token, treasury } = places();
  return receipt.logs
    .filter(({ address }) => isAddressEqual(address, token.address))
    .map(({ data, topics }) => token.contract.interface.parseLog({ data, topics }))
    .filter((event) => event?.name === 'Transfer' && event.args['to'] === treasury)
    .reduce((sum, event) => sum + (event!.args['value'] as bigint), 0n);
};

/** One way of a client, on an EntryPoint, with who pays. */
interface Case extends Pick<Way, 'hidesSponsor'> {
  readonly way: string;
  readonly version: EntryPointVersion;
  readonly payment: Payment;
}

/** Has a client do its task; where an operation came of it, checks on chain who has paid. */
const send = async (client: RunningClient, { way, version, payment, hidesSponsor = false }: Case): Promise<Said> => {
  const { of, token, mined, world } = places();
  const { dapp } = of[version];
  const { paymasterId } = dapp;
  await world.engine.service.call('paymasters.setSponsor', { paymasterId, icon: null, isTold: !hidesSponsor });
  const task = await newTask(of[version], payment);
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
  const cases = Object.entries(ways).flatMap(([way, { on, paid, errors = [], hidesSponsor }]) =>
    on.flatMap((version) =>
      paid.map((payment) => {
        const error = errors.find((each) => (each.on ?? on).includes(version) && (each.paid ?? paid).includes(payment));
        return { way, version, payment, error, ...(hidesSponsor && { hidesSponsor }) };
      }),
    ),
  );

  test.each(cases.filter(({ error }) => error === undefined))(
    '$way: an operation of EntryPoint $version is mined, $payment',
    async (one) => {
      expect(await send(client, one)).not.toHaveProperty('error');
    },
  );

  test.each(cases.filter(({ error }) => error !== undefined))(
    '$way: an operation of EntryPoint $version, $payment, fails by the $error.whose: $error.why',
    async ({ error, ...one }) => {
      expect(await send(client, one)).toMatchObject({ error: expect.stringContaining(error!.error) });
    },
  );
});
