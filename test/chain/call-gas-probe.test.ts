import { Interface, concat, getBytes, getCreateAddress, id, isError, parseEther, toBeHex } from 'ethers';
import type { Contract } from 'ethers';
import { beforeAll, expect, test } from 'vitest';
import { contractAt, deployWorld, devWallet } from '../../src/demo/world-contracts.ts';
import type { WorldContracts } from '../../src/demo/world-contracts.ts';
import { loadArtifact } from '../../src/engine/chain/artifacts.ts';
import type { ArtifactName } from '../../src/engine/chain/artifacts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { useLocalChain } from '../support/local-chain.ts';

const IMPLEMENTATION = `0x${id('gasdesk.entryPoint.implementation').slice(-40)}`;
const STRANGE_CONTRACT = '0x00000000000000000000000000000000000c0de5';
const GWEI = 10n ** 9n;

const chain = useLocalChain();
const owner = () => devWallet(1, chain().provider);
const bundler = () => devWallet(0, chain().provider);
let world: WorldContracts;
let entryPoint: Contract;
const abi = {} as Record<
  'CallGasProbe' | 'SimpleAccount' | 'SimpleAccountFactory' | 'GameItems' | 'EntryPoint',
  Interface
>;

beforeAll(async () => {
  for (const name of ['CallGasProbe', 'SimpleAccount', 'SimpleAccountFactory', 'GameItems', 'EntryPoint'] as const) {
    abi[name] = new Interface((await loadArtifact(name satisfies ArtifactName)).abi);
  }
  world = await deployWorld(bundler());
  entryPoint = await contractAt('EntryPoint', world.entryPoint, bundler());
  // From here on every player's mint writes to the same kind of storage slots, so that all cost the same.
  const items = await contractAt('GameItems', world.gameItems, bundler());
  await (await items.getFunction('mint').send(1)).wait();
});

/** An account of the owner's, not yet deployed, with a deposit to pay its own gas. */
const newAccount = async (salt: number): Promise<{ sender: Address; initCode: string }> => {
  const factory = await contractAt('SimpleAccountFactory', world.accountFactory, bundler());
  const create = abi.SimpleAccountFactory.encodeFunctionData('createAccount', [owner().address, salt]);
  const sender = (await factory.getFunction('getAddress(address,uint256)')(owner().address, salt)) as Address;
  await (await entryPoint.getFunction('depositTo').send(sender, { value: parseEther('1') })).wait();
  return { sender, initCode: concat([world.accountFactory, create]) };
};

const deployedAccount = async (salt: number): Promise<Address> => {
  const { sender } = await newAccount(salt);
  const factory = await contractAt('SimpleAccountFactory', world.accountFactory, bundler());
  await (await factory.getFunction('createAccount').send(owner().address, salt)).wait();
  return sender;
};

const execute = (target: string, value: bigint, data: string): string =>
  abi.SimpleAccount.encodeFunctionData('execute', [target, value, data]);
const mint = (): string => execute(world.gameItems, 0n, abi.GameItems.encodeFunctionData('mint', [3]));

interface Probe {
  sender: string;
  callData: string;
  initCode?: string;
  maxGas?: bigint;
  gas?: bigint;
  codeOf?: Record<string, { code: string }>;
}

/** What the probe answers, or the error data it reverts with. */
const probe = async ({ sender, callData, initCode = '0x', maxGas = 10_000_000n, ...rest }: Probe) => {
  const { gas = 25_000_000n, codeOf = {} } = rest;
  const senderCreator = getCreateAddress({ from: world.entryPoint, nonce: 1 });
  const args = [senderCreator, initCode, sender, callData, 0, maxGas];
  const override = {
    [world.entryPoint]: { code: (await loadArtifact('CallGasProbe')).deployedBytecode },
    [IMPLEMENTATION]: { code: await chain().provider.getCode(world.entryPoint) },
    ...codeOf,
  };
  const data = abi.CallGasProbe.encodeFunctionData('estimateCallGas', args);
  const result = (await chain().provider.send('eth_call', [
    { to: world.entryPoint, data, gas: toBeHex(gas) },
    'latest',
    override,
  ])) as string;
  const answer = abi.CallGasProbe.decodeFunctionResult('estimateCallGas', result);
  const [success, gasNeeded, revertData] = answer.toArray() as [boolean, bigint, string];
  return { success, gasNeeded, revertData };
};

/** The name of the custom error that a probe reverts with. */
const probeError = async (call: Probe): Promise<string | undefined> => {
  const refusal: unknown = await probe(call).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isError(refusal, 'CALL_EXCEPTION') || refusal.data === null) throw new Error('no revert', { cause: refusal });
  return abi.CallGasProbe.parseError(refusal.data)?.name;
};

/** Mines the op through the real EntryPoint; true if its call succeeded. */
const mineOp = async (sender: string, initCode: string, callData: string, callGasLimit: bigint): Promise<boolean> => {
  const op = {
    sender,
    nonce: (await entryPoint.getFunction('getNonce')(sender, 0)) as bigint,
    initCode,
    callData,
    callGasLimit,
    verificationGasLimit: 500_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: 5n * GWEI,
    maxPriorityFeePerGas: GWEI,
    paymasterAndData: '0x',
    signature: '0x',
  };
  const hash = (await entryPoint.getFunction('getUserOpHash')(op)) as string;
  op.signature = await owner().signMessage(getBytes(hash));
  const sent = await entryPoint.getFunction('handleOps').send([op], bundler().address, { gasLimit: 5_000_000n });
  const events = (await sent.wait())?.logs.map((log) => entryPoint.interface.parseLog(log)) ?? [];
  return events.find((event) => event?.name === 'UserOperationEvent')?.args['success'] as boolean;
};

test('the gas found for a deployed account mines the op; less, but for what validation warms, does not', async () => {
  const sender = await deployedAccount(1);
  const { success, gasNeeded } = await probe({ sender, callData: mint() });
  expect(success).toBe(true);
  // Validation reads the proxy's implementation slot and address before the call does: 2000 and 2500 gas saved.
  const tooLittle = (gasNeeded * 98n) / 100n - 4500n;
  expect(await mineOp(sender, '0x', mint(), tooLittle)).toBe(false);
  expect(await mineOp(sender, '0x', mint(), gasNeeded)).toBe(true);
});

test('the gas found for an account that the op itself creates mines the op, a tenth less does not', async () => {
  const [one, other] = [await newAccount(2), await newAccount(3)];
  const { success, gasNeeded } = await probe({ ...one, callData: mint() });
  expect(success).toBe(true);
  expect(await mineOp(one.sender, one.initCode, mint(), (gasNeeded * 9n) / 10n)).toBe(false);
  expect(await mineOp(other.sender, other.initCode, mint(), gasNeeded)).toBe(true);
});

test('the gas found is tight: one hundredth less does not suffice', async () => {
  const sender = await deployedAccount(4);
  const { gasNeeded } = await probe({ sender, callData: mint() });
  const maxGas = gasNeeded - gasNeeded / 100n - 257n;
  const less = await probe({ sender, callData: mint(), maxGas });
  expect(less).toMatchObject({ success: false, gasNeeded: maxGas });
});

test('a call that reverts is reported with its reason', async () => {
  const sender = await deployedAccount(5);
  const callData = execute(world.gameItems, 0n, abi.GameItems.encodeFunctionData('failingMint'));
  const { success, revertData } = await probe({ sender, callData });
  expect(success).toBe(false);
  expect(abi.GameItems.parseError(revertData)?.args[0]).toBe('GameItems: minting is closed');
});

test('an endless revert reason is cut, not passed on', async () => {
  const sender = await deployedAccount(6);
  const revertWith4096Bytes = '0x6110005ffd';
  const codeOf = { [STRANGE_CONTRACT]: { code: revertWith4096Bytes } };
  const { success, revertData } = await probe({ sender, callData: execute(STRANGE_CONTRACT, 0n, '0x'), codeOf });
  expect(success).toBe(false);
  expect(getBytes(revertData)).toHaveLength(2048);
});

test("an account that pays into its own EntryPoint deposit is not broken by the probe in the EntryPoint's place", async () => {
  const sender = await deployedAccount(7);
  await (await bundler().sendTransaction({ to: sender, value: parseEther('1') })).wait();
  const depositTo = abi.EntryPoint.encodeFunctionData('depositTo', [sender]);
  const { success, gasNeeded } = await probe({ sender, callData: execute(world.entryPoint, 5n, depositTo) });
  expect(success).toBe(true);
  expect(await mineOp(sender, '0x', execute(world.entryPoint, 5n, depositTo), gasNeeded)).toBe(true);
  expect((await probe({ sender, callData: execute(world.entryPoint, 5n, '0x') })).success).toBe(true);
});

test('a call that needs far more gas than it uses is given what it needs', async () => {
  const sender = await deployedAccount(8);
  const revertBelow500kGas = '0x5a6207a12010600c575f5ffd5b00';
  const codeOf = { [STRANGE_CONTRACT]: { code: revertBelow500kGas } };
  const { success, gasNeeded } = await probe({ sender, callData: execute(STRANGE_CONTRACT, 0n, '0x'), codeOf });
  expect(success).toBe(true);
  expect(gasNeeded).toBeGreaterThan(500_000n);
  expect(gasNeeded).toBeLessThan(550_000n);
});

test('a call that uses up whatever it is given is not charged for all of it', async () => {
  const sender = await deployedAccount(9);
  const loopUntil10kGasIsLeft = '0x5b6127105a11600057';
  const codeOf = { [STRANGE_CONTRACT]: { code: loopUntil10kGasIsLeft } };
  const callData = execute(STRANGE_CONTRACT, 0n, '0x');
  const { success, gasNeeded } = await probe({ sender, callData, codeOf, maxGas: 4_000_000n });
  expect(success).toBe(true);
  expect(gasNeeded).toBeLessThan(50_000n);
  // The same, if the node gives too little gas to search: an error, not a wrong estimate.
  expect(await probeError({ sender, callData, codeOf, maxGas: 4_000_000n, gas: 5_000_000n })).toBe('NotEnoughGas');
});

test('an account that does not exist and is not created is an error, not an estimate of nothing', async () => {
  const { sender, initCode } = await newAccount(10);
  expect(await probeError({ sender, callData: mint() })).toBe('AccountNotDeployed');
  const otherSender = (await newAccount(11)).sender;
  expect(await probeError({ sender: otherSender, initCode, callData: mint() })).toBe('AccountNotDeployed');
});

test('the probe hides no method of the EntryPoint', () => {
  const own = abi.CallGasProbe.fragments.filter(({ type }) => type === 'function').map((fragment) => fragment.format());
  expect(own).toHaveLength(2);
  for (const method of own) expect(abi.EntryPoint.getFunction(id(method).slice(0, 10))).toBeNull();
});
