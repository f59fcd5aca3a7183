import { Interface } from 'ethers';
import { describe, expect, test } from 'vitest';
import { partialOperation, simpleAccount } from '../../src/demo/simple-account.ts';
import { devWallet } from '../../src/demo/world-contracts.ts';
import type { Hex } from '../../src/shared/schema/hex.ts';
import { GAS, gameCall } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
const TANK_WEI = 10n ** 18n;
const SMART_ACCOUNT_INFO = { name: 'BICONOMY', version: '2.0.0' };

/** An operation as the account part of @biconomy/account 4 hands it to its paymaster part. */
const accountsOperation = async (data: Hex = gameCall('mint')): Promise<Record<string, string>> => {
  const { contracts, chain } = world();
  const account = await simpleAccount(contracts.accountFactory, devWallet(3, chain.provider), 77n, chain.provider);
  return partialOperation(account, { to: contracts.gameItems, data }, contracts.entryPoint, chain.provider);
};

/** The body of its `getPaymasterAndData`: hex nonce and fees, decimal gas, unix seconds for an id. */
const clientBody = (op: Record<string, unknown>, options: Record<string, unknown> = {}): Record<string, unknown> => ({
  method: 'pm_sponsorUserOperation',
  params: [
    { ...op, signature: op['signature'] ?? '0x', paymasterAndData: '0x' },
    {
      mode: 'SPONSORED',
      calculateGasLimits: true,
      sponsorshipInfo: { smartAccountInfo: SMART_ACCOUNT_INFO },
      ...options,
    },
  ],
  id: Math.floor(world().clock.now() / 1000),
  jsonrpc: '2.0',
});

const post = ({ apiKey }: SponsoredDapp, body: unknown, path = '/api/v1'): Promise<RpcReply> =>
  world().engine.post(`${path}/31337/${apiKey}`, body, { Accept: 'application/json' });

/** The documented result, type by type (behaviour 2.5). */
const expectResult = ({ status, body }: RpcReply, paymasterAndData: RegExp): void => {
  expect([status, body]).toEqual([
    200,
    {
      jsonrpc: '2.0',
      id: Math.floor(world().clock.now() / 1000),
      result: {
        MODE: 'SPONSORED',
        mode: 'SPONSORED',
        paymasterAndData: expect.stringMatching(paymasterAndData),
        preVerificationGas: expect.stringMatching(/^[1-9][0-9]*$/),
        verificationGasLimit: expect.any(Number),
        callGasLimit: expect.any(Number),
        ...(body.result?.reason && { reason: body.result.reason }),
      },
    },
  ]);
  expect(body.result?.verificationGasLimit).toSatisfy(Number.isSafeInteger);
  expect(body.result?.callGasLimit).toSatisfy(Number.isSafeInteger);
};

describe("Biconomy's client moves here by changing one URL", () => {
  test.each<[string, (op: Record<string, string>) => Record<string, unknown>, Record<string, unknown>]>([
    ['gas left to the paymaster', (op) => op, {}],
    ['gas of the bundler, as decimal strings', (op) => ({ ...op, ...GAS }), {}],
    [
      'gas not known yet',
      (op) => ({ ...op, callGasLimit: '0x', verificationGasLimit: '0x', preVerificationGas: '0x' }),
      {},
    ],
    ['an expiry', (op) => op, { expiryDuration: 3_600 }],
    ['gas that is final', (op) => ({ ...op, ...GAS }), { calculateGasLimits: false }],
    [
      'data for webhooks',
      (op) => op,
      { sponsorshipInfo: { webhookData: { user: 'a', nested: { n: [1] } }, smartAccountInfo: SMART_ACCOUNT_INFO } },
    ],
  ])('with %s', async (_, change, options) => {
    const dapp = await world().dapp(TANK_WEI);
    const body = clientBody(change(await accountsOperation()), options);
    for (const path of ['/api/v1', '/api/v2']) expectResult(await post(dapp, body, path), /^0x[0-9a-f]{500,}$/);
  });

  test('and gets 0x and the gas, if it is not sponsored', async () => {
    const dapp = await world().dapp(0n);
    const reply = await post(dapp, clientBody(await accountsOperation()));
    expectResult(reply, /^0x$/);
    expect(reply.body.result?.reason?.code).toBe('GAS_TANK_EMPTY');
  });

  test('and reads why a call cannot work from a non-2xx answer', async () => {
    const dapp = await world().dapp(TANK_WEI);
    const failing = new Interface(['function failingMint()']).encodeFunctionData('failingMint') as Hex;
    const { status, body } = await post(dapp, clientBody(await accountsOperation(failing)));
    expect([status, body.error?.code]).toEqual([400, -32054]);
    expect(body.error?.message).toContain('GameItems: minting is closed');
    expect((await dapp.decisions())[0]).toMatchObject({ outcome: 'error', code: 'GAS_ESTIMATION_FAILED' });
  });

  test('and reads the AA code of an account that cannot be validated', async () => {
    const dapp = await world().dapp(TANK_WEI);
    const { status, body } = await post(dapp, clientBody({ ...(await accountsOperation()), initCode: '0x' }));
    expect({ status, ...body.error }).toMatchObject({ status: 400, code: -32054, data: { aaCode: 'AA20' } });
  });
});
