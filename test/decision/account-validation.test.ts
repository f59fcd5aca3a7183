import { type HDNodeWallet, parseEther } from 'ethers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { STUB_SIGNATURE } from '../../src/core/paymaster-layouts/layout.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { deployContract, devWallet, fundDeposit } from '../../src/demo/world-contracts.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperation } from '../../src/shared/schema/user-operation.ts';
import { type EntryPointWorld, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type Answer, error, json, passTo, withNode } from '../support/odd-node.ts';
import { codeOf } from '../support/offline-desk.ts';
import { gameCall } from '../support/operations.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { setUnseenChain } from '../support/unseen-chain.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';
import { shareOf } from '../support/combinations.ts';

const versions = [
  ['0.6', 'verifying-0.6'],
  ['0.7', 'verifying-0.7'],
  ['0.8', 'singleton-0.8'],
  ['0.9', 'parallel-0.9'],
] as const;

/** The forms of `AccountOfForm`, in its order. */
const HONEST = ['recovered', 'strict', 'window', 'module', 'owner', 'passkey', 'mode', 'compact'];
const FAILING = ['never', 'silent', 'burning'];
const FORMS = [...HONEST, ...FAILING];

/** What clients send for a signature until there is one. */
const DUMMIES: readonly Hex[] = ['0x', STUB_SIGNATURE, '0x1234', `0x${'00'.repeat(65)}`, `0x${'ab'.repeat(300)}`];

const chain = useLocalChain();
const dir = makeTempFolder();
let engine: ServingEngine;
let operator: HDNodeWallet;
let items: Address;
const accounts = new Map<string, Address>();

const setChain = (settings: Record<string, unknown>): Promise<unknown> =>
  engine.service.call('chains.set', { chainId: chain().chainId, ...settings });

beforeAll(async () => {
  const { provider } = chain();
  operator = devWallet(0, provider);
  items = await deployContract('GameItems', [], operator);
  for (const [index, form] of FORMS.entries()) {
    accounts.set(form, await deployContract('AccountOfForm', [index], operator));
  }
  const block = await provider.getBlock('latest');
  engine = await startEngine({ dir, clock: new ManualClock((block?.timestamp ?? 0) * 1000) });
  await setChain({ rpc: chain().url });
  await engine.service.call('signers.create', { chainId: chain().chainId });
});
// Empty blocks let the base fee fall, and with it what may be offered.
beforeEach(async () => {
  await chain().provider.send('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00']);
  await chain().provider.send('evm_mine', []);
  await setUnseenChain(engine.service, chain().chainId, chain().url);
});
afterAll(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

describe.each(versions)('on EntryPoint v%s', (entryPointVersion, version) => {
  let world: EntryPointWorld;
  let dapp: SponsoredDapp;
  beforeAll(async () => {
    world = await deployEntryPointWorld(operator, chain().chainId, entryPointVersion);
    const paymaster = await attachNewContract(engine.service, operator, { chainId: chain().chainId, version });
    await fundDeposit(world.entryPoint, paymaster, parseEther('10'), operator);
    dapp = await engine.dapp({ version });
  });

  let lane = 0n;
  const operationOf = (sender: Address, changes: Partial<UserOperation> = {}): Record<string, unknown> => {
    const made = { address: sender, factory: sender, factoryData: '0x' as const };
    const {
      factory: _,
      factoryData: __,
      ...op
    } = {
      factory: undefined,
      factoryData: undefined,
      ...world.firstOperation(made, { to: items, data: gameCall('mint') }),
    };
    const nonce = (lane += 1n) << 64n;
    // These accounts do nothing with a call.
    const used = { callGasLimit: 50_000n, preVerificationGas: 52_000n, nonce };
    const whole = { ...op, ...('initCode' in op && { initCode: '0x' }), ...used, ...changes } as UserOperation;
    return toRpcUserOperation(whole);
  };
  const account = (form: string): Address => accounts.get(form)!;
  const reserved = async (): Promise<number> =>
    (await dapp.decisions()).filter(({ settlement }) => settlement !== null).length;

  test.each(
    shareOf(
      HONEST,
      version,
      versions.map(([, one]) => one),
    ),
  )('an account that reads its signature is signed for, whatever the dummy: %s', async (form) => {
    for (const signature of DUMMIES) {
      expect([signature, codeOf(await dapp.sponsor(operationOf(account(form), { signature })))]).toEqual([
        signature,
        'SPONSORED',
      ]);
    }
  });

  test('so is one that its first operation makes, whatever the dummy', async () => {
    for (const [index, signature] of DUMMIES.entries()) {
      const made = await world.newAccount(operator, 900n + BigInt(index));
      const op = { ...world.firstOperation(made, { to: items, data: gameCall('mint') }), signature };
      expect([signature, codeOf(await dapp.sponsor(toRpcUserOperation(op)))]).toEqual([signature, 'SPONSORED']);
    }
  });

  test.each([
    ['reverts with an error of its own', () => account('never'), /reverts with the error 0x[0-9a-f]{8}/],
    ['answers nothing', () => account('silent'), /answers nothing/],
    ['burns its gas', () => account('burning'), /verificationGasLimit of 700000/],
    ['is no account', () => items, /reverts without a reason/],
  ])('nothing is signed or held for one that %s, whatever the signature', async (_, sender, words) => {
    const before = await reserved();
    for (const signature of DUMMIES) {
      const { body } = await dapp.sponsor(operationOf(sender(), { signature }));
      expect(body.result).toMatchObject({
        paymasterAndData: '0x',
        reason: { code: 'ACCOUNT_FAILS_VALIDATION', rule: 'validity' },
      });
      expect(body.result?.reason?.message).toMatch(words);
    }
    expect(await reserved()).toBe(before);
  });

  test('so is one with gas for nothing; with enough it is signed', async () => {
    const sender = account('recovered');
    expect(codeOf(await dapp.sponsor(operationOf(sender, { verificationGasLimit: 1n })))).toBe(
      'ACCOUNT_FAILS_VALIDATION',
    );
    expect(codeOf(await dapp.sponsor(operationOf(sender, { verificationGasLimit: 100_000n })))).toBe('SPONSORED');
  });

  test('behind an operation that is not mined nothing is said of it', async () => {
    const queued = await dapp.sponsor(operationOf(account('never'), { nonce: (99n << 64n) + 1n }));
    expect(codeOf(queued)).toBe('SPONSORED');
  });

  test('is asked once where it validates, without state overrides', async () => {
    const calls: unknown[][] = [];
    const counting: Answer = (response, method, body) => {
      const { params } = JSON.parse(body) as { params: [{ to?: string }, ...unknown[]] };
      if (method === 'eth_call' && params[0].to?.toLowerCase() === world.entryPoint.toLowerCase()) calls.push(params);
      passTo(chain().url)(response, method, body);
    };
    const ask = async (form: string): Promise<number[]> => {
      calls.length = 0;
      await withNode(counting, async (url) => {
        await setChain({ rpc: url });
        const { body } = await dapp.sponsor(operationOf(account(form), { signature: STUB_SIGNATURE }));
        expect(body.error).toBeUndefined();
      });
      await setChain({ rpc: chain().url });
      return calls.map(({ length }) => length);
    };
    expect((await ask('recovered')).filter((length) => length === 3)).toEqual([]);
    expect((await ask('never')).filter((length) => length === 3)).toHaveLength(1);
  });

  test.each([
    ['knows no state overrides', error(-32602, 'too many arguments')],
    ['ignores them', json({ id: 1, result: '0x' })],
  ])('a node that %s stops no operation', async (_, answer) => {
    const limited: Answer = (response, method, body) => {
      const { params } = JSON.parse(body) as { params: unknown[] };
      if (method === 'eth_call' && params.length === 3) answer(response, method, body);
      else passTo(chain().url)(response, method, body);
    };
    const reply = await withNode(limited, async (url) => {
      await setChain({ rpc: url });
      return dapp.sponsor(operationOf(account('never')));
    });
    await setChain({ rpc: chain().url });
    expect(codeOf(reply)).toBe('SPONSORED');
  });
});
