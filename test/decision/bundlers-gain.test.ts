import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HDNodeWallet, Interface, type TransactionReceipt, parseEther } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { contractAt, deployContract, devWallet, fundDeposit, fundGasTank } from '../../src/demo/world-contracts.ts';
import { requireLayout } from '../../src/core/paymaster-layouts/registry.ts';
import { packUserOperation } from '../../src/core/user-operation/pack-user-operation.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { type EntryPointVersion, type UserOperation, isV06 } from '../../src/shared/schema/user-operation.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import { type EntryPointWorld, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type Answer, passTo, result, withNode } from '../support/odd-node.ts';
import {
  type ServingEngine,
  type SponsoredDapp,
  gameCall,
  gameItems,
  startEngine,
} from '../support/sponsored-world.ts';

const GWEI = 10n ** 9n;
const SIGNATURE: Hex = `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`;

/** The account of an attacker: any call of `validateUserOp` answers 0, and the code behind it runs for any other. */
const accountCode = (version: EntryPointVersion, behaviour: string): Hex => {
  const selector = version === '0.6' ? '3a871cdd' : '19822f7c';
  const answer = '5b60205ff3'; // JUMPDEST, 32 bytes of zero
  const dispatch = `5f3560e01c63${selector}14`;
  const target = (dispatch.length / 2 + 3 + behaviour.length / 2).toString(16).padStart(2, '0');
  return `0x${dispatch}60${target}57${behaviour}${answer}`;
};
const BEHAVIOURS: Record<string, string> = {
  /** STOP */
  idle: '00',
  /** INVALID: all gas of the call is gone. */
  burning: 'fe',
};

const PAYMASTERS = [
  '1.1.0',
  'verifying-0.6',
  'singleton-0.6',
  'verifying-0.7',
  'singleton-0.7',
  'singleton-0.8',
] as const;
type Paymaster = (typeof PAYMASTERS)[number];

const chain = useLocalChain();
const dir = mkdtempSync(join(tmpdir(), 'gasdesk-gain-'));
const worlds = new Map<EntryPointVersion, EntryPointWorld>();
const dapps = new Map<Paymaster, { readonly dapp: SponsoredDapp; readonly contract: Address }>();
let engine: ServingEngine;
let operator: HDNodeWallet;
let items: Address;
let accounts = 0;

const hex = (value: bigint): string => `0x${value.toString(16)}`;

beforeAll(async () => {
  const { provider, chainId, url } = chain();
  operator = devWallet(0, provider);
  await provider.send('evm_setBlockGasLimit', [hex(60_000_000n)]);
  items = await deployContract('GameItems', [], operator);
  const block = await provider.getBlock('latest');
  engine = await startEngine({ dir, clock: new ManualClock((block?.timestamp ?? 0) * 1000) });
  await engine.service.call('chains.set', { chainId, rpc: url });
  await engine.service.call('signers.create', { chainId });
  for (const version of ['0.6', '0.7', '0.8'] as const) {
    worlds.set(version, await deployEntryPointWorld(operator, chainId, version));
  }
  for (const [index, version] of PAYMASTERS.entries()) {
    const contract = await attachNewContract(engine.service, operator, { chainId, version });
    const layout = requireLayout(version);
    const fundingWallet = devWallet(50 + index, provider);
    const dapp = await engine.dapp({ version, ...(layout.hasTanks && { fundingWallet }) });
    const { entryPoint } = worlds.get(layout.entryPointVersion)!;
    if (layout.hasTanks) await fundGasTank(contract, fundingWallet.address as Address, parseEther('100'), operator);
    else await fundDeposit(entryPoint, contract, parseEther('100'), operator);
    const registered = {
      name: 'Game Items',
      address: items,
      abi: gameItems.formatJson(),
      whitelistedMethods: ['mint'],
    };
    await engine.service.call('contracts.create', { paymasterId: dapp.paymasterId, ...registered });
    dapps.set(version, { dapp, contract });
  }
}, 300_000);
afterAll(async () => {
  await engine.stop();
  rmSync(dir, { recursive: true, force: true });
});

interface Prices {
  readonly base: bigint;
  readonly tip: bigint;
}

const setBaseFee = async (base: bigint): Promise<void> => {
  await chain().provider.send('anvil_setNextBlockBaseFeePerGas', [hex(base)]);
  await chain().provider.send('evm_mine', []);
  await chain().provider.send('anvil_setNextBlockBaseFeePerGas', [hex(base)]);
};

const asChain = async <T>({ base, tip }: Prices, run: () => Promise<T>): Promise<T> => {
  const { chainId, url } = chain();
  const proper = passTo(url);
  const suggests = result(hex(tip));
  const answer: Answer = (response, method, body) =>
    (method === 'eth_maxPriorityFeePerGas' ? suggests : proper)(response, method, body);
  await setBaseFee(base);
  return withNode(answer, async (rpc) => {
    await engine.service.call('chains.set', { chainId, rpc });
    return run();
  });
};

const newAccount = async (version: EntryPointVersion, behaviour: string): Promise<Address> => {
  const address: Address = `0x${(accounts += 1).toString(16).padStart(40, 'ac0')}`;
  await chain().provider.send('anvil_setCode', [address, accountCode(version, behaviour)]);
  return address;
};

const mint = async (
  version: EntryPointVersion,
  behaviour: string,
  { base, tip }: Prices,
  overrides: Partial<UserOperation>,
): Promise<UserOperation> => {
  const common = {
    ...{
      sender: await newAccount(version, behaviour),
      nonce: 0n,
      callData: encodeExecute(items, 0n, gameCall('mint')),
    },
    ...{ callGasLimit: 30_000n, verificationGasLimit: 100_000n, preVerificationGas: 50_000n, signature: SIGNATURE },
    ...{ maxFeePerGas: 2n * base + tip, maxPriorityFeePerGas: tip },
  };
  const op = version === '0.6' ? { ...common, initCode: '0x' as const, paymasterAndData: '0x' as const } : common;
  return { ...op, ...overrides } as UserOperation;
};

const FIELDS = ['preVerificationGas', 'callGasLimit', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const;

/** Has it sponsored, with the values that the desk itself says would do. */
const takeAll = async (
  dapp: SponsoredDapp,
  wanted: UserOperation,
): Promise<{ op: UserOperation; data: Hex; tries: string[] }> => {
  let op = wanted;
  const tries: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const { body } = await dapp.sponsor(toRpcUserOperation(op));
    if (body.error) throw new Error(JSON.stringify(body.error));
    const { reason, paymasterAndData } = body.result!;
    if (reason === undefined) return { op, data: paymasterAndData, tries };
    tries.push(`${reason.code} ${reason.message} ${reason.hint}`);
    const tip = /maxPriorityFeePerGas of at most (\d+)/.exec(reason.hint);
    for (const field of FIELDS) {
      if (field === 'maxFeePerGas' && tip) continue;
      const most = new RegExp(`${field} of at most (\\d+)`).exec(reason.hint)?.[1];
      if (most !== undefined) op = { ...op, [field]: BigInt(most) };
    }
  }
  throw new Error(tries.join('\n'));
};

const bundle = async (version: EntryPointVersion, ops: readonly UserOperation[]): Promise<TransactionReceipt> => {
  const { entryPoint } = worlds.get(version)!;
  const contract = await contractAt(version === '0.6' ? 'EntryPoint' : 'EntryPoint-0.7', entryPoint, operator);
  const forms = ops.map((op) => (isV06(op) ? op : packUserOperation(op)));
  const sent = await contract.getFunction('handleOps').send(forms, operator.address, { gasLimit: 50_000_000n });
  return sent.wait();
};

const plunder = async (
  paymaster: Paymaster,
  prices: Prices,
  behaviour: string,
  overrides: Partial<UserOperation>,
  count = 1,
) => {
  const { dapp, contract } = dapps.get(paymaster)!;
  const version = requireLayout(paymaster).entryPointVersion;
  const deposits = await contractAt('EntryPoint', worlds.get(version)!.entryPoint, operator);
  const deposit = async () => (await deposits.getFunction('balanceOf')(contract)) as bigint;
  return asChain(prices, async () => {
    const signed: UserOperation[] = [];
    const tries: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const taken = await takeAll(dapp, await mint(version, behaviour, prices, overrides));
      tries.push(...taken.tries);
      signed.push({ ...withPaymasterAndData(taken.op, taken.data), signature: SIGNATURE });
    }
    const before = await deposit();
    await setBaseFee(prices.base);
    const { gasUsed, logs } = await bundle(version, signed);
    const lost = before - (await deposit());
    const abi = new Interface([
      'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
    ]);
    const charged = logs
      .flatMap((log) => abi.parseLog(log) ?? [])
      .reduce((sum, { args }) => sum + (args['actualGasUsed'] as bigint), 0n);
    const pvg = signed.reduce((sum, op) => sum + op.preVerificationGas, 0n);
    const pct = (wei: bigint) => Number((wei * 10_000n) / lost) / 100;
    const { preVerificationGas, callGasLimit, maxFeePerGas, maxPriorityFeePerGas } = signed[0]!;
    return {
      net: pct(lost - gasUsed * (prices.base + prices.tip)),
      noTip: pct(lost - gasUsed * prices.base),
      gasUsed,
      charged,
      bundle: gasUsed - (charged - pvg),
      metered: charged - pvg,
      op: { preVerificationGas, callGasLimit, maxFeePerGas, maxPriorityFeePerGas },
      lost,
      tries,
    };
  });
};

describe.each(PAYMASTERS)('%s', (paymaster) => {
  test.each([
    [20n * GWEI, GWEI],
    [5n * GWEI, GWEI],
    [GWEI, GWEI],
    [5n * 10n ** 6n, 10n ** 6n],
    [15n, 30n * GWEI],
  ])(
    'base %s tip %s',
    async (base, tip) => {
      const prices = { base, tip };
      const high = { maxFeePerGas: 9n * base + 9n * tip, maxPriorityFeePerGas: 9n * base + 9n * tip };
      const long = `0x${'ff'.repeat(2048)}` as Hex;
      const auth = {
        eip7702Auth: {
          chainId: 31337n,
          address: items,
          nonce: 0n,
          yParity: 0n,
          r: `0x${'00'.repeat(32)}` as Hex,
          s: `0x${'00'.repeat(32)}` as Hex,
        },
      } as unknown as Partial<UserOperation>;
      for (const [name, behaviour, overrides, count] of [
        ['honest', 'idle', {}, 1],
        ['pvg', 'idle', { preVerificationGas: 10n ** 6n }, 1],
        ['price', 'idle', high, 1],
        ['unused', 'idle', { callGasLimit: 9_800_000n }, 1],
        ['all', 'idle', { ...high, preVerificationGas: 10n ** 6n, callGasLimit: 9_800_000n, signature: long }, 1],
        ['burned, price', 'burning', { ...high, callGasLimit: 1_600_000n }, 1],
        [
          'burned, all',
          'burning',
          { ...high, callGasLimit: 1_600_000n, preVerificationGas: 10n ** 6n, signature: long },
          1,
        ],
        ['five in a bundle', 'idle', { preVerificationGas: 10n ** 6n }, 5],
        ...(paymaster.endsWith('6') || paymaster === '1.1.0'
          ? []
          : [['7702', 'idle', { ...auth, preVerificationGas: 10n ** 6n }, 1]]),
      ] as [string, 'idle', Partial<UserOperation>, number][]) {
        try {
          const { tries, ...rest } = await plunder(paymaster, prices, BEHAVIOURS[behaviour]!, overrides, count);
          console.log(
            'GAIN',
            paymaster,
            base,
            tip,
            name,
            JSON.stringify(rest, (_, v) => (typeof v === 'bigint' ? String(v) : v)),
            base === 5n * GWEI ? tries.join(' // ') : '',
          );
        } catch (error) {
          console.log('GAIN', paymaster, base, tip, name, String(error).slice(0, 900));
        }
      }
    },
    300_000,
  );
});
