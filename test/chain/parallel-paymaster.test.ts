import fc from 'fast-check';
import { Contract, type HDNodeWallet, parseEther } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import { contractAt, deployContract, devWallet, fundDeposit } from '../../src/demo/world-contracts.ts';
import { loadArtifact } from '../../src/engine/chain/artifacts.ts';
import { signDigest } from '../../src/engine/signer/sign.ts';
import type { SponsorshipTerms } from '../../src/core/paymaster-layouts/layout.ts';
import { parallel09 } from '../../src/core/paymaster-layouts/parallel-0.9.ts';
import { packUserOperation } from '../../src/core/user-operation/pack-user-operation.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperationV07 } from '../../src/shared/schema/user-operation.ts';
import { deployLayout } from '../support/deploy-layout.ts';
import { type EntryPointWorld, type NewAccount, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { hostileSuffixes } from '../support/hostile-suffixes.ts';
import { withDataFolder } from '../support/engine.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { quickEngine } from '../support/quick-engine.ts';

const chain = useLocalChain();
let world: EntryPointWorld;
let owner: HDNodeWallet;
let stranger: HDNodeWallet;
let signer: HDNodeWallet;
let paymaster: Address;
let contract: Contract;
let account: NewAccount;
let nonce = 0n;

beforeAll(async () => {
  const { provider, chainId } = chain();
  [owner, stranger, signer] = [devWallet(0, provider), devWallet(3, provider), devWallet(5, provider)];
  world = await deployEntryPointWorld(owner, chainId, '0.9');
  paymaster = await deployLayout(parallel09, signer.address, owner);
  contract = await contractAt('ParallelPaymaster', paymaster, owner);
  await fundDeposit(world.entryPoint, paymaster, parseEther('1'), owner);
  account = await world.newAccount(owner, 1n);
});

/** The next operation of the account, which its first one creates; the EntryPoint ignores the factory of the others. */
const operation = (): UserOperationV07 => {
  const op = world.firstOperation(account, { to: owner.address as Address, data: '0x' }) as UserOperationV07;
  return { ...op, nonce: (nonce += 1n) - 1n };
};
const termsIn = (window: Partial<SponsorshipTerms> = {}): SponsorshipTerms => ({
  chainId: chain().chainId,
  paymaster,
  validAfter: 0,
  validUntil: 2 ** 40,
  ...window,
});
const signedBy = (by: HDNodeWallet, op: UserOperationV07, terms: SponsorshipTerms): UserOperationV07 =>
  withPaymasterAndData(op, parallel09.encode(op, terms, signDigest(by.privateKey as Hex, parallel09.hash(op, terms))));

/** How the EntryPoint takes an operation: `mined`, or its AA code and the paymaster's error. */
const outcomeOf = async (op: UserOperationV07): Promise<string> => {
  try {
    return (await world.mine(op)).success ? 'mined' : 'failed';
  } catch {
    const entryPoint = await contractAt('EntryPoint-0.9', world.entryPoint, owner);
    try {
      await entryPoint.getFunction('handleOps').staticCall([packUserOperation(op)], owner.address);
      return 'mined after all';
    } catch (refusal) {
      const { name, args } = (refusal as { revert: { name: string; args: { reason?: string; inner?: Hex } } }).revert;
      const inner = args.inner === undefined ? undefined : contract.interface.parseError(args.inner)?.name;
      return [args.reason ?? name, inner].filter(Boolean).join(': ');
    }
  }
};

test('an owner who signs before the paymaster does is not asked again: the operation is mined', async () => {
  const op = operation();
  const [sooner, later] = [termsIn({ validUntil: 0 }), termsIn()];
  const signed = await world.sign(signedBy(signer, op, sooner), owner);
  const finished = { ...signedBy(signer, op, later), signature: signed.signature };
  expect(finished.paymasterData).not.toBe(signed.paymasterData);
  expect(await outcomeOf(finished)).toBe('mined');
});

test('an owner who has signed over nothing but the magic is not asked again either', async () => {
  const op = operation();
  const placeholder = { ...op, paymaster, ...parallel09.paymasterGas!, paymasterData: '0x22e325a297439656' as Hex };
  const { signature } = await world.sign(placeholder, owner);
  expect(await outcomeOf({ ...signedBy(signer, op, termsIn()), signature })).toBe('mined');
});

describe('a signature', () => {
  test.each<[string, Partial<SponsorshipTerms>, string]>([
    ['that is over', { validUntil: 1_700_000_000 }, 'AA32 paymaster expired or not due'],
    ['that is not due', { validAfter: 2 ** 39 }, 'AA32 paymaster expired or not due'],
    ['without an end', { validUntil: 0 }, 'mined'],
    [
      'of blocks that are over',
      { validAfter: 2 ** 47 + 1, validUntil: 2 ** 47 + 2 },
      'AA37 paymaster inval block range',
    ],
  ])('%s is taken as the EntryPoint says', async (_, window, outcome) => {
    const op = operation();
    expect(await outcomeOf(await world.sign(signedBy(signer, op, termsIn(window)), owner))).toBe(outcome);
    if (outcome !== 'mined') nonce -= 1n;
  });

  test.each<[string, (op: UserOperationV07) => UserOperationV07]>([
    ['of another key', (op) => signedBy(stranger, op, termsIn())],
    ['for another call', (op) => ({ ...signedBy(signer, op, termsIn()), callData: '0x' })],
    ['for other gas', (op) => ({ ...signedBy(signer, op, termsIn()), callGasLimit: op.callGasLimit + 1n })],
    [
      'for more gas of its own',
      (op) => ({ ...signedBy(signer, op, termsIn()), paymasterVerificationGasLimit: 90_000n }),
    ],
    ['for another chain', (op) => signedBy(signer, op, termsIn({ chainId: 1 }))],
    [
      'for another paymaster',
      (op) => ({ ...signedBy(signer, op, termsIn({ paymaster: owner.address as Address })), paymaster }),
    ],
    [
      'in a longer window than was signed',
      (op) => {
        const { paymasterData } = signedBy(signer, op, termsIn({ validUntil: 2 ** 41 }));
        const mine = signedBy(signer, op, termsIn());
        return { ...mine, paymasterData: `${paymasterData!.slice(0, 26)}${mine.paymasterData!.slice(26)}` as Hex };
      },
    ],
    [
      'with a mirrored s',
      (op) => {
        const mine = signedBy(signer, op, termsIn());
        const data = mine.paymasterData!;
        const [s, v] = [data.slice(26 + 64, 26 + 128), data.slice(26 + 128, 26 + 130)];
        const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
        const mirrored = (order - BigInt(`0x${s}`)).toString(16).padStart(64, '0');
        return {
          ...mine,
          paymasterData:
            `${data.slice(0, 26 + 64)}${mirrored}${v === '1b' ? '1c' : '1b'}${data.slice(26 + 130)}` as Hex,
        };
      },
    ],
  ])('%s pays for nothing', async (_, change) => {
    const op = operation();
    nonce -= 1n;
    expect(await outcomeOf(await world.sign(change(op), owner))).toBe('AA34 signature error');
  });
});

test.each(hostileSuffixes(`0x${'00'.repeat(129)}004d22e325a297439656`))(
  'data with %s pays for nothing',
  async (what) => {
    const op = operation();
    nonce -= 1n;
    const proper = packUserOperation(signedBy(signer, op, termsIn())).paymasterAndData;
    const [, hostile] = hostileSuffixes(proper).find(([one]) => one === what)!;
    const signed = await world.sign(withPaymasterAndData(op, proper), owner);
    expect(await outcomeOf(withPaymasterAndData(signed, hostile))).toMatch(
      /^(?:AA24 signature error|AA33 reverted: InvalidPaymasterAndData|InvalidPaymasterSignatureLength)$/,
    );
  },
);

test('its hash is the one that the desk signs, for any operation and window', async () => {
  const bytes = (constraints: fc.IntArrayConstraints): fc.Arbitrary<Hex> =>
    fc.uint8Array(constraints).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);
  const uint = (bits: bigint): fc.Arbitrary<bigint> => fc.bigInt(0n, (1n << bits) - 1n);
  const time = fc.maxSafeNat().map((value) => value % 2 ** 48);
  const anyOperation: fc.Arbitrary<UserOperationV07> = fc.record({
    sender: bytes({ minLength: 20, maxLength: 20 }),
    nonce: uint(256n),
    factory: bytes({ minLength: 20, maxLength: 20 }).filter((value) => !value.startsWith('0x7702')),
    factoryData: bytes({ maxLength: 100 }),
    callData: bytes({ maxLength: 300 }),
    callGasLimit: uint(128n),
    verificationGasLimit: uint(128n),
    preVerificationGas: uint(256n),
    maxFeePerGas: uint(128n),
    maxPriorityFeePerGas: uint(128n),
    paymasterVerificationGasLimit: uint(128n),
    paymasterPostOpGasLimit: uint(128n),
    signature: bytes({ maxLength: 100 }),
  });
  await fc.assert(
    fc.asyncProperty(anyOperation, time, time, async (op, validUntil, validAfter) => {
      const terms = termsIn({ validUntil, validAfter });
      const answer = await chain().provider.call({ to: paymaster, data: parallel09.getHashCall(op, terms) });
      expect(answer).toBe(parallel09.hash(op, terms));
    }),
    { numRuns: 60 },
  );
});

test('a desk on a chain without EntryPoint 0.9 says that it is not deployed there', async () => {
  const { provider, url, chainId } = chain();
  const code = await provider.getCode(world.entryPoint);
  await withDataFolder(async (dir) => {
    const desk = await quickEngine(dir);
    try {
      await desk.service.call('chains.set', { chainId, rpc: url });
      await desk.service.call('signers.import', { chainId, privateKey: signer.privateKey });
      await provider.send('anvil_setCode', [world.entryPoint, '0x']);
      const use = desk.service.call('paymasterContracts.use', { chainId, version: 'parallel-0.9', address: paymaster });
      await expect(use).rejects.toMatchObject({
        code: 'CONTRACT_MISMATCH',
        message: expect.stringContaining(
          `EntryPoint 0.9 (${world.entryPoint}) is not deployed on chain ${chainId}.`,
        ) as string,
      });
    } finally {
      await provider.send('anvil_setCode', [world.entryPoint, code]);
      await desk.stop();
    }
  });
});

describe('its money and its keys', () => {
  const refusal = async (by: HDNodeWallet, method: string, args: unknown[], value = 0n): Promise<string> => {
    const from = contract.connect(by) as Contract;
    try {
      await from.getFunction(method).staticCall(...args, { value });
      return 'done';
    } catch (error) {
      return (error as { revert?: { name: string } }).revert?.name ?? String(error);
    }
  };
  const send = async (by: HDNodeWallet, method: string, args: unknown[], value = 0n): Promise<void> => {
    const sent = await (contract.connect(by) as Contract).getFunction(method).send(...args, { value });
    await sent.wait();
  };

  test.each<[string, () => unknown[], bigint?]>([
    ['addSigner', () => [stranger.address]],
    ['removeSigner', () => [signer.address]],
    ['transferOwnership', () => [stranger.address]],
    ['withdrawTo', () => [stranger.address, 1n]],
    ['addStake', () => [1n], 1n],
    ['unlockStake', () => []],
    ['withdrawStake', () => [stranger.address]],
  ])('only the owner may call %s', async (method, args, value = 0n) => {
    expect(await refusal(stranger, method, args(), value)).toBe('NotOwner');
    expect(await refusal(signer, method, args(), value)).toBe('NotOwner');
  });

  test('no one but the EntryPoint has it validate an operation', async () => {
    const op = packUserOperation(signedBy(signer, operation(), termsIn()));
    nonce -= 1n;
    const args = [op, `0x${'00'.repeat(32)}`, 0n];
    expect(await refusal(owner, 'validatePaymasterUserOp', args)).toBe('NotEntryPoint');
  });

  test('anyone may pay in, and the owner gets out exactly that', async () => {
    const before = await world.deposit(paymaster);
    await send(stranger, 'deposit', [], 1_000n);
    expect(await contract.getFunction('getDeposit')()).toBe(before + 1_000n);
    const receiver = `0x${'5e'.repeat(20)}` as Address;
    await send(owner, 'withdrawTo', [receiver, 1_000n]);
    expect(await world.deposit(paymaster)).toBe(before);
    expect(await chain().provider.getBalance(receiver)).toBe(1_000n);
    expect(await refusal(owner, 'withdrawTo', [receiver, before + 1n])).not.toBe('done');
  });

  test('a stake comes back to the owner after its delay, and not before', async () => {
    const { provider } = chain();
    const receiver = `0x${'5f'.repeat(20)}` as Address;
    await send(owner, 'addStake', [100n], 5_000n);
    expect(await refusal(owner, 'withdrawStake', [receiver])).not.toBe('done');
    await send(owner, 'unlockStake', []);
    expect(await refusal(owner, 'withdrawStake', [receiver])).not.toBe('done');
    await provider.send('evm_increaseTime', [101]);
    await provider.send('evm_mine', []);
    await send(owner, 'withdrawStake', [receiver]);
    expect(await provider.getBalance(receiver)).toBe(5_000n);
  });

  test('a second key signs as well until it is removed', async () => {
    await send(owner, 'addSigner', [stranger.address]);
    for (const by of [stranger, signer]) {
      expect(await outcomeOf(await world.sign(signedBy(by, operation(), termsIn()), owner))).toBe('mined');
    }
    await send(owner, 'removeSigner', [stranger.address]);
    const op = operation();
    nonce -= 1n;
    expect(await outcomeOf(await world.sign(signedBy(stranger, op, termsIn()), owner))).toBe('AA34 signature error');
    expect(await refusal(owner, 'addSigner', [`0x${'00'.repeat(20)}`])).toBe('ZeroAddress');
  });

  test('another owner has to accept, so that a typing error loses nothing', async () => {
    await send(owner, 'transferOwnership', [stranger.address]);
    expect(await contract.getFunction('owner')()).toBe(owner.address);
    expect(await refusal(signer, 'acceptOwnership', [])).toBe('NotPendingOwner');
    await send(stranger, 'acceptOwnership', []);
    expect(await contract.getFunction('owner')()).toBe(stranger.address);
    expect(await refusal(owner, 'addSigner', [owner.address])).toBe('NotOwner');
    expect(await refusal(stranger, 'acceptOwnership', [])).toBe('NotPendingOwner');
    await send(stranger, 'transferOwnership', [owner.address]);
    await send(owner, 'acceptOwnership', []);
  });

  test('it is not made without an owner, nor for an EntryPoint that is not there', async () => {
    const { abi } = await loadArtifact('ParallelPaymaster');
    const made = (...args: unknown[]) => deployContract('ParallelPaymaster', args, owner);
    expect(abi.some(({ name }) => name === 'NoEntryPoint')).toBe(true);
    await expect(made(stranger.address, owner.address, [])).rejects.toThrow();
    await expect(made(world.entryPoint, `0x${'00'.repeat(20)}`, [])).rejects.toThrow();
    await expect(made(world.entryPoint, owner.address, [`0x${'00'.repeat(20)}`])).rejects.toThrow();
  });
});
