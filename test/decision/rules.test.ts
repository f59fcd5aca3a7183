import { toSafeSmartAccount } from 'permissionless/accounts';
import { createPublicClient, http } from 'viem';
import { entryPoint06Address } from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { describe, expect, test } from 'vitest';
import { simpleAccount } from '../../src/demo/simple-account.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { SENDER, TOKEN, encodeFunction } from '../support/account-call-data.ts';
import { RESERVED_WEI, gameCall, gameItems, operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
const STRANGER: Address = '0x3333333333333333333333333333333333333333';

const op = (call: { to?: Address; data?: Hex; value?: bigint } = {}, overrides: Record<string, unknown> = {}) =>
  operation({ to: world().contracts.gameItems, data: gameCall('mint'), ...call }, overrides);
const codeOf = ({ status, body }: RpcReply): string => {
  expect([status, body.error]).toEqual([200, undefined]);
  const { paymasterAndData, reason } = body.result!;
  expect(paymasterAndData === '0x').toBe(reason !== undefined);
  return reason?.code ?? 'SPONSORED';
};
/** A DApp that sponsors `mint` of the sample contract, with money for many operations. */
const gameDapp = async (): Promise<SponsoredDapp> => {
  const dapp = await world().dapp(100n * RESERVED_WEI);
  await world().registerGameItems(dapp);
  return dapp;
};
const call = <T>(name: string, input: unknown): Promise<T> =>
  (world().engine.service.call as (name: string, input: unknown) => Promise<unknown>)(name, input) as Promise<T>;
const batch = (...calls: [Address, Hex][]): Hex =>
  encodeFunction(
    'executeBatch(address[],bytes[])',
    ['address[]', 'bytes[]'],
    [calls.map(([to]) => to), calls.map(([, data]) => data)],
  );

describe('what an operation may call', () => {
  test.each<[string, () => Record<string, unknown>]>([
    ['SPONSORED', () => op()],
    ['SPONSORED', () => op({ value: 5n })],
    ['SPONSORED', () => op({}, { callData: batch([world().contracts.gameItems, gameCall('mint')]) })],
    ['METHOD_NOT_WHITELISTED', () => op({ data: gameCall('burn') })],
    [
      'METHOD_NOT_WHITELISTED',
      () =>
        op(
          {},
          {
            callData: batch(
              [world().contracts.gameItems, gameCall('mint')],
              [world().contracts.gameItems, gameCall('burn')],
            ),
          },
        ),
    ],
    ['CONTRACT_NOT_REGISTERED', () => op({ to: STRANGER })],
    ['PLAIN_TRANSFER', () => op({ data: '0x', value: 1n })],
    ['SELF_CALL_NOT_ALLOWED', () => op({ to: SENDER })],
    ['UNKNOWN_SELECTOR', () => op({}, { callData: '0xdeadbeef' })],
    ['MALFORMED_CALL_DATA', () => op({}, { callData: String(op()['callData']).slice(0, -64) })],
  ])('%s, case %#: the reason is in the answer and in the record', async (code, operationOf) => {
    const dapp = await gameDapp();
    const reply = await dapp.sponsor(operationOf());
    expect(codeOf(reply)).toBe(code);
    const [decision] = await dapp.decisions();
    expect(decision).toMatchObject({ code, outcome: code === 'SPONSORED' ? 'sponsored' : 'denied' });
    const { reason } = reply.body.result!;
    if (reason !== undefined) {
      expect(reason.rule).toBe('contracts');
      expect(decision).toMatchObject({ rule: 'contracts', message: reason.message, hint: reason.hint });
    }
  });

  test('follows every change at once: registered, emptied, paused, gone', async () => {
    const dapp = await world().dapp(100n * RESERVED_WEI);
    const { paymasterId } = dapp;
    const target = { paymasterId, address: world().contracts.gameItems };
    const now = async (data: Hex = gameCall('mint')): Promise<string> => codeOf(await dapp.sponsor(op({ data })));

    expect(await now()).toBe('SPONSORED');
    await call('contracts.create', { ...target, name: 'Items', abi: gameItems.formatJson() });
    expect(await now()).toBe('METHOD_NOT_WHITELISTED');
    await call('contracts.update', { ...target, whitelistedMethods: ['burn(uint256)'] });
    expect([await now(), await now(gameCall('burn'))]).toEqual(['METHOD_NOT_WHITELISTED', 'SPONSORED']);
    const [rule] = await call<{ _id: string }[]>('rules.list', { paymasterId });
    await call('rules.deactivate', { paymasterId, ruleId: rule!._id });
    expect(await now(gameCall('burn'))).toBe('CONTRACT_PAUSED');
    await call('rules.activate', { paymasterId, ruleId: rule!._id });
    expect(await now(gameCall('burn'))).toBe('SPONSORED');
    await call('contracts.delete', target);
    expect(await now()).toBe('SPONSORED');
    const [deleted, activated, paused, , updated, , first] = (await dapp.decisions()).map(({ policy }) => policy);
    expect([deleted, activated]).toEqual([first, updated]);
    expect(new Set([first, updated, paused]).size).toBe(3);
  });

  test("is no other DApp's business", async () => {
    const [mine, other] = [await gameDapp(), await world().dapp(RESERVED_WEI)];
    expect(codeOf(await mine.sponsor(op({ data: gameCall('burn') })))).toBe('METHOD_NOT_WHITELISTED');
    expect(codeOf(await other.sponsor(op({ data: gameCall('burn') })))).toBe('SPONSORED');
  });

  test('names an overload by its whole signature, or all of them by their name', async () => {
    const abi = JSON.stringify(
      ['uint256', 'address'].map((type) => ({
        type: 'function',
        name: 'buy',
        stateMutability: 'payable',
        inputs: [{ type }],
        outputs: [],
      })),
    );
    const byNumber = op({ to: STRANGER, data: encodeFunction('buy(uint256)', ['uint256'], [1n]) });
    const byAddress = op({ to: STRANGER, data: encodeFunction('buy(address)', ['address'], [SENDER]) });
    const dapp = await world().dapp(100n * RESERVED_WEI);
    const target = { paymasterId: dapp.paymasterId, address: STRANGER };
    await call('contracts.create', { ...target, name: 'Shop', abi, whitelistedMethods: ['buy(uint256)'] });
    const { body } = await dapp.sponsor(byAddress);
    expect(body.result?.reason?.message).toContain('buy(address) on Shop');
    expect(codeOf(await dapp.sponsor(byNumber))).toBe('SPONSORED');
    await call('contracts.update', { ...target, whitelistedMethods: ['buy'] });
    expect(codeOf(await dapp.sponsor(byAddress))).toBe('SPONSORED');
  });
});

describe('an operation that deploys its account', () => {
  const deploying = async () => {
    const { chain, contracts, operator } = world();
    const { address, initCode } = await simpleAccount(contracts.accountFactory, operator, 12n, chain.provider);
    return op({}, { sender: address, initCode });
  };
  const allow = async ({ paymasterId }: SponsoredDapp): Promise<{ paymasterId: string; ruleId: string }> => {
    const rule = { name: 'Deployments', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
    const { _id: ruleId } = await call<{ _id: string }>('rules.create', { paymasterId, rule });
    return { paymasterId, ruleId };
  };

  test('is sponsored by a DApp that restricts nothing', async () => {
    const dapp = await world().dapp(100n * RESERVED_WEI);
    expect(codeOf(await dapp.sponsor(await deploying()))).toBe('SPONSORED');
  });

  test('needs a rule that allows it where contracts are registered, and the rule has to be active', async () => {
    const dapp = await gameDapp();
    const denied = await dapp.sponsor(await deploying());
    expect(codeOf(denied)).toBe('WALLET_DEPLOYMENT_NOT_SPONSORED');
    expect(denied.body.result?.reason).toMatchObject({
      rule: 'walletDeployment',
      hint: expect.stringContaining('Add a WALLET_DEPLOYMENT rule'),
    });
    const rule = await allow(dapp);
    expect(codeOf(await dapp.sponsor(await deploying()))).toBe('SPONSORED');
    await call('rules.deactivate', rule);
    expect(codeOf(await dapp.sponsor(await deploying()))).toBe('WALLET_DEPLOYMENT_NOT_SPONSORED');
    expect(codeOf(await dapp.sponsor(op()))).toBe('SPONSORED');
    await call('rules.activate', rule);
    expect(codeOf(await dapp.sponsor(await deploying()))).toBe('SPONSORED');
    const burning = op({ data: gameCall('burn') }, { sender: STRANGER, initCode: `0x${'ff'.repeat(20)}` });
    expect(codeOf(await dapp.sponsor(burning))).toBe('METHOD_NOT_WHITELISTED');
  });

  /** A new Safe of permissionless' that approves a stranger to take tokens while it is set up. */
  const approvingSafe = async () => {
    const client = createPublicClient({ chain: foundry, transport: http(world().chain.url) });
    const approve = encodeFunction('approve(address,uint256)', ['address', 'uint256'], [STRANGER, 1n]);
    const { factory, factoryData } = await (
      await toSafeSmartAccount({
        client,
        owners: [privateKeyToAccount(`0x${'11'.repeat(32)}`)],
        address: STRANGER,
        version: '1.4.1',
        entryPoint: { address: entryPoint06Address, version: '0.6' },
        setupTransactions: [{ to: TOKEN, data: approve, value: 0n }],
      })
    ).getFactoryArgs();
    return op({}, { sender: STRANGER, initCode: `${factory}${factoryData!.slice(2)}` });
  };

  test('may do no more than deploy: what it calls besides is for the contracts of the DApp to allow', async () => {
    const dapp = await gameDapp();
    await allow(dapp);
    const { body } = await dapp.sponsor(await approvingSafe());
    expect(body.result).toMatchObject({ paymasterAndData: '0x', reason: { code: 'CONTRACT_NOT_REGISTERED' } });
    expect(body.result!.reason!.message).toMatch(
      new RegExp(`^The deployment of the account calls ${TOKEN}, which is not a registered contract`, 'i'),
    );
    const [newest] = await call<{ id: string }[]>('decisions.list', { limit: 1 });
    const { request } = await call<{ request: unknown }>('decisions.show', { decisionId: newest!.id });
    expect(request).toMatchObject({
      calls: [
        { target: TOKEN.toLowerCase(), selector: '0x095ea7b3', deployment: true },
        expect.not.objectContaining({ deployment: true }),
      ],
    });
    const open = await world().dapp(100n * RESERVED_WEI);
    expect(codeOf(await open.sponsor(await approvingSafe()))).not.toBe('CONTRACT_NOT_REGISTERED');
  });

  test('by a factory that cannot be read is denied, until the operator trusts it by its address', async () => {
    const dapp = await gameDapp();
    const { paymasterId } = dapp;
    await allow(dapp);
    const strange = () => op({}, { sender: STRANGER, initCode: `${STRANGER}deadbeef` });
    const { body } = await dapp.sponsor(strange());
    expect(body.result?.reason).toMatchObject({
      code: 'DEPLOYMENT_UNREADABLE',
      rule: 'walletDeployment',
      hint: expect.stringContaining(`add ${STRANGER} to the factories`),
    });
    const policyData = { factories: [STRANGER] };
    const rule = { name: 'Strange ones', policyType: 'WALLET_DEPLOYMENT', policyData };
    const kept = await call<{ policyData: unknown }>('rules.create', { paymasterId, rule });
    expect(kept.policyData).toEqual({ operator: 'walletDeployment', factories: [STRANGER] });
    // The chain has no such factory.
    expect(codeOf(await dapp.sponsor(strange()))).toMatch(/^FACTORY_/);
  });

  test('is denied by a rule that is paused, also where no contract is registered', async () => {
    const dapp = await world().dapp(100n * RESERVED_WEI);
    const rule = await allow(dapp);
    expect(codeOf(await dapp.sponsor(await deploying()))).toBe('SPONSORED');
    await call('rules.deactivate', rule);
    expect(codeOf(await dapp.sponsor(await deploying()))).toBe('WALLET_DEPLOYMENT_NOT_SPONSORED');
    expect(codeOf(await dapp.sponsor(op()))).toBe('SPONSORED');
  });
});

test('every local rule is asked, and the first denial in their order decides', async () => {
  const dapp = await world().dapp(0n);
  const { paymasterId } = dapp;
  await world().registerGameItems(dapp);
  const policyData = { type: 'PAYMASTER', cycleDuration: { value: 1, unit: 'day' } };
  const limits = [
    { name: 'Cheap', policyData: { ...policyData, threshold: 1e-18, thresholdType: 'NATIVE_ASSET' } },
    { name: 'Many', policyData: { ...policyData, threshold: 5, thresholdType: 'COUNT' } },
  ];
  const ruleIds: string[] = [];
  for (const limit of limits) {
    const rule = { ...limit, policyType: 'PAYMASTER_SA_LIMIT' };
    ruleIds.push((await call<{ _id: string }>('rules.create', { paymasterId, rule }))._id);
  }
  const steps = async (outcome: string): Promise<unknown[]> =>
    (await dapp.decisions())[0]!.trace.filter((step) => step.outcome === outcome).map(({ code }) => code);

  const createAccount = encodeFunction('createAccount(address,uint256)', ['address', 'uint256'], [STRANGER, 0]);
  const initCode = `0x${'ff'.repeat(20)}${createAccount.slice(2)}`;
  expect(codeOf(await dapp.sponsor(op({ data: gameCall('burn') }, { initCode })))).toBe('METHOD_NOT_WHITELISTED');
  const money = ['LIMIT_TOO_SMALL', 'GAS_TANK_EMPTY'];
  const denials = ['METHOD_NOT_WHITELISTED', 'WALLET_DEPLOYMENT_NOT_SPONSORED', 'SENDER_HAS_CODE', ...money];
  expect(await steps('deny')).toEqual(denials);
  expect(await steps('pass')).toEqual(['GAS_GIVEN', 'FEE_COVERS_BASE', 'LIMIT_HAS_ROOM']);
  expect(codeOf(await dapp.sponsor(op({}, { initCode })))).toBe('WALLET_DEPLOYMENT_NOT_SPONSORED');
  expect(await steps('deny')).toEqual(denials.slice(1));
  await call('rules.create', { paymasterId, rule: { name: 'New', policyType: 'WALLET_DEPLOYMENT', policyData: {} } });
  expect(codeOf(await dapp.sponsor(op({}, { initCode })))).toBe('SENDER_HAS_CODE');
  expect(await steps('deny')).toEqual(denials.slice(2));
  expect(codeOf(await dapp.sponsor(op()))).toBe('LIMIT_TOO_SMALL');
  expect(await steps('deny')).toEqual(money);
  await call('rules.deactivate', { paymasterId, ruleId: ruleIds[0] });
  expect(codeOf(await dapp.sponsor(op()))).toBe('GAS_TANK_EMPTY');
  expect(await steps('deny')).toEqual(money.slice(1));
});
