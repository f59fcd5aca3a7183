import { type HDNodeWallet, parseEther } from 'ethers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { contractAt, deployContract, devWallet, fundDeposit, fundGasTank } from '../../src/demo/world-contracts.ts';
import { STUB_SIGNATURE } from '../../src/core/paymaster-layouts/layout.ts';
import { requireLayout } from '../../src/core/paymaster-layouts/registry.ts';
import { packUserOperation } from '../../src/core/user-operation/pack-user-operation.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import {
  type EntryPointVersion,
  type UserOperation,
  type UserOperationV07,
  isV06,
} from '../../src/shared/schema/user-operation.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import { type EntryPointWorld, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type Answer, error, passTo, result, withNode } from '../support/odd-node.ts';
import { gameCall, gameItems } from '../support/operations.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { setUnseenChain } from '../support/unseen-chain.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';
import { shareOf } from '../support/combinations.ts';

const GWEI = 10n ** 9n;
const hex = (value: bigint): string => `0x${value.toString(16)}`;

/** `validateUserOp`, of packed operations and of others. */
const selectorOf = (version: EntryPointVersion): string => (entryPoints[version].isPacked ? '19822f7c' : '3a871cdd');
/** What an account does with a call: nothing (STOP), or burn all its gas (INVALID). */
const BEHAVIOURS = { idle: '00', burning: 'fe' } as const;
type Behaviour = keyof typeof BEHAVIOURS;

/** An account that finds every operation valid and does with any other call as it likes. */
const accountCode = (version: EntryPointVersion, behaviour: Behaviour): Hex => {
  // PUSH0 CALLDATALOAD PUSH1 e0 SHR PUSH4 selector EQ PUSH1 target JUMPI … JUMPDEST PUSH1 20 PUSH0 RETURN
  const dispatch = `5f3560e01c63${selectorOf(version)}14`;
  const target = (dispatch.length / 2 + 4).toString(16).padStart(2, '0');
  return `0x${dispatch}60${target}57${BEHAVIOURS[behaviour]}5b60205ff3`;
};

/** What gas costs on a chain, wei. */
interface Prices {
  readonly base: bigint;
  readonly tip: bigint;
}

const VERSIONS = ['1.1.0', 'singleton-0.6', 'verifying-0.7', 'singleton-0.8', 'parallel-0.9'] as const;
type Version = (typeof VERSIONS)[number];

const chain = useLocalChain();
const dir = makeTempFolder();
const worlds = new Map<EntryPointVersion, EntryPointWorld>();
const sponsors = new Map<Version, { readonly dapp: SponsoredDapp; readonly contract: Address }>();
let engine: ServingEngine;
let clock: ManualClock;
let operator: HDNodeWallet;
let items: Address;
let accounts = 0;

beforeAll(async () => {
  const { provider, chainId, url } = chain();
  operator = devWallet(0, provider);
  items = await deployContract('GameItems', [], operator);
  const block = await provider.getBlock('latest');
  clock = new ManualClock((block?.timestamp ?? 0) * 1000);
  engine = await startEngine({ dir, clock });
  await engine.service.call('chains.set', { chainId, rpc: url });
  await engine.service.call('signers.create', { chainId });
  for (const [index, version] of VERSIONS.entries()) {
    const { entryPointVersion, hasTanks } = requireLayout(version);
    const known = worlds.get(entryPointVersion);
    const world = known ?? (await deployEntryPointWorld(operator, chainId, entryPointVersion));
    worlds.set(entryPointVersion, world);
    const contract = await attachNewContract(engine.service, operator, { chainId, version });
    const fundingWallet = devWallet(50 + index, provider);
    const dapp = await engine.dapp({ version, ...(hasTanks && { fundingWallet }) });
    const wei = parseEther('100');
    if (hasTanks) await fundGasTank(contract, dapp.fundingWallet, wei, operator);
    else await fundDeposit(world.entryPoint, contract, wei, operator);
    const registered = {
      name: 'Game Items',
      address: items,
      abi: gameItems.formatJson(),
      whitelistedMethods: ['mint'],
    };
    await engine.service.call('contracts.create', { paymasterId: dapp.paymasterId, ...registered });
    sponsors.set(version, { dapp, contract });
  }
});
afterAll(async () => {
  await engine.stop();
  removeTempFolder(dir);
});
// The chain follows the machine's time.
beforeEach(async () => {
  const block = await chain().provider.getBlock('latest');
  await clock.advance(block!.timestamp * 1000 - clock.now());
});

const setBaseFee = async (base: bigint): Promise<void> => {
  await chain().provider.send('anvil_setNextBlockBaseFeePerGas', [hex(base)]);
  await chain().provider.send('evm_mine', []);
  await chain().provider.send('anvil_setNextBlockBaseFeePerGas', [hex(base)]);
};

/** Runs while gas costs that much, and the node answers some methods in its own way. Answers the methods it was asked, too. */
const asChain = async <T>({ base, tip }: Prices, run: () => Promise<T>, own: Record<string, Answer> = {}) => {
  const { chainId, url } = chain();
  const proper = passTo(url);
  const answers: Record<string, Answer> = { eth_maxPriorityFeePerGas: result(hex(tip)), ...own };
  const asked: string[] = [];
  const answer: Answer = (response, method, body) => {
    asked.push(body);
    (answers[method] ?? proper)(response, method, body);
  };
  await setBaseFee(base);
  return withNode(answer, async (rpc) => {
    await setUnseenChain(engine.service, chainId, rpc);
    try {
      return { value: await run(), asked };
    } finally {
      await engine.service.call('chains.set', { chainId, rpc: url });
    }
  });
};

/** A mint of a new account, with just the gas it needs, at the price of the chain. */
const mint = async (
  version: Version,
  { base, tip }: Prices,
  behaviour: Behaviour,
  overrides: Partial<UserOperation> = {},
): Promise<UserOperation> => {
  const { entryPointVersion } = requireLayout(version);
  const sender: Address = `0x${(accounts += 1).toString(16).padStart(40, 'ac0')}`;
  await chain().provider.send('anvil_setCode', [sender, accountCode(entryPointVersion, behaviour)]);
  const op = {
    sender,
    nonce: 0n,
    callData: encodeExecute(items, 0n, gameCall('mint')),
    signature: STUB_SIGNATURE,
    callGasLimit: 30_000n,
    verificationGasLimit: 100_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: 2n * base + tip,
    maxPriorityFeePerGas: tip,
    ...entryPoints[entryPointVersion].emptyFields,
    ...overrides,
  };
  return op as UserOperation;
};

/** Follows a hint. */
const following = (op: UserOperation, hint: string): UserOperation => {
  const named = [...hint.matchAll(/an? (\w+) of at most (\d+)/g)].map(
    ([, field, most]) => [field, BigInt(most!)] as const,
  );
  const values = Object.fromEntries(named) as Partial<UserOperation>;
  // Either of the fees does.
  const { maxFeePerGas: _, ...others } = values;
  return { ...op, ...(values.maxPriorityFeePerGas === undefined ? values : others) } as UserOperation;
};

const MAX_HINTS = 4;

/** Has an operation signed, if need be with the highest values that the desk itself says it signs. */
const signed = async (version: Version, op: UserOperation, hints = 0): Promise<UserOperation> => {
  const { body } = await sponsors.get(version)!.dapp.sponsor(toRpcUserOperation(op));
  expect(body.error).toBeUndefined();
  const { reason, paymasterAndData } = body.result!;
  if (reason === undefined) return { ...withPaymasterAndData(op, paymasterAndData), signature: STUB_SIGNATURE };
  expect(hints, reason.message).toBeLessThan(MAX_HINTS);
  return signed(version, following(op, reason.hint), hints + 1);
};

/** Bundles an operation, as its sender does. Answers what the paymaster lost, wei, and what the bundle took, gas. */
const bundled = async (version: Version, op: UserOperation): Promise<{ lost: bigint; gasUsed: bigint }> => {
  const { entryPointVersion } = requireLayout(version);
  const { entryPoint } = worlds.get(entryPointVersion)!;
  const contract = await contractAt(entryPoints[entryPointVersion].deployment.artifact, entryPoint, operator);
  const deposit = async (): Promise<bigint> =>
    (await contract.getFunction('balanceOf')(sponsors.get(version)!.contract)) as bigint;
  const before = await deposit();
  const form = isV06(op) ? op : packUserOperation(op);
  const sent = await contract.getFunction('handleOps').send([form], operator.address, { gasLimit: 20_000_000n });
  const receipt = await sent.wait();
  return { lost: before - (await deposit()), gasUsed: receipt!.gasUsed };
};

/** Of what the tank paid, what a bundler keeps that pays the base fee and the tip that the node suggests: hundredths of a percent. */
const gainOf = async (version: Version, prices: Prices, op: UserOperation): Promise<number> => {
  const { value } = await asChain(prices, async () => {
    const sponsored = await signed(version, op);
    await setBaseFee(prices.base);
    return bundled(version, sponsored);
  });
  const { lost, gasUsed } = value;
  expect(lost).toBeGreaterThan(0n);
  return Number(((lost - gasUsed * (prices.base + prices.tip)) * 10_000n) / lost);
};

/** Where probes look for the EntryPoint's code. */
const PROBE = '0x66EE95b1CDD8cec3d47b46f50083b1c696489f3D';
const LONG = { signature: `0x${'ff'.repeat(2048)}` as Hex };
const FORTUNE = { preVerificationGas: 10n ** 6n };
/** As much gas as fits under the cap of an operation. */
const UNUSED = { callGasLimit: 1_600_000n };
const times = (price: bigint): Partial<UserOperation> => ({ maxFeePerGas: price, maxPriorityFeePerGas: price });

const ways: readonly [string, Behaviour, (prices: Prices) => Partial<UserOperation>][] = [
  ['a high tip', 'idle', ({ base, tip }) => times(9n * (base + tip))],
  ['more preVerificationGas than a bundle costs', 'idle', () => FORTUNE],
  ['gas that it does not use', 'idle', () => UNUSED],
  ['a long dummy signature', 'idle', () => ({ ...FORTUNE, ...LONG })],
  ['all of that', 'idle', ({ base, tip }) => ({ ...times(9n * (base + tip)), ...FORTUNE, ...UNUSED, ...LONG })],
  [
    'gas that it burns, at a high price',
    'burning',
    ({ base, tip }) => ({
      ...UNUSED,
      maxFeePerGas: 2n * (base + tip),
      maxPriorityFeePerGas: tip + ((base + tip) * 155n) / 1000n,
    }),
  ],
  ['gas that it burns, and more preVerificationGas', 'burning', () => ({ ...UNUSED, ...FORTUNE, ...LONG })],
];

const chains: readonly Prices[] = [
  { base: 20n * GWEI, tip: GWEI },
  { base: GWEI, tip: GWEI },
  { base: 5_000_000n, tip: 1_000_000n },
];

describe.each(VERSIONS)('a sender who bundles an operation that %s pays for', (version) => {
  test.each(shareOf(ways, version, VERSIONS))(
    'gains at most 15 percent of what the tank pays by %s',
    async (_, behaviour, overrides) => {
      for (const prices of chains) {
        const op = await mint(version, prices, behaviour, overrides(prices));
        expect(await gainOf(version, prices, op), String(prices.base)).toBeLessThanOrEqual(1_500);
      }
    },
  );

  test('gains hardly anything by an operation as clients send it, and no node simulates that one', async () => {
    const prices = chains[0]!;
    const { asked, value } = await asChain(prices, async () =>
      bundled(version, await signed(version, await mint(version, prices, 'idle'))),
    );
    expect(value.lost - value.gasUsed * (prices.base + prices.tip)).toBeLessThan((value.lost * 6n) / 100n);
    expect(asked.filter((body) => body.includes(PROBE))).toEqual([]);
  });
});

describe('a sender with an unsigned EIP-7702 authorisation', () => {
  const prices = chains[0]!;
  const zero: Hex = `0x${'00'.repeat(32)}`;
  const delegate: Address = `0x${'de'.repeat(20)}`;
  beforeAll(() => chain().provider.send('anvil_setCode', [delegate, accountCode('0.7', 'idle')]));
  const authorizing = (): Partial<UserOperationV07> => ({
    eip7702Auth: { chainId: 31337n, address: delegate, nonce: 0n, yParity: 0n, r: zero, s: zero },
  });

  test('is given no gas for it where the account is a contract', async () => {
    const op = await mint('verifying-0.7', prices, 'idle', { ...authorizing(), ...FORTUNE });
    expect(await gainOf('verifying-0.7', prices, op)).toBeLessThanOrEqual(1_500);
  });

  test('is given gas for it once, by however many operations that wait to be mined together', async () => {
    const { dapp } = sponsors.get('verifying-0.7')!;
    const op = await mint('verifying-0.7', prices, 'idle', { ...authorizing(), preVerificationGas: 72_000n });
    await chain().provider.send('anvil_setCode', [op.sender, '0x']);
    const reasonOf = async (nonce: bigint, preVerificationGas = op.preVerificationGas) => {
      const sent = toRpcUserOperation({ ...op, nonce, preVerificationGas });
      const { value } = await asChain(prices, () => dapp.sponsor(sent));
      return value.body.result?.reason;
    };
    expect(await reasonOf(0n)).toBeUndefined();
    // The same once more, as after a refusal by the user: only one of them can be mined.
    expect(await reasonOf(0n)).toBeUndefined();
    const denied = await reasonOf(1n << 64n);
    expect(denied).toMatchObject({ code: 'PRE_VERIFICATION_GAS_TOO_HIGH' });
    expect(denied!.message).toContain('pays for its EIP-7702 authorisation');
    const [, most] = /or now with a preVerificationGas of at most (\d+)/.exec(denied!.hint)!;
    expect(await reasonOf(2n << 64n, BigInt(most!))).toBeUndefined();
    expect(BigInt(most!)).toBeLessThan(op.preVerificationGas - 10_000n);

    const expired = 300 + 150;
    const { timestamp } = (await chain().provider.getBlock('latest'))!;
    await chain().provider.send('evm_setNextBlockTimestamp', [timestamp + expired]);
    await chain().provider.send('evm_mine', []);
    await clock.advance(expired * 1_000);
    const later = async () => {
      await clock.advance(4_000);
      return reasonOf(3n << 64n);
    };
    await expect.poll(later).toBeUndefined();
  });

  test.each([
    ['has none of its code yet', '0x', true],
    ['has another delegate', `0xef0100${'5d'.repeat(20)}`, true],
    ['has that delegate already', 'delegated', false],
  ])('is given gas for it where the account %s', async (_, code, isGiven) => {
    const op = await mint('verifying-0.7', prices, 'idle', { ...authorizing(), preVerificationGas: 72_000n });
    const put = code === 'delegated' ? `0xef0100${delegate.slice(2)}` : code;
    await chain().provider.send('anvil_setCode', [op.sender, put]);
    const { value } = await asChain(prices, () => sponsors.get('verifying-0.7')!.dapp.sponsor(toRpcUserOperation(op)));
    expect(value.body.result?.reason?.code).toBe(isGiven ? undefined : 'PRE_VERIFICATION_GAS_TOO_HIGH');
  });
});

describe('gas that an operation asks for and may not use', () => {
  const prices = chains[0]!;
  const roomy = { callGasLimit: 600_000n };
  const reasonOf = async (behaviour: Behaviour, own: Record<string, Answer> = {}) => {
    const op = await mint('verifying-0.7', prices, behaviour, roomy);
    const { value } = await asChain(
      prices,
      () => sponsors.get('verifying-0.7')!.dapp.sponsor(toRpcUserOperation(op)),
      own,
    );
    expect(value.body.error).toBeUndefined();
    return value.body.result?.reason;
  };

  test('is signed for where a simulation uses it', async () => {
    expect(await reasonOf('burning')).toBeUndefined();
  });

  test('counts as unused where a simulation does not use it, and where the node cannot simulate it', async () => {
    const simulated = (response: Parameters<Answer>[0], method: string, body: string): void =>
      (body.includes(PROBE) ? error(-32602, 'too many arguments') : passTo(chain().url))(response, method, body);
    const cases = [
      [await reasonOf('idle'), /but its call uses \d+;/],
      [await reasonOf('burning', { eth_call: simulated }), /the node does not simulate it/],
    ] as const;
    for (const [reason, words] of cases) {
      expect(reason).toMatchObject({ code: 'CALL_GAS_TOO_HIGH', rule: 'fees', message: expect.stringMatching(words) });
      expect(reason?.hint).toMatch(/a callGasLimit of at most \d+\./);
    }
  });
});
