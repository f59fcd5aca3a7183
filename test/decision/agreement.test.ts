import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Wallet } from 'ethers';
import { beforeEach, describe, expect, test } from 'vitest';
import { contractAt, fundGasTank } from '../../src/demo/world-contracts.ts';
import { biconomy110 } from '../../src/core/paymaster-layouts/biconomy-1.1.0.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { deployLayout } from '../support/deploy-layout.ts';
import { type Answer, passTo, withNode } from '../support/odd-node.ts';
import { RESERVED_WEI, gameCall, operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
const [signer, otherSigner] = [`0x${'51'.repeat(32)}`, `0x${'52'.repeat(32)}`].map((key) => new Wallet(key));
const target = { chainId: 31337, version: '1.1.0' };

let dapp: SponsoredDapp;
/** A contract of the signer, attached, with money in the DApp's tank. */
let contract: Address;
beforeEach(async () => {
  await world().engine.service.call('chains.set', { chainId: 31337, rpc: world().chain.url });
  await useSigner(signer!);
  contract = await deploy(signer!);
  await use(contract);
  dapp = await world().dapp(0n);
  await fundGasTank(contract, dapp.fundingWallet, 100n * RESERVED_WEI, world().operator);
});

const useSigner = ({ privateKey }: Wallet): Promise<unknown> =>
  world().engine.service.call('signers.import', { chainId: 31337, privateKey, replace: true });
const use = (address: Address): Promise<unknown> =>
  world().engine.service.call('paymasterContracts.use', { ...target, address });
const deploy = ({ address }: Wallet): Promise<Address> => deployLayout(biconomy110, address, world().operator);
const attached = async () => (await world().engine.service.call('paymasterContracts.list', {}))[0];
const ask = (): Promise<RpcReply> =>
  dapp.sponsor(operation({ to: world().contracts.gameItems, data: gameCall('mint') }));
const expectSponsoredBy = ({ status, body }: RpcReply, address: Address): void =>
  expect([status, body.result?.paymasterAndData.slice(0, 42)]).toEqual([200, address.toLowerCase()]);
const expectRefused = async ({ status, body }: RpcReply, ...words: string[]): Promise<void> => {
  expect([status, body.result, body.error?.code]).toEqual([400, undefined, -32052]);
  // The command that adds it (behaviour 3.1).
  expect(body.error?.data?.['fix']).toMatch(/"gasdesk contract use --chain 31337 --version 1\.1\.0 --address 0x…"/);
  expect(body.error?.message).toContain(body.error?.data?.['fix']);
  for (const word of words) expect(body.error?.message).toContain(word);
  expect((await dapp.decisions())[0]).toMatchObject({
    outcome: 'error',
    code: 'CONTRACT_MISMATCH',
    paymasterAndData: '0x',
  });
};

describe('a contract that does not agree with the desk', () => {
  test.each<[string, () => Promise<Address>, RegExp]>([
    [
      'of another signer',
      () => deploy(otherSigner!),
      new RegExp(`its signer is ${otherSigner!.address}.*vault's is ${signer!.address}`, 'i'),
    ],
    [
      'that is another contract',
      async () => world().contracts.gameItems,
      /does not answer like one|hashes a sample operation to/,
    ],
    [
      'that is the EntryPoint',
      async () => world().contracts.entryPoint,
      /does not answer like one|hashes a sample operation to/,
    ],
    [
      'that is no contract',
      async () => world().operator.address as Address,
      /hashes a sample operation to 0x, but Gasdesk to 0x[0-9a-f]{64}/,
    ],
  ])('%s is not attached; both values are reported and the previous one stays', async (_, addressOf, words) => {
    const before = await attached();
    const address = await addressOf();
    await expect(use(address)).rejects.toMatchObject({
      code: 'CONTRACT_MISMATCH',
      message: expect.stringMatching(words),
    });
    await expect(use(address)).rejects.toMatchObject({ message: expect.stringContaining(address) });
    expect(await attached()).toEqual(before);
    expectSponsoredBy(await ask(), contract);
  });

  test('that is gone since it was verified: the DApp learns what to do about it', async () => {
    const { chain } = world();
    const code = await chain.provider.getCode(contract);
    await chain.provider.send('anvil_setCode', [contract, '0x']);
    await expectRefused(await ask(), contract, 'gave no number for getBalance: 0x');
    await chain.provider.send('anvil_setCode', [contract, code]);
    expectSponsoredBy(await ask(), contract);
  });

  test('that was attached unseen is looked at before anything is signed for it', async () => {
    const { chain, engine } = world();
    await engine.service.call('chains.remove', { chainId: 31337, force: true });
    const stranger = await deploy(otherSigner!);
    await use(stranger);
    expect(await attached()).toMatchObject({ address: stranger, checked: false });
    await engine.service.call('chains.set', { chainId: 31337, rpc: chain.url });
    const reply = await ask();
    await expectRefused(reply, otherSigner!.address.toLowerCase(), signer!.address);
    expect(reply.body.error?.data).toMatchObject({
      signer: { vault: signer!.address, contract: otherSigner!.address.toLowerCase() },
      hash: { local: expect.stringMatching(/^0x/), contract: expect.stringMatching(/^0x/) },
    });
    expect(await attached()).toMatchObject({ checked: false });
  });

  test('that agreed but is gone, since the chain was restarted, is no bug of ours', async () => {
    expectSponsoredBy(await ask(), contract);
    await world().chain.provider.send('anvil_setCode', [contract, '0x']);
    await expectRefused(await ask(), contract);
  });
});

describe('a signer that changes after the contract was attached', () => {
  test('is held against the contract again: refused, until the key is back', async () => {
    expect(await attached()).toMatchObject({ checked: true });
    await useSigner(otherSigner!);
    expect(await attached()).toMatchObject({ checked: false });
    await expectRefused(await ask(), signer!.address.toLowerCase(), otherSigner!.address);
    await useSigner(signer!);
    expectSponsoredBy(await ask(), contract);
    expect(await attached()).toMatchObject({ checked: true });
  });

  test('or until the contract knows it', async () => {
    await useSigner(otherSigner!);
    const sent = await (
      await contractAt('VerifyingSingletonPaymaster', contract, world().operator)
    )
      .getFunction('setSigner')
      .send(otherSigner!.address);
    await sent.wait();
    expectSponsoredBy(await ask(), contract);
  });
});

test('what the operator attaches while the chain is asked about the one before stays attached, and is signed for', async () => {
  const next = await deploy(signer!);
  await fundGasTank(next, dapp.fundingWallet, 100n * RESERVED_WEI, world().operator);
  await useSigner(signer!); // unchecks the contract
  await withSlowNode(async (url, asked, release) => {
    await world().engine.service.call('chains.set', { chainId: 31337, rpc: url });
    const reply = ask();
    await asked;
    await world().engine.service.call('chains.set', { chainId: 31337, rpc: world().chain.url });
    await use(next);
    release();
    expectSponsoredBy(await reply, next);
  });
  expect(await attached()).toMatchObject({ address: next, checked: true });
});

test('a rule that is changed while the chain is asked applies to the operation that is waiting', async () => {
  await world().registerGameItems(dapp);
  const { paymasterId } = dapp;
  const { service } = world().engine;
  const [rule] = await service.call('rules.list', { paymasterId });
  await withSlowNode(async (url, asked, release) => {
    await service.call('chains.set', { chainId: 31337, rpc: url });
    const reply = ask();
    await asked; // for the balance of the tank: gas is given, and the contract was checked before
    await service.call('rules.deactivate', { paymasterId, ruleId: rule!._id });
    release();
    expect((await reply).body.result).toMatchObject({ paymasterAndData: '0x', reason: { code: 'CONTRACT_PAUSED' } });
  });
});

test('a URL that was given for two chains serves the one it is of', async () => {
  const { engine, chain } = world();
  const { service } = engine;
  let isAway = true;
  const node: Answer = (response, ...request) =>
    isAway ? void response.destroy() : passTo(chain.url)(response, ...request);
  await withNode(node, async (rpc) => {
    await service.call('chains.set', { chainId: 137, rpc });
    isAway = false;
    await service.call('chains.set', { chainId: 31337, rpc });
    expectSponsoredBy(await ask(), contract);
    await service.call('signers.import', { chainId: 137, privateKey: signer!.privateKey, replace: true });
    const attaching = service.call('paymasterContracts.use', { chainId: 137, version: '1.1.0', address: contract });
    await expect(attaching).rejects.toMatchObject({
      code: 'PAYMASTER_NOT_READY',
      message: expect.stringMatching(/137 belongs to chain 31337/),
    });
  });
});

/** Runs with a node that passes everything on to the chain, but `eth_call` only when released. */
const withSlowNode = async (
  run: (url: string, asked: Promise<unknown>, release: () => void) => Promise<void>,
): Promise<void> => {
  const { promise: asked, resolve: noteAsked } = Promise.withResolvers<undefined>();
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  const node = world().chain.url;
  const server = createServer((request, response) => {
    const pass = async (): Promise<void> => {
      const body = Buffer.concat(await request.toArray()).toString();
      if (body.includes('eth_call')) {
        noteAsked(undefined);
        await released;
      }
      const answer = await fetch(node, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      response.end(await answer.text());
    };
    void pass();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, () => release(undefined));
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

test('after doctor found that the contract obeys another signer, nothing more is signed for it', async () => {
  expectSponsoredBy(await ask(), contract);
  const owned = await contractAt('VerifyingSingletonPaymaster', contract, world().operator);
  await (await owned.getFunction('setSigner').send(otherSigner!.address)).wait();
  const { ok } = await world().engine.service.call('system.doctor', {});
  expect(ok).toBe(false);
  await expectRefused(await ask(), signer!.address, otherSigner!.address.toLowerCase());
});

test('an operation below the base fee is not sponsored: its overhead would be charged at the price of the bundle', async () => {
  const nextBaseFee = async (wei: number): Promise<void> => {
    await world().chain.provider.send('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
    await world().chain.provider.send('anvil_mine', ['0x1']);
  };
  await nextBaseFee(2_000_000_000);
  try {
    const call = { to: world().contracts.gameItems, data: gameCall('mint') };
    const { status, body } = await dapp.sponsor({ ...operation(call), maxFeePerGas: '1', maxPriorityFeePerGas: '1' });
    expect([status, body.result?.paymasterAndData, body.result?.reason?.code]).toEqual([200, '0x', 'FEE_TOO_LOW']);
    expect(body.result?.reason?.hint).toMatch(/at least \d+ wei/);
  } finally {
    await nextBaseFee(100_000_000);
  }
});

test('a node that answers but refuses to return the balance does not switch the tank check off', async () => {
  expectSponsoredBy(await ask(), contract);
  const balance = (await contractAt('VerifyingSingletonPaymaster', contract, world().operator)).interface.getFunction(
    'getBalance',
  )!;
  const proxy = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat((await request.toArray()) as Buffer[]).toString();
      const refused = body.includes(balance.selector);
      const answer = refused
        ? JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'limit exceeded, key=sesame' } })
        : await (
            await fetch(world().chain.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
          ).text();
      response.setHeader('content-type', 'application/json');
      response.end(answer);
    })();
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  try {
    const { port } = proxy.address() as AddressInfo;
    await world().engine.service.call('chains.set', { chainId: 31337, rpc: `http://127.0.0.1:${port}` });
    const { status, body } = await ask();
    expect([status, body.error?.code]).toEqual([503, -32053]);
    expect(JSON.stringify(body)).not.toContain('sesame');
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});
