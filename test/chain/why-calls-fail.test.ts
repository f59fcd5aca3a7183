import { Interface } from 'ethers';
import type { UserOperation as ViemUserOperation } from 'viem/account-abstraction';
import { beforeAll, describe, expect, test } from 'vitest';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import { deployEntryPoint } from '../../src/demo/world-contracts.ts';
import type { Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperation } from '../../src/shared/schema/user-operation.ts';
import { useAlto } from '../support/alto.ts';
import { type ClientDapp, clientDapp, mintCall, newAccount } from '../support/client-world.ts';
import { gameCall } from '../support/operations.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { walletsAt } from '../support/wallets.ts';

/** A developer whose call is forbidden, or cannot work, reads which of the two it is, and why. */

const world = useSponsoredWorld();
beforeAll(() => deployEntryPoint(world().operator, '0.7'));
const { address: entryPoint } = entryPoints['0.7'];
const alto = useAlto(
  () => world().chain,
  () => [entryPoint],
);
const { unsponsored } = walletsAt(alto);

/** DApps that whitelist one method each. */
const dapps = {} as Record<'mint' | 'burn', ClientDapp>;
/** Burns what the account does not have: the call reverts. */
let burning: Record<string, unknown>;
beforeAll(async () => {
  const { engine, contracts, chain } = world();
  for (const method of ['mint', 'burn'] as const) {
    const dapp = await clientDapp(world(), 'singleton-0.7');
    const { paymasterId } = dapp;
    await world().registerGameItems(dapp);
    await engine.service.call('contracts.update', {
      paymasterId,
      address: contracts.gameItems,
      whitelistedMethods: [method],
    });
    const rule = { name: 'Deployments', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
    await engine.service.call('rules.create', { paymasterId, rule });
    dapps[method] = dapp;
  }
  await engine.service.call('chains.set', { chainId: chain.chainId, bundler: alto().url });
  const call = { to: contracts.gameItems, data: gameCall('burn') };
  const op: ViemUserOperation = await unsponsored(await newAccount(world(), dapps.mint), call);
  const GAS = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas', 'paymasterAndData'];
  const wire = Object.entries(toRpcUserOperation({ ...op } as UserOperation));
  burning = Object.fromEntries(wire.filter(([name, value]) => !GAS.includes(name) && value !== undefined));
});

const CHAIN = '0x7a69';
const SPONSORED = { mode: 'SPONSORED', calculateGasLimits: true };

/** Every way to ask once, without gas. */
const ways: [method: string, params: () => unknown[]][] = [
  ['pm_sponsorUserOperation', () => [burning, entryPoint]],
  ['pm_getPaymasterData', () => [burning, entryPoint, CHAIN]],
  ['zd_sponsorUserOperation', () => [{ chainId: 31337, entryPointAddress: entryPoint, userOp: burning }]],
  ['alchemy_requestGasAndPaymasterAndData', () => [{ policyId: 'any', entryPoint, userOperation: burning }]],
];

const ask = async ({ url }: ClientDapp, method: string, params: unknown[]) => {
  const { pathname } = new URL(url);
  return (await world().engine.post(pathname, { jsonrpc: '2.0', id: 1, method, params })).body;
};

describe('a call that is forbidden and reverts', () => {
  test.each(ways)('is denied by its rule through %s', async (method, params) => {
    const { error } = await ask(dapps.mint, method, params());
    expect(error).toMatchObject({ code: -32050, data: { code: 'METHOD_NOT_WHITELISTED', rule: 'contracts' } });
    expect((await dapps.mint.decisions())[0]).toMatchObject({
      outcome: 'denied',
      code: 'METHOD_NOT_WHITELISTED',
      method,
    });
  });

  test("is denied by its rule in Biconomy's dialect, as a result", async () => {
    const { result } = await ask(dapps.mint, 'pm_sponsorUserOperation', [burning, SPONSORED]);
    expect(result).toMatchObject({ paymasterAndData: '0x', reason: { code: 'METHOD_NOT_WHITELISTED' } });
  });
});

test('a call that is forbidden and works is answered with its gas, by which the user can pay', async () => {
  const op: ViemUserOperation = await unsponsored(await newAccount(world(), dapps.burn), mintCall(world()));
  const params = [toRpcUserOperation({ ...op } as UserOperation), SPONSORED];
  const { result } = await ask(dapps.burn, 'pm_sponsorUserOperation', params);
  expect(result).toMatchObject({ paymasterAndData: '0x', reason: { code: 'METHOD_NOT_WHITELISTED' } });
  expect(Number(result?.callGasLimit)).toBeGreaterThan(20_000);
});

describe('a call that is allowed and reverts', () => {
  test.each(ways)("says the contract's reason by %s, though the bundler was asked", async (method, params) => {
    const { error } = await ask(dapps.burn, method, params());
    expect(error).toMatchObject({ code: -32054, data: { reason: 'GameItems: not enough items' } });
    expect(error?.message).toContain("The operation's call reverts: GameItems: not enough items");
  });
});

test('a custom error of a registered contract is named with its arguments, with a bundler and without, and in the record', async () => {
  const { engine, chain } = world();
  const { paymasterId, paymaster: owned } = dapps.burn;
  const abi = new Interface([
    'function addSigner(address signer)',
    'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  ]);
  const register = (whole: string) => {
    const contract = { paymasterId, address: owned };
    return engine.service.call('contracts.create', {
      ...contract,
      ...{ name: 'Owned', abi: whole, whitelistedMethods: ['addSigner'] },
    });
  };
  await register(abi.formatJson());
  const data = abi.encodeFunctionData('addSigner', [entryPoint]) as Hex;
  const op = await unsponsored(await newAccount(world(), dapps.burn), { to: owned, data });
  const fields = [
    'factory',
    'factoryData',
    'sender',
    'nonce',
    'callData',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
    'signature',
  ];
  const wire = Object.entries(toRpcUserOperation({ ...(op as object) } as UserOperation));
  const sent = Object.fromEntries(wire.filter(([name, value]) => fields.includes(name) && value !== undefined));
  for (const bundler of [alto().url, null]) {
    await engine.service.call('chains.set', { chainId: chain.chainId, bundler });
    const { error } = await ask(dapps.burn, 'pm_getPaymasterData', [
      sent,
      entryPoint,
      CHAIN,
      { calculateGasLimits: true },
    ]);
    expect(error?.code).toBe(-32054);
    const named = `The operation's call reverts: AccessControlUnauthorizedAccount(${String(sent['sender'])}, 0x`;
    expect(error?.message.toLowerCase()).toContain(named.toLowerCase());
    expect(error?.data).toMatchObject({
      reason: expect.stringMatching(/^AccessControl/),
      revertData: expect.any(String),
    });
    const [newest] = await dapps.burn.decisions();
    expect(newest).toMatchObject({ outcome: 'error', message: error?.message });
  }
  await engine.service.call('chains.set', { chainId: chain.chainId, bundler: alto().url });
  await engine.service.call('contracts.delete', { paymasterId, address: owned });
});
