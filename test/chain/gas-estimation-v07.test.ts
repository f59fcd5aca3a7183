import { Interface, concat, parseEther } from 'ethers';
import type { AuthorizationLike, HDNodeWallet } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import { contractAt, deployContract, devWallet, fundDeposit } from '../../src/demo/world-contracts.ts';
import { estimateGas } from '../../src/engine/chain/gas/estimate-gas.ts';
import type { GasValues } from '../../src/core/user-operation/gas-values.ts';
import type { GasRequest } from '../../src/engine/chain/gas/gas-request.ts';
import { loadArtifact } from '../../src/engine/chain/artifacts.ts';
import { createRpcClient } from '../../src/engine/chain/rpc.ts';
import { type PaymasterLayout, STUB_SIGNATURE } from '../../src/core/paymaster-layouts/layout.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import { singleton07 } from '../../src/core/paymaster-layouts/singleton-0.7.ts';
import { singleton08 } from '../../src/core/paymaster-layouts/singleton-0.8.ts';
import { verifying07 } from '../../src/core/paymaster-layouts/verifying-0.7.ts';
import { signDigest } from '../../src/engine/signer/sign.ts';
import { packUserOperation } from '../../src/core/user-operation/pack-user-operation.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Rollup } from '../../src/shared/chains.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { EntryPointVersion, UserOperation, UserOperationV07 } from '../../src/shared/schema/user-operation.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import { deployLayout } from '../support/deploy-layout.ts';
import { type EntryPointWorld, type NewAccount, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { shareOf } from '../support/combinations.ts';

const gameItems = new Interface(['function mint(uint256 amount)', 'function burn(uint256)', 'function failingMint()']);

const chain = useLocalChain();
const worlds = new Map<EntryPointVersion, EntryPointWorld>();
let bundler: HDNodeWallet;
let owner: HDNodeWallet;
let signer: HDNodeWallet;
let items: Address;

beforeAll(async () => {
  const { provider, chainId } = chain();
  [bundler, owner, signer] = [devWallet(0, provider), devWallet(1, provider), devWallet(5, provider)];
  items = await deployContract('GameItems', [], bundler);
  for (const version of ['0.7', '0.8', '0.9'] as const) {
    worlds.set(version, await deployEntryPointWorld(bundler, chainId, version));
  }
});

interface SponsoredOperation {
  readonly layout: PaymasterLayout;
  readonly world: EntryPointWorld;
  readonly address: Address;
  readonly sponsor: (op: UserOperation) => Hex;
}

const paymasterOf = async (layout: PaymasterLayout, wei = parseEther('1')): Promise<SponsoredOperation> => {
  const world = worlds.get(layout.entryPointVersion)!;
  const { entryPoint } = world;
  const address = await deployLayout(layout, signer.address, bundler);
  if (wei > 0n) await fundDeposit(entryPoint, address, wei, bundler);
  const sponsor = (op: UserOperation): Hex => {
    const terms = { chainId: chain().chainId, paymaster: address, validAfter: 1, validUntil: 2 ** 40 };
    return layout.encode(op, terms, signDigest(signer.privateKey as Hex, layout.hash(op, terms)));
  };
  return { layout, world, address, sponsor };
};

let salts = 0n;
const newAccount = ({ world }: SponsoredOperation): Promise<NewAccount> => world.newAccount(owner, (salts += 1n));

/** The account's next operation, without gas and paymaster. */
const operation = async (
  { world }: SponsoredOperation,
  account: NewAccount,
  callData: Hex,
): Promise<UserOperationV07> => {
  const { provider } = chain();
  const contract = await contractAt('EntryPoint', world.entryPoint, provider);
  const deployed = (await provider.getCode(account.address)) !== '0x';
  return {
    sender: account.address,
    nonce: (await contract.getFunction('getNonce')(account.address, 0n)) as bigint,
    ...(!deployed && { factory: account.factory, factoryData: account.factoryData }),
    callData,
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    signature: STUB_SIGNATURE,
  };
};

const estimate = (
  { layout, world, address, sponsor }: SponsoredOperation,
  op: UserOperationV07,
  rest: Partial<GasRequest> = {},
) =>
  estimateGas({
    rpc: createRpcClient(chain().url, 'The RPC', 10_000),
    bundler: undefined,
    chainId: chain().chainId,
    entryPoint: world.entryPoint,
    op,
    sponsor,
    layout,
    paymaster: address,
    ...rest,
  });

const submit = async ({ world }: SponsoredOperation, op: UserOperationV07, authorizationList?: AuthorizationLike[]) => {
  const contract = await contractAt('EntryPoint-0.7', world.entryPoint, bundler);
  const sent = await contract
    .getFunction('handleOps')
    .send([packUserOperation(op)], bundler.address, { ...(authorizationList && { type: 4, authorizationList }) });
  const receipt = await sent.wait();
  const event = receipt!.logs
    .flatMap((log) => contract.interface.parseLog(log) ?? [])
    .find(({ name }) => name === 'UserOperationEvent')!;
  return {
    userOpHash: event.args.getValue('userOpHash') as Hex,
    success: event.args.getValue('success') as boolean,
    actualGasUsed: event.args.getValue('actualGasUsed') as bigint,
    transactionGas: receipt!.gasUsed,
  };
};

/** Has an operation estimated, signed and mined. */
const mine = async (paymaster: SponsoredOperation, op: UserOperationV07) => {
  const gas = await estimate(paymaster, op);
  const limited = { ...op, ...gas };
  const sponsored = withPaymasterAndData(limited, paymaster.sponsor(limited));
  const signed = await paymaster.world.sign(sponsored, owner);
  return { gas, mined: await submit(paymaster, signed) };
};

const sum = (gas: GasValues): bigint => Object.values<bigint>({ ...gas }).reduce((total, value) => total + value, 0n);

const expectFairGas = ({ gas, mined }: Awaited<ReturnType<typeof mine>>) => {
  const figures = `limits ${sum(gas)}, used ${mined.actualGasUsed}, transaction ${mined.transactionGas}`;
  expect(mined.success, figures).toBe(true);
  const ratio = Number((sum(gas) * 1000n) / mined.actualGasUsed) / 1000;
  expect(ratio, figures).toBeGreaterThanOrEqual(1);
  expect(ratio, figures).toBeLessThanOrEqual(1.6);
  expect(mined.transactionGas, figures).toBeLessThanOrEqual(mined.actualGasUsed);
};

const mint = (trailing: Hex = '0x'): Hex =>
  encodeExecute(items, 0n, concat([gameItems.encodeFunctionData('mint', [3]), trailing]) as Hex);

const LAYOUTS = [verifying07, singleton07, singleton08];
const CALLDATA: readonly [string, Hex][] = [
  ['3,000 bytes', `0x${'ab'.repeat(3000)}`],
  ['so many bytes that they cost the floor of EIP-7623', `0x${'ab'.repeat(30_000)}`],
  ['30,000 zero bytes', `0x${'00'.repeat(30_000)}`],
];

describe.each(LAYOUTS)('paymaster $version', (layout) => {
  let paymaster: SponsoredOperation;
  beforeAll(async () => {
    paymaster = await paymasterOf(layout);
  });

  test('an operation that deploys its account, and the ones after it, are mined, with little over and no loss to the bundler', async () => {
    const account = await newAccount(paymaster);
    const burn = encodeExecute(items, 0n, gameItems.encodeFunctionData('burn', [2]) as Hex);
    for (const callData of [mint(), mint(), burn]) {
      expectFairGas(await mine(paymaster, await operation(paymaster, account, callData)));
    }
  });

  test.each(shareOf(CALLDATA, layout, LAYOUTS))(
    'an operation with much calldata (%s) is no loss to the bundler',
    async (_, trailing) => {
      const account = await newAccount(paymaster);
      for (const callData of [mint(trailing), mint(trailing)]) {
        expectFairGas(await mine(paymaster, await operation(paymaster, account, callData)));
      }
    },
  );

  test('gas is known although no money is there yet to pay for it', async () => {
    const op = await operation(paymaster, await newAccount(paymaster), mint());
    const { preVerificationGas: _rich, ...rich } = await estimate(paymaster, op);
    const { preVerificationGas: _poor, ...poor } = await estimate(await paymasterOf(layout, 0n), op);
    expect(poor).toEqual(rich);
  });
});

describe('an operation that cannot be estimated ends in an error that says why', () => {
  let paymaster: SponsoredOperation;
  beforeAll(async () => {
    paymaster = await paymasterOf(singleton08);
  });
  const failure = async (change: Partial<UserOperationV07>, message: string, data: Record<string, unknown> = {}) => {
    const op = await operation(paymaster, await newAccount(paymaster), mint());
    await expect(estimate(paymaster, { ...op, ...change })).rejects.toMatchObject({
      code: 'GAS_ESTIMATION_FAILED',
      message: expect.stringContaining(message),
      data,
    });
  };

  test('a call that reverts', async () => {
    const callData = encodeExecute(items, 0n, gameItems.encodeFunctionData('failingMint') as Hex);
    await failure({ callData }, 'GameItems: minting is closed', { reason: 'GameItems: minting is closed' });
  });

  test('an account whose validation reverts, with the selector', async () => {
    await failure({ signature: '0x1234' }, 'AA23 reverted (or OOG): custom error 0x', { aaCode: 'AA23' });
  });

  test('a factory that refuses', async () => {
    await failure({ factoryData: '0xdeadbeef' }, 'AA13', { aaCode: 'AA13' });
  });

  test('a nonce that was used or is out of order', async () => {
    await failure({ nonce: 7n }, 'AA25', { aaCode: 'AA25' });
  });

  test('an EIP-7702 operation whose sender has taken on no code', async () => {
    await failure({ factory: '0x7702', factoryData: '0x' }, 'sender has no code');
  });

  test('an EntryPoint that is not there', async () => {
    const op = await operation(paymaster, await newAccount(paymaster), mint());
    const nowhere: Address = `0x${'ee'.repeat(20)}`;
    const { world } = paymaster;
    await expect(estimate({ ...paymaster, world: { ...world, entryPoint: nowhere } }, op)).rejects.toMatchObject({
      code: 'GAS_ESTIMATION_FAILED',
      message: `There is no EntryPoint v0.8 at ${nowhere}`,
    });
  });
});

describe('an account that takes on code by EIP-7702', () => {
  test('has its first operation mined in one transaction with the authorisation, with little over', async () => {
    const paymaster = await paymasterOf(singleton08);
    const { world } = paymaster;
    const { provider, chainId } = chain();
    const delegate = await deployContract('Simple7702Account-0.8', [], bundler);
    const user = devWallet(8, provider);
    const { signature, ...authorization } = await user.authorize({ address: delegate, chainId, nonce: 0 });
    const { r, s, yParity } = signature;
    const op: UserOperationV07 = {
      ...(await operation(paymaster, { address: user.address as Address, factory: '0x', factoryData: '0x' }, mint())),
      factory: '0x7702',
      factoryData: '0x',
      eip7702Auth: {
        chainId: BigInt(chainId),
        address: delegate,
        nonce: authorization.nonce,
        yParity: BigInt(yParity),
        r: r as Hex,
        s: s as Hex,
      },
    };
    const gas = await estimate(paymaster, op);
    const limited = { ...op, ...gas };
    const sponsored = withPaymasterAndData(limited, paymaster.sponsor(limited));
    const hash = entryPoints['0.8'].hash(sponsored, { chainId, entryPoint: world.entryPoint, delegate });
    const signed = { ...sponsored, signature: user.signingKey.sign(hash).serialized as Hex };
    const mined = await submit(paymaster, signed, [{ ...authorization, signature }]);
    expect(await provider.getCode(user.address)).toBe(`0xef0100${delegate.slice(2).toLowerCase()}`);
    expect(mined.userOpHash).toBe(hash);
    expectFairGas({ gas, mined });
  });
});

/** Bytes that 1,000 more of calldata add to a bundle, in whole words. */
const GROWTH = 992n;

describe('a chain of layer 2', () => {
  const priced = async (at: Address, rollup: Rollup) => {
    const { deployedBytecode } = await loadArtifact('LayerOneFees');
    await chain().provider.send('anvil_setCode', [at, deployedBytecode]);
    const paymaster = await paymasterOf(singleton07);
    const op = await operation(paymaster, await newAccount(paymaster), mint());
    const long = await operation(paymaster, await newAccount(paymaster), mint(`0x${'ab'.repeat(1000)}`));
    const extra = async (one: UserOperationV07): Promise<bigint> => {
      const [on, off] = [await estimate(paymaster, one, { rollup }), await estimate(paymaster, one)];
      return on.preVerificationGas - off.preVerificationGas;
    };
    return { short: await extra(op), grown: (await extra(long)) - (await extra(op)), op };
  };

  test('of the OP stack is paid for its data on layer 1, at the price the operation pays, and 10 % over', async () => {
    const { short, grown, op } = await priced('0x420000000000000000000000000000000000000F', 'op-stack');
    const { baseFeePerGas } = (await chain().provider.getBlock('latest'))!;
    const tipped = baseFeePerGas! + op.maxPriorityFeePerGas;
    const price = op.maxFeePerGas < tipped ? op.maxFeePerGas : tipped;
    const weiPerByte = 5_000_000_000n;
    expect(Number(grown)).toBeCloseTo(Number((GROWTH * weiPerByte * 11n) / (10n * price)), -2);
    expect(short).toBeGreaterThan((800n * weiPerByte * 11n) / (10n * price));
  });

  test('of Arbitrum is paid for its data on layer 1, and 10 % over', async () => {
    const { short, grown } = await priced('0x00000000000000000000000000000000000000C8', 'arbitrum');
    expect(Number(grown)).toBeCloseTo(Number((GROWTH * 7n * 11n) / 10n), -2);
    expect(short).toBeGreaterThan((800n * 7n * 11n) / 10n);
  });

  test('whose oracle is not there ends in an error, not in an operation that no bundler takes', async () => {
    await chain().provider.send('anvil_setCode', ['0x00000000000000000000000000000000000000C8', '0x']);
    const paymaster = await paymasterOf(singleton07);
    const op = await operation(paymaster, await newAccount(paymaster), mint());
    await expect(estimate(paymaster, op, { rollup: 'arbitrum' })).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
  });
});
