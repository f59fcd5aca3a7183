import {
  type HDNodeWallet,
  ZeroHash,
  getCreate2Address,
  hexlify,
  id,
  keccak256,
  parseEther,
  toUtf8Bytes,
} from 'ethers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { deployContract, devWallet, fundDeposit } from '../../src/demo/world-contracts.ts';
import { STUB_SIGNATURE } from '../../src/core/paymaster-layouts/layout.ts';
import { toHex, word } from '../../src/core/user-operation/hex-digits.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperation } from '../../src/shared/schema/user-operation.ts';
import { type EntryPointWorld, type NewAccount, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type Answer, error, json, passTo, withNode } from '../support/odd-node.ts';
import { codeOf } from '../support/offline-desk.ts';
import { gameCall } from '../support/operations.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const versions = [
  ['0.6', 'verifying-0.6'],
  ['0.7', 'verifying-0.7'],
  ['0.8', 'singleton-0.8'],
  ['0.9', 'parallel-0.9'],
] as const;

const NOBODY: Address = `0x${'de'.repeat(20)}`;
/** A factory that reverts, whatever it is asked. */
const REVERTING: Address = `0x${'f1'.repeat(20)}`;
/** A factory that deploys nothing and returns the word it was called with. */
const NAMING: Address = `0x${'f2'.repeat(20)}`;
/** A factory whose account reverts in validation. */
const STRICT: Address = `0x${'f3'.repeat(20)}`;

/** Returns 5f5ffd, the code of a contract that reverts. */
const STRICT_ACCOUNT = '625f5ffd5f526003601df3';
const codes = {
  [REVERTING]: '0x5f5ffd',
  [NAMING]: '0x5f355f5260205ff3',
  // Memory: the creation code at 21; CREATE2 without value or salt; return the address.
  [STRICT]: `0x6a${STRICT_ACCOUNT}5f525f600b60155ff55f5260205ff3`,
};
const strictAccount = getCreate2Address(STRICT, ZeroHash, keccak256(`0x${STRICT_ACCOUNT}`)) as Address;

const HANDLE_OPS = [
  id('handleOps((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],address)').slice(
    0,
    10,
  ),
  id('handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)').slice(0, 10),
];
interface Call {
  readonly method: string;
  readonly params: readonly [{ readonly data?: string }, ...unknown[]];
}
const isCreation = (body: string): boolean => {
  const { method, params } = JSON.parse(body) as Call;
  return method === 'eth_call' && HANDLE_OPS.includes(params[0].data?.slice(0, 10) ?? '');
};

const chain = useLocalChain();
const dir = makeTempFolder();
let engine: ServingEngine;
let operator: HDNodeWallet;
let items: Address;
/** A number for each account, so that tests do not meet. */
let salt = 0n;

const setChain = (settings: Record<string, unknown>): Promise<unknown> =>
  engine.service.call('chains.set', { chainId: chain().chainId, ...settings });
const through = async <T>(answer: Answer, run: () => Promise<T>): Promise<T> =>
  withNode(answer, async (url) => {
    await setChain({ rpc: url });
    return run().finally(() => setChain({ rpc: chain().url }));
  });

beforeAll(async () => {
  const { provider } = chain();
  operator = devWallet(0, provider);
  items = await deployContract('GameItems', [], operator);
  for (const [address, code] of Object.entries(codes)) await provider.send('anvil_setCode', [address, code]);
  const block = await provider.getBlock('latest');
  engine = await startEngine({ dir, clock: new ManualClock((block?.timestamp ?? 0) * 1000) });
  await setChain({ rpc: chain().url });
  await engine.service.call('signers.create', { chainId: chain().chainId });
});
// Empty blocks let the base fee fall, and with it what may be offered.
beforeEach(async () => {
  await chain().provider.send('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00']);
  await chain().provider.send('evm_mine', []);
});
afterAll(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

describe.each(versions)('an operation of EntryPoint v%s that makes its account', (entryPointVersion, version) => {
  let world: EntryPointWorld;
  let dapp: SponsoredDapp;
  beforeAll(async () => {
    world = await deployEntryPointWorld(operator, chain().chainId, entryPointVersion);
    const paymaster = await attachNewContract(engine.service, operator, { chainId: chain().chainId, version });
    await fundDeposit(world.entryPoint, paymaster, parseEther('1'), operator);
    dapp = await engine.dapp({ version });
  });

  const benign = (): Promise<NewAccount> => world.newAccount(operator, (salt += 1n));
  /** With a dummy signature, as wallets ask for sponsorship. */
  const firstOf = (account: NewAccount): UserOperation => ({
    ...world.firstOperation(account, { to: items, data: gameCall('mint') }),
    // Little enough for accounts that use nothing of it.
    callGasLimit: 60_000n,
    preVerificationGas: 55_000n,
    signature: STUB_SIGNATURE,
  });
  const firstBy = async (factory: Address, factoryData?: Hex): Promise<UserOperation> => {
    const account = await benign();
    return firstOf({ ...account, factory, factoryData: factoryData ?? account.factoryData });
  };
  const naming = (named: Address): Hex => toHex(word(BigInt(named)));
  const reservedOf = async (): Promise<(string | null)[]> =>
    (await dapp.decisions()).flatMap(({ settlement }) => (settlement === null ? [] : [settlement]));

  const denials: [string, () => Promise<UserOperation>, string, string][] = [
    ['by a factory that reverts', () => firstBy(REVERTING), 'FACTORY_FAILED', 'AA13'],
    ['by a factory that is not there', () => firstBy(NOBODY), 'FACTORY_FAILED', 'has no code'],
    [
      'by a factory that needs more gas than it gets',
      async () => ({ ...firstOf(await benign()), verificationGasLimit: 50_000n }),
      'FACTORY_FAILED',
      'verificationGasLimit of 50000',
    ],
    [
      'by a factory that makes another account',
      () => firstBy(NAMING, naming(NOBODY)),
      'FACTORY_MADE_OTHER_ACCOUNT',
      'AA14',
    ],
    [
      'by a factory that deploys nothing',
      async () => {
        const account = await benign();
        return firstOf({ ...account, factory: NAMING, factoryData: naming(account.address) });
      },
      'FACTORY_MADE_NO_ACCOUNT',
      'AA15',
    ],
  ];

  test.each(denials)('%s is denied and reserves nothing', async (_, makeOperation, code, words) => {
    const before = await reservedOf();
    const { body } = await dapp.sponsor(toRpcUserOperation(await makeOperation()));
    expect(body.result).toMatchObject({ paymasterAndData: '0x', reason: { code, rule: 'validity' } });
    expect(body.result?.reason?.message).toContain(words);
    expect(await reservedOf()).toEqual(before);
    const { trace, settlement } = (await dapp.decisions())[0]!;
    expect(settlement).toBeNull();
    expect(trace.find(({ rule }) => rule === 'validity')).toMatchObject({
      outcome: 'deny',
      code,
      evidence: { factory: expect.stringMatching(/^0x[0-9a-f]{40}$/) as string, nextNonce: '0' },
    });
  });

  test('is signed over a dummy signature, and mined', async () => {
    const op = firstOf(await benign());
    const { body } = await dapp.sponsor(toRpcUserOperation(op));
    expect(body.result?.reason).toBeUndefined();
    const sponsored = withPaymasterAndData(op, body.result!.paymasterAndData);
    expect(await world.mine(await world.sign(sponsored, operator))).toMatchObject({ success: true });
  });

  test('is denied where the account that it makes fails whatever the signature (AA23)', async () => {
    const op = await firstBy(STRICT, '0x00');
    const strict = { ...op, sender: strictAccount };
    const aa23 = hexlify(toUtf8Bytes('AA23')).slice(2);
    await expect(world.mine(strict)).rejects.toMatchObject({ data: expect.stringContaining(aa23) as string });
    expect(codeOf(await dapp.sponsor(toRpcUserOperation(strict)))).toBe('ACCOUNT_FAILS_VALIDATION');
  });

  test('has its creation tried once, without state overrides and only over the gas it came with', async () => {
    const tried: string[] = [];
    const counting: Answer = (response, method, body) => {
      if (isCreation(body)) tried.push(body);
      passTo(chain().url)(response, method, body);
    };
    const wire = toRpcUserOperation(firstOf(await benign()));
    await through(counting, async () => {
      expect(codeOf(await dapp.sponsor(wire, { calculateGasLimits: true }))).toBe('SPONSORED');
      expect(tried).toEqual([]);
      expect(codeOf(await dapp.sponsor(wire))).toBe('SPONSORED');
    });
    expect(tried).toHaveLength(1);
    expect((JSON.parse(tried[0]!) as Call).params).toHaveLength(2);
  });

  test('is signed where a node does not say why the creation failed', async () => {
    const mute: Answer = (response, method, body) =>
      isCreation(body)
        ? json({ id: 1, error: { code: 3, message: 'execution reverted' } })(response, method, body)
        : passTo(chain().url)(response, method, body);
    const op = toRpcUserOperation(await firstBy(REVERTING));
    expect(codeOf(await through(mute, () => dapp.sponsor(op)))).toBe('SPONSORED');
  });

  test('is not signed where the node answers everything but that', async () => {
    const refusing: Answer = (response, method, body) =>
      isCreation(body)
        ? error(-32005, 'rate limited')(response, method, body)
        : passTo(chain().url)(response, method, body);
    const op = toRpcUserOperation(firstOf(await benign()));
    const { body } = await through(refusing, () => dapp.sponsor(op));
    expect(body.result).toBeUndefined();
    expect((await dapp.decisions())[0]).toMatchObject({ outcome: 'error', code: 'CHAIN_UNREACHABLE' });
  });

  test('has its factory not tried while sponsorship is paused and the gas is open', async () => {
    const placeholders = { ...toRpcUserOperation(firstOf(await benign())), verificationGasLimit: '0x1' };
    await engine.service.call('system.pause', {});
    const denied = await dapp.sponsor(placeholders, { calculateGasLimits: true });
    await engine.service.call('system.resume', {});
    expect(codeOf(denied)).toBe('SPONSORSHIP_PAUSED');
    const { trace } = (await dapp.decisions())[0]!;
    expect(trace.find(({ rule }) => rule === 'validity')).toMatchObject({ outcome: 'pass', code: 'MAY_BE_VALID' });
  });
});
