import { beforeAll, describe, expect, test } from 'vitest';
import { byteLength } from '../../src/core/user-operation/hex-digits.ts';
import type { Hex } from '../../src/shared/schema/hex.ts';
import { FEE, RESERVED_WEI, gameCall, operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { startReceiver, verify } from '../support/webhook-receiver.ts';

const world = useSponsoredWorld();
const CHAIN = '0x7a69';

const mint = (overrides: Record<string, unknown> = {}): Record<string, unknown> =>
  operation(
    { to: world().contracts.gameItems, data: gameCall('mint') },
    { maxFeePerGas: `0x${(2n * FEE).toString(16)}`, ...overrides },
  );
const burn = (): Record<string, unknown> => operation({ to: world().contracts.gameItems, data: gameCall('burn') });

const ask = ({ apiKey }: SponsoredDapp, method: string, params: readonly unknown[]): Promise<RpcReply> =>
  world().engine.post(`/api/v2/31337/${apiKey}`, { jsonrpc: '2.0', id: 1, method, params });

const stub = (dapp: SponsoredDapp, op: object): Promise<RpcReply> =>
  ask(dapp, 'pm_getPaymasterStubData', [op, world().contracts.entryPoint, CHAIN]);
const data = (dapp: SponsoredDapp, op: object): Promise<RpcReply> =>
  ask(dapp, 'pm_getPaymasterData', [op, world().contracts.entryPoint, CHAIN, null]);

const limitToOne = async ({ paymasterId }: SponsoredDapp): Promise<void> => {
  const policyData = {
    type: 'PAYMASTER',
    cycleDuration: { value: 1, unit: 'day' },
    threshold: 1,
    thresholdType: 'COUNT',
  };
  const rule = { name: 'One a day', policyType: 'PAYMASTER_SA_LIMIT', policyData };
  await world().engine.service.call('rules.create', { paymasterId, rule });
};

describe('a stub', () => {
  test('is as long as the data will be, and names the sponsor', async () => {
    const dapp = await world().dapp(10n ** 18n);
    const { body, status } = await stub(dapp, mint());
    const final = await data(dapp, mint());
    expect([status, final.status]).toEqual([200, 200]);
    expect(body.result).toMatchObject({ sponsor: { name: expect.stringMatching(/^DApp/) }, isFinal: false });
    expect(Object.keys(final.body.result!)).toEqual(['paymasterAndData']);
    expect(byteLength(body.result!.paymasterAndData)).toBe(byteLength(final.body.result!.paymasterAndData));
  });

  test('says who sponsors as the operator has it, or does not', async () => {
    const dapp = await world().dapp(10n ** 18n);
    const { paymasterId } = dapp;
    const answerOf = async (icon: string | null, isTold: boolean) => {
      await world().engine.service.call('paymasters.setSponsor', { paymasterId, icon, isTold });
      return (await stub(dapp, mint())).body.result as object;
    };
    const icon = 'data:image/png;base64,iVBORw0KGgo=';
    expect(await answerOf(icon, true)).toMatchObject({
      sponsor: { name: expect.stringMatching(/^DApp/), icon },
      isFinal: false,
    });
    expect(Object.keys(await answerOf(icon, false))).toEqual(['paymasterAndData']);
    await expect(answerOf('javascript:alert(1)', true)).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  test('costs nothing: no limit is used, no wei is reserved, no decision is made', async () => {
    const dapp = await world().dapp(RESERVED_WEI * 2n);
    await limitToOne(dapp);
    for (let n = 0; n < 5; n += 1) expect((await stub(dapp, mint())).status).toBe(200);
    expect(await dapp.decisions()).toEqual([]);
    expect((await data(dapp, mint())).status).toBe(200);
    expect(await dapp.decisions()).toMatchObject([{ outcome: 'sponsored', method: 'pm_getPaymasterData' }]);
  });

  test('asks no webhook', async () => {
    const dapp = await world().dapp(10n ** 18n);
    const { url, calls } = await startReceiver(verify);
    const registration = { paymasterId: dapp.paymasterId, webhookUrl: url, requestType: 'POST' };
    await world().engine.service.call('webhooks.create', registration);
    expect([(await stub(dapp, mint())).status, calls.length]).toEqual([200, 0]);
    expect([(await data(dapp, mint())).status, calls.length]).toEqual([200, 1]);
  });

  test('is given before gas and fees are known', async () => {
    const dapp = await world().dapp(10n ** 18n);
    const { sender, nonce, callData } = mint();
    const zero = { callGasLimit: '0x0', verificationGasLimit: '0x0', preVerificationGas: '0x0' };
    for (const op of [
      { sender, nonce, callData },
      { sender, nonce, callData, ...zero },
    ]) {
      expect((await stub(dapp, op)).status).toBe(200);
    }
  });

  test('is refused where the operation would be, so that the wallet does not estimate for nothing; the operator sees it', async () => {
    const dapp = await world().dapp(10n ** 18n);
    await world().registerGameItems(dapp);
    const { status, body } = await stub(dapp, burn());
    // viem before 2.46 and ethers 5 hide code and data of any other status.
    expect([status, body.error?.code, body.error?.data]).toEqual([
      200,
      -32050,
      expect.objectContaining({ code: 'METHOD_NOT_WHITELISTED', rule: 'contracts' }),
    ]);
    expect(await dapp.decisions()).toMatchObject([
      { outcome: 'denied', code: 'METHOD_NOT_WHITELISTED', method: 'pm_getPaymasterStubData', settlement: null },
    ]);
  });

  test('is refused when a limit is full or the tank is empty', async () => {
    const dapp = await world().dapp(10n ** 18n);
    await limitToOne(dapp);
    await data(dapp, mint());
    expect((await stub(dapp, mint({ nonce: '0x1' }))).body.error?.data).toMatchObject({ code: 'LIMIT_REACHED' });
    const poor = await world().dapp(0n);
    expect((await stub(poor, mint())).body.error?.data).toMatchObject({ code: 'GAS_TANK_EMPTY' });
  });
});

describe('each error has its own words, and nothing is signed', () => {
  let dapp: SponsoredDapp;
  beforeAll(async () => {
    dapp = await world().dapp(10n ** 18n);
  });
  const V07 = '0x0000000071727De22E5E9d8BAf0edAc6f37da032';
  const STRANGER: Hex = `0x${'11'.repeat(20)}`;

  test.each<[string, string, () => unknown[], number, RegExp]>([
    [
      'another EntryPoint',
      'pm_getPaymasterData',
      () => [mint(), V07, CHAIN],
      -32602,
      /EntryPoint 0\.6 .* version is 1\.1\.0/,
    ],
    [
      'another EntryPoint',
      'pm_sponsorUserOperation',
      () => [mint(), V07],
      -32602,
      /^params\[1\] is 0x0000000071727De2/,
    ],
    [
      'another chain',
      'pm_getPaymasterStubData',
      () => [mint(), world().contracts.entryPoint, '0x1'],
      -32602,
      /chain 1, but .* chain 31337/,
    ],
    [
      'no fees',
      'pm_getPaymasterData',
      () => [mint({ maxFeePerGas: undefined }), world().contracts.entryPoint, CHAIN],
      -32602,
      /maxFeePerGas must be given/,
    ],
    [
      "another EntryPoint's fields",
      'pm_getPaymasterData',
      () => [mint({ factory: STRANGER }), world().contracts.entryPoint, CHAIN],
      -32602,
      /^factory should not exist: this DApp uses EntryPoint 0\.6/,
    ],
    [
      'half an operation',
      'pm_getPaymasterData',
      () => [mint({ callGasLimit: '0x0' }), world().contracts.entryPoint, CHAIN],
      -32602,
      /callGasLimit must be given/,
    ],
    [
      'no gas to verify with',
      'pm_getPaymasterData',
      () => [mint({ verificationGasLimit: 0 }), world().contracts.entryPoint, CHAIN],
      -32602,
      /verificationGasLimit must be given, above 0/,
    ],
    [
      'no gas for the bundler',
      'pm_getPaymasterData',
      () => [mint({ preVerificationGas: '0x00' }), world().contracts.entryPoint, CHAIN],
      -32602,
      /preVerificationGas must be given, above 0/,
    ],
    [
      'absurd gas',
      'pm_getPaymasterData',
      () => [mint({ callGasLimit: `0x${'f'.repeat(64)}` }), world().contracts.entryPoint, CHAIN],
      -32602,
      /callGasLimit must be at most/,
    ],
    [
      'no token',
      'pm_getPaymasterData',
      () => [mint(), world().contracts.entryPoint, CHAIN, { mode: 'ERC20' }],
      -32056,
      /feeTokenAddress is required/,
    ],
    [
      'an unknown token',
      'pm_getPaymasterStubData',
      () => [mint(), world().contracts.entryPoint, CHAIN, { token: STRANGER }],
      -32057,
      /0x1111.* is not supported/,
    ],
  ])('%s: %s', async (_, method, params, code, message) => {
    const before = (await dapp.decisions()).filter(({ outcome }) => outcome === 'sponsored').length;
    const { status, body } = await ask(dapp, method, params());
    expect([status, body.error?.code]).toEqual([200, code]);
    expect(body.error?.message).toMatch(message);
    expect((await dapp.decisions()).filter(({ outcome }) => outcome === 'sponsored')).toHaveLength(before);
  });
});

test('an operation without a call needs no gas for it', async () => {
  const dapp = await world().dapp(10n ** 18n);
  expect((await data(dapp, mint({ callData: '0x', callGasLimit: '0x0' }))).body.error?.message).toBeUndefined();
});

describe('what a DApp can do', () => {
  test('comes before any request', async () => {
    const dapp = await world().dapp(3n * 10n ** 18n);
    const { entryPoint } = world().contracts;
    expect((await ask(dapp, 'pm_supportedEntryPoints', [])).body.result).toEqual([entryPoint]);
    // Version 1.1.0 takes tokens through another contract, which this chain does not have.
    const { result } = (await ask(dapp, 'pm_supportedERC20Tokens', [entryPoint])).body;
    expect(result).toMatchObject({ tokens: [], paymasterMetadata: { address: world().paymaster } });
  });

  test('with which money: what the tank holds, and what of it is reserved', async () => {
    const dapp = await world().dapp(3n * 10n ** 18n);
    const balance = `0x${(3n * 10n ** 18n).toString(16)}`;
    expect((await ask(dapp, 'pm_paymasterBalance', [])).body.result).toEqual({ balance, promised: '0x0' });
    await data(dapp, mint());
    const { maxCostWei } = (await dapp.decisions())[0]!;
    const reserved = `0x${BigInt(maxCostWei!).toString(16)}`;
    expect((await ask(dapp, 'pm_paymasterBalance', [])).body.result).toEqual({ balance, promised: reserved });
  });

  test.each(['pm_supportedEntryPoints', 'pm_supportedERC20Tokens', 'pm_paymasterBalance'])(
    '%s is hidden from clients without a key',
    async (method) => {
      const { status, body } = await ask({ ...(await world().dapp(0n)), apiKey: 'nobody' }, method, []);
      expect([status, body.error?.code]).toEqual([401, -32051]);
    },
  );
});
