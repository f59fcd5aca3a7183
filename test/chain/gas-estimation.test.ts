import { Interface, concat, parseEther, toBeHex } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import { finishOperation, partialOperation, simpleAccount, submitOperation } from '../../src/demo/simple-account.ts';
import { contractAt, deployWorld, devWallet, fundDeposit, fundGasTank } from '../../src/demo/world-contracts.ts';
import type { WorldContracts } from '../../src/demo/world-contracts.ts';
import { estimateGas } from '../../src/engine/chain/gas/estimate-gas.ts';
import type { GasValues } from '../../src/core/user-operation/gas-values.ts';
import type { GasRequest } from '../../src/engine/chain/gas/gas-request.ts';
import { createRpcClient } from '../../src/engine/chain/rpc.ts';
import { biconomy110 } from '../../src/core/paymaster-layouts/biconomy-1.1.0.ts';
import type { PaymasterLayout } from '../../src/core/paymaster-layouts/layout.ts';
import { verifying06 } from '../../src/core/paymaster-layouts/verifying-0.6.ts';
import { signDigest } from '../../src/engine/signer/sign.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperation, UserOperationV06 } from '../../src/shared/schema/user-operation.ts';
import { deployLayout } from '../support/deploy-layout.ts';
import { useLocalChain } from '../support/local-chain.ts';

const gameItems = new Interface(['function mint(uint256 amount)', 'function burn(uint256)', 'function failingMint()']);
const simpleAccountAbi = new Interface(['function execute(address dest, uint256 value, bytes func)']);
const STRANGER: Address = '0x00000000000000000000000000000000000c0de5';

const chain = useLocalChain();
const bundler = () => devWallet(0, chain().provider);
const owner = () => devWallet(1, chain().provider);
const fundingWallet = () => devWallet(2, chain().provider).address as Address;
const signer = () => devWallet(5, chain().provider);
let world: WorldContracts;

/** A paymaster of the chain, and how it signs. */
interface Paymaster {
  readonly layout: PaymasterLayout;
  readonly address: Address;
  readonly sponsor: (op: UserOperation) => Hex;
}

const paymasters = {
  '1.1.0': {
    layout: biconomy110,
    fund: (address: Address) => fundGasTank(address, fundingWallet(), parseEther('1'), bundler()),
  },
  'verifying-0.6': {
    layout: verifying06,
    fund: (address: Address) => fundDeposit(world.entryPoint, address, parseEther('1'), bundler()),
  },
};
type Version = keyof typeof paymasters;

const deploy = (version: Version): Promise<Address> =>
  deployLayout(paymasters[version].layout, signer().address, bundler());

const senderNonce = async (paymaster: Address, sender: Address, provider: JsonRpcProvider): Promise<bigint> => {
  const contract = await contractAt('VerifyingPaymaster', paymaster, provider);
  return (await contract.getFunction('senderNonce')(sender)) as bigint;
};

const paymasterFor = async (version: Version, address: Address, sender: Address): Promise<Paymaster> => {
  const { layout } = paymasters[version];
  const { provider, chainId } = chain();
  const now = (await provider.getBlock('latest'))!.timestamp;
  const terms = {
    chainId,
    paymaster: address,
    validAfter: now - 60,
    validUntil: now + 3600,
    fundingWallet: fundingWallet(),
    ...(version === 'verifying-0.6' && { senderNonce: await senderNonce(address, sender, provider) }),
  };
  const sponsor = (op: UserOperation): Hex =>
    layout.encode(op, terms, signDigest(signer().privateKey as Hex, layout.hash(op, terms)));
  return { layout, address, sponsor };
};

const toOperation = (partial: Record<string, string>): UserOperationV06 => ({
  sender: partial['sender'] as Address,
  nonce: BigInt(partial['nonce']!),
  initCode: partial['initCode'] as Hex,
  callData: partial['callData'] as Hex,
  callGasLimit: 0n,
  verificationGasLimit: 0n,
  preVerificationGas: 0n,
  maxFeePerGas: BigInt(partial['maxFeePerGas']!),
  maxPriorityFeePerGas: BigInt(partial['maxPriorityFeePerGas']!),
  paymasterAndData: '0x',
  signature: partial['signature'] as Hex,
});

const estimate = (op: UserOperationV06, paymaster: Paymaster): Promise<GasValues> => {
  const request: GasRequest = {
    rpc: createRpcClient(chain().url, 'The RPC', 10_000),
    bundler: undefined,
    chainId: chain().chainId,
    entryPoint: world.entryPoint,
    op,
    sponsor: paymaster.sponsor,
    layout: paymaster.layout,
    paymaster: paymaster.address,
    ...(paymaster.layout.hasTanks && { fundingWallet: fundingWallet() }),
  };
  return estimateGas(request);
};

/** A number for each account, so that tests do not meet. */
let salts = 0n;
const newAccount = () => simpleAccount(world.accountFactory, owner(), (salts += 1n), chain().provider);

const mint = (trailing: Hex = '0x'): { to: Address; data: Hex } => ({
  to: world.gameItems,
  data: concat([gameItems.encodeFunctionData('mint', [3]), trailing]) as Hex,
});

beforeAll(async () => {
  world = await deployWorld(bundler());
});

describe.each(Object.keys(paymasters) as Version[])('paymaster %s', (version) => {
  let address: Address;
  beforeAll(async () => {
    address = await deploy(version);
    await paymasters[version].fund(address);
  });

  /** Has the account's next operation estimated, signed and mined. */
  const mine = async (account: Awaited<ReturnType<typeof newAccount>>, call: { to: Address; data: Hex }) => {
    const { provider, chainId } = chain();
    const { entryPoint } = world;
    const partial = await partialOperation(account, call, entryPoint, provider);
    const op = toOperation(partial);
    const paymaster = await paymasterFor(version, address, account.address);
    const gas = await estimate(op, paymaster);
    const sponsored = {
      paymasterAndData: paymaster.sponsor({ ...op, ...gas }),
      callGasLimit: Number(gas.callGasLimit),
      verificationGasLimit: Number(gas.verificationGasLimit),
      preVerificationGas: String(gas.preVerificationGas),
    };
    const finished = await finishOperation(account, partial, sponsored, { chainId, entryPoint });
    return { gas, mined: await submitOperation(finished, entryPoint, bundler()) };
  };

  const expectFairGas = ({ gas, mined }: Awaited<ReturnType<typeof mine>>) => {
    expect(mined.success).toBe(true);
    const limits = gas.callGasLimit + gas.verificationGasLimit + gas.preVerificationGas;
    const figures = `limits ${limits}, used ${mined.actualGasUsed}, transaction ${mined.transactionGas}`;
    const ratio = Number((limits * 1000n) / mined.actualGasUsed) / 1000;
    expect(ratio, figures).toBeGreaterThanOrEqual(1);
    expect(ratio, figures).toBeLessThanOrEqual(1.6);
    expect(mined.transactionGas, figures).toBeLessThanOrEqual(mined.actualGasUsed);
  };

  test('an operation that deploys its account, and the ones after it, are mined, with little over and no loss to the bundler', async () => {
    const account = await newAccount();
    expectFairGas(await mine(account, mint()));
    expectFairGas(await mine(account, mint()));
    expectFairGas(await mine(account, { to: world.gameItems, data: gameItems.encodeFunctionData('burn', [2]) as Hex }));
  });

  test.each([
    ['3,000 bytes', `0x${'ab'.repeat(3000)}`],
    ['so many bytes that they cost the floor of EIP-7623', `0x${'ab'.repeat(30_000)}`],
    ['30,000 zero bytes', `0x${'00'.repeat(30_000)}`],
  ] as const)('an operation with much calldata (%s) is no loss to the bundler', async (_, trailing) => {
    const account = await newAccount();
    expectFairGas(await mine(account, mint(trailing)));
    expectFairGas(await mine(account, mint(trailing)));
  });

  test('gas is known although no money is there yet to pay for it', async () => {
    const account = await newAccount();
    const partial = await partialOperation(account, mint(), world.entryPoint, chain().provider);
    const op = toOperation(partial);
    const rich = await estimate(op, await paymasterFor(version, address, account.address));
    const unfunded = await paymasterFor(version, await deploy(version), account.address);
    const poor = await estimate(op, unfunded);
    expect(poor.verificationGasLimit).toBe(rich.verificationGasLimit);
    expect(poor.callGasLimit).toBe(rich.callGasLimit);
  });
});

describe('an operation that cannot be estimated ends in an error that says why', () => {
  let paymaster: Paymaster;
  beforeAll(async () => {
    paymaster = await paymasterFor('1.1.0', await deploy('1.1.0'), STRANGER);
  });

  const operation = async (call: { to: Address; data: Hex }): Promise<UserOperationV06> =>
    toOperation(await partialOperation(await newAccount(), call, world.entryPoint, chain().provider));

  const failure = (op: UserOperationV06, message: string, data: Record<string, unknown> = {}) =>
    expect(estimate(op, paymaster)).rejects.toMatchObject({
      code: 'GAS_ESTIMATION_FAILED',
      message: expect.stringContaining(message),
      data,
    });

  const setCode = (code: Hex): Promise<unknown> => chain().provider.send('anvil_setCode', [STRANGER, code]);
  /** An operation of an account with this code. */
  const operationOf = async (code: Hex): Promise<UserOperationV06> => {
    await setCode(code);
    return { ...(await operation(mint())), sender: STRANGER, initCode: '0x' };
  };
  /** An operation whose call runs this code. */
  const operationCalling = async (code: Hex): Promise<UserOperationV06> => {
    await setCode(code);
    return operation({ to: STRANGER, data: '0x' });
  };

  test('a call that reverts, with the reason', async () => {
    const op = await operation({ to: world.gameItems, data: gameItems.encodeFunctionData('failingMint') as Hex });
    await failure(op, 'reverts: GameItems: minting is closed', { reason: 'GameItems: minting is closed' });
  });

  test('a call that never ends', async () => {
    await failure(await operationCalling('0x5b600056'), 'needs more than 15000000 gas', { reason: 'no reason given' });
  });

  test('a factory that is not there', async () => {
    const op = await operation(mint());
    await failure({ ...op, initCode: STRANGER }, 'AA1', { aaCode: expect.stringMatching(/^AA1[345]$/) });
  });

  test('a factory that refuses', async () => {
    const op = await operation(mint());
    const initCode = concat([world.accountFactory, '0xdeadbeef']) as Hex;
    await failure({ ...op, initCode }, 'AA13 initCode failed or OOG', {
      aaCode: 'AA13',
      reason: 'initCode failed or OOG',
    });
  });

  test('an initCode too short to name a factory', async () => {
    await failure({ ...(await operation(mint())), initCode: '0x1234' }, 'simulation failed');
  });

  test('an initCode that makes another account', async () => {
    const [one, other] = [await operation(mint()), await newAccount()];
    await failure({ ...one, initCode: other.initCode }, 'AA14', { aaCode: 'AA14' });
  });

  test('an account that is not there, and no initCode', async () => {
    await failure({ ...(await operation(mint())), initCode: '0x' }, 'AA20', { aaCode: 'AA20' });
  });

  test('a dummy signature that the account cannot read, with the hint to send a better one', async () => {
    const op: UserOperationV06 = { ...(await operation(mint())), signature: '0x' };
    await failure(op, 'A dummy signature must have the length and format of a real one', {
      aaCode: 'AA23',
      reason: 'reverted (or OOG)',
    });
  });

  test('a nonce that was used or is out of order', async () => {
    await failure({ ...(await operation(mint())), nonce: 7n }, 'AA25', { aaCode: 'AA25' });
  });

  test('an account whose validation never ends, or reverts with a heap of bytes', async () => {
    await failure(await operationOf('0x5b600056'), 'AA23 reverted (or OOG)', { aaCode: 'AA23' });
    const revertWithOneMebibyte = '0x621000005ffd';
    await failure(await operationOf(revertWithOneMebibyte), 'AA23', { aaCode: 'AA23' });
  });

  test('an EntryPoint that is not there', async () => {
    const rpc = createRpcClient(chain().url, 'The RPC', 10_000);
    const nowhere: Address = `0x${'ee'.repeat(20)}`;
    const request = {
      ...paymaster,
      paymaster: paymaster.address,
      bundler: undefined,
      chainId: 1,
      op: await operation(mint()),
    };
    await expect(estimateGas({ ...request, rpc, entryPoint: nowhere })).rejects.toMatchObject({
      code: 'GAS_ESTIMATION_FAILED',
      message: `There is no EntryPoint v0.6 at ${nowhere}`,
    });
  });

  test('a megabyte of calldata', async () => {
    const op = await operation(mint());
    const callData = concat([op.callData, `0x${'ab'.repeat(1_000_000)}`]) as Hex;
    await failure({ ...op, callData }, 'simulation failed');
  });
});

describe('what an operation says does not mislead the estimate', () => {
  const estimated = async (change: Partial<UserOperationV06>): Promise<GasValues> => {
    const account = await simpleAccount(world.accountFactory, owner(), 1_000_000n, chain().provider);
    const op = toOperation(await partialOperation(account, mint(), world.entryPoint, chain().provider));
    const paymaster = await paymasterFor('1.1.0', await deploy('1.1.0'), account.address);
    return estimate({ ...op, ...change }, paymaster);
  };

  test('absurd gas values and fees', async () => {
    const absurd = (1n << 120n) + 1n;
    const plain = await estimated({});
    const gas = await estimated({
      callGasLimit: absurd,
      verificationGasLimit: absurd,
      preVerificationGas: absurd,
      maxFeePerGas: absurd,
      maxPriorityFeePerGas: absurd,
    });
    expect(gas.callGasLimit).toBe(plain.callGasLimit);
    expect(gas.verificationGasLimit).toBe(plain.verificationGasLimit);
    expect(gas.preVerificationGas).toBeLessThan(plain.preVerificationGas * 2n);
  });

  test('an address whose letter case is no checksum', async () => {
    const account = await simpleAccount(world.accountFactory, owner(), 1_000_000n, chain().provider);
    const lowerCase = account.address.slice(2).toLowerCase();
    const sender: Address = `0x${lowerCase.replace(/[a-f]/, (letter) => letter.toUpperCase())}`;
    expect((await estimated({ sender })).callGasLimit).toBeGreaterThan(0n);
  });

  test('a called contract that destroys itself', async () => {
    await chain().provider.send('anvil_setCode', [STRANGER, '0x33ff']);
    const callData = simpleAccountAbi.encodeFunctionData('execute', [STRANGER, 0, toBeHex(1)]) as Hex;
    expect((await estimated({ callData })).callGasLimit).toBeLessThan(100_000n);
  });

  test('a call of nothing', async () => {
    expect((await estimated({ callData: '0x' })).callGasLimit).toBe(9_100n);
  });
});
