import { Interface, SigningKey, computeAddress, getBytes, getCreateAddress, hashMessage, id } from 'ethers';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { PaymasterLayout, SponsorshipTerms } from '../../src/core/paymaster-layouts/layout.ts';
import { handleOpsCall } from '../../src/core/user-operation/abi.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import type { Authority } from '../../src/shared/schema/gas-schedule.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { type EntryPointVersion, type UserOperation, isV06 } from '../../src/shared/schema/user-operation.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import { accountFactories, signAsOwner } from '../support/entry-point-world.ts';
import { type Authorization, type Fork, type ForkChain, createForkChain } from './fork-chain.ts';

const GWEI = 10n ** 9n;
const COIN = 10n ** 18n;

const keyOf = (number: number): SigningKey => new SigningKey(`0x${number.toString(16).padStart(64, '0')}`);
const addressOf = (key: SigningKey): Address => computeAddress(key) as Address;

const [BUNDLER, SIGNER] = [keyOf(7), keyOf(9)];
const RICH: Address = `0x${'11'.repeat(20)}`;
const BENEFICIARY: Address = `0x${'be'.repeat(20)}`;
const WALLET: Address = `0x${'fe'.repeat(20)}`;
/** A contract that accepts every call and does nothing. */
const TARGET: Address = `0x${'cc'.repeat(20)}`;
/** Alto's default for a bundle. */
const BUNDLE_GAS = 16_000_000n;

const abi = new Interface([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'function createAccount(address owner, uint256 salt) returns (address)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
  'function depositTo(address account) payable',
  'function depositFor(address paymasterId) payable',
]);
const call = (method: string, ...values: readonly unknown[]): Hex => abi.encodeFunctionData(method, values) as Hex;
const EVENT = id('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');

/** What an operation looks like, as far as the gas of its bundle depends on it. */
export interface Shape {
  /** Bytes of data for the contract that the account calls. */
  readonly bytes: number;
  /** How many of a hundred bytes are zero. */
  readonly zeroPercent: number;
  /**
   * `used`: the account has sent an operation before. `unused`: it exists. `deployed`: the operation creates it. The
   * others take on the code of an account by EIP-7702.
   */
  readonly account: 'used' | 'unused' | 'deployed' | Authority;
}

/** An operation that was mined alone. Gas in gas units. */
export interface MinedAlone {
  readonly op: UserOperation;
  readonly authority: Authority | undefined;
  /** What the EntryPoint metered. */
  readonly metered: bigint;
  /** What the bundler has to be paid besides that. */
  readonly needed: bigint;
}

export interface ForkWorld {
  readonly layout: PaymasterLayout;
  mine(shape: Shape, limits?: Partial<UserOperation>): Promise<MinedAlone>;
}

const dataOf = ({ bytes, zeroPercent }: Shape): Hex =>
  `0x${Array.from({ length: bytes }, (_, at) => ((at * 37) % 100 < zeroPercent ? '00' : 'ab')).join('')}`;

/** The code of an account for EIP-7702; undefined before EntryPoint v0.8. */
const deployDelegate = async (chain: ForkChain, version: EntryPointVersion): Promise<Address | undefined> => {
  if (version === '0.8') return chain.deploy('Simple7702Account-0.8', []);
  return version === '0.9' ? chain.deploy('Simple7702Account-0.9', [entryPoints[version].address]) : undefined;
};

/** The contracts of a paymaster layout on a chain with the rules of a fork, funded. */
export const createForkWorld = async (fork: Fork, layout: PaymasterLayout): Promise<ForkWorld> => {
  const { entryPointVersion: version, deployment } = layout;
  if (deployment === undefined) throw new Error(`no package brings the contract of ${layout.version}`);
  const chain: ForkChain = await createForkChain(fork);
  const { chainId } = chain;
  const entryPoint = entryPoints[version];
  await chain.deployEntryPoint(entryPoint);
  const factory = await chain.deploy(accountFactories[version], [entryPoint.address]);
  for (const one of [BENEFICIARY, addressOf(BUNDLER), RICH]) await chain.fund(one, 1_000n * COIN);
  await chain.setCode(TARGET, '0x00');
  const wiring = { owner: RICH, entryPoint: entryPoint.address, signer: addressOf(SIGNER) };
  const paymaster = await chain.deploy(deployment.artifact, deployment.constructorArguments(wiring));
  await (layout.hasTanks
    ? chain.call(paymaster, call('depositFor', WALLET), { from: RICH, value: COIN })
    : chain.call(entryPoint.address, call('depositTo', paymaster), { from: RICH, value: COIN }));
  const senderCreator = getCreateAddress({ from: entryPoint.address, nonce: 1 }) as Address;
  const delegate = await deployDelegate(chain, version);

  let made = 0;
  /** An account in the state that a shape names, its key, and what an operation needs to create it. */
  const newAccount = async ({ account }: Shape) => {
    made += 1;
    const owner = keyOf(1_000 + made);
    if (account === 'new' || account === 'existing' || account === 'delegated') {
      if (delegate === undefined) throw new Error(`EntryPoint v${version} takes no authorisation`);
      const sender = addressOf(owner);
      if (account !== 'new') await chain.fund(sender, 1n);
      if (account === 'delegated') await chain.setCode(sender, `0xef0100${'dd'.repeat(20)}`);
      const authorization: Authorization = { key: owner, delegate, nonce: 0n };
      return { sender, owner, authority: account, authorization, creation: entryPoint.emptyFields };
    }
    const create = call('createAccount', addressOf(owner), BigInt(made));
    const predicted = await chain.call(factory, call('getAddress', addressOf(owner), BigInt(made)));
    const sender: Address = `0x${predicted.slice(-40)}`;
    if (account !== 'deployed') await chain.call(factory, create, { from: senderCreator });
    const creation = account === 'deployed' ? entryPoint.creation(factory, create) : entryPoint.emptyFields;
    return { sender, owner, authority: undefined, authorization: undefined, creation };
  };

  const signed = (op: UserOperation, owner: SigningKey): UserOperation => {
    const terms: SponsorshipTerms = {
      chainId,
      paymaster,
      validAfter: 0,
      validUntil: 2 ** 40,
      fundingWallet: WALLET,
      senderNonce: op.nonce,
    };
    const sponsored = withPaymasterAndData(
      op,
      layout.encode(op, terms, SIGNER.sign(hashMessage(getBytes(layout.hash(op, terms)))).serialized as Hex),
    );
    const hash = entryPoint.hash(sponsored, { chainId, entryPoint: entryPoint.address });
    return { ...sponsored, signature: signAsOwner(version, hash, { signingKey: owner }) };
  };

  const mine: ForkWorld['mine'] = async (shape, limits) => {
    const { sender, owner, authority, authorization, creation } = await newAccount(shape);
    const send = async (nonce: bigint): Promise<MinedAlone> => {
      const unsigned = {
        sender,
        nonce,
        callData: encodeExecute(TARGET, 0n, dataOf(shape)),
        // Little more than it uses, or the penalty for unused gas would pay the bundler too.
        callGasLimit: 25_000n + 3n * BigInt(shape.bytes),
        verificationGasLimit: 2_500_000n,
        preVerificationGas: 50_000n,
        maxFeePerGas: GWEI,
        maxPriorityFeePerGas: GWEI,
        signature: '0x',
        ...layout.paymasterGas,
        ...creation,
        ...limits,
      } as UserOperation;
      const op = signed(unsigned, owner);
      const { gasUsed, isReverted, logs, output } = await chain.send({
        from: BUNDLER,
        to: entryPoint.address,
        data: handleOpsCall(op, BENEFICIARY),
        gasLimit: BUNDLE_GAS,
        ...(authorization && { authorizations: [authorization] }),
      });
      const event = logs.find(({ topics }) => topics[0] === EVENT);
      if (isReverted || event === undefined) throw new Error(`${JSON.stringify(shape)} is refused: ${output}`);
      const { args = undefined } = abi.parseLog({ topics: [...event.topics], data: event.data }) ?? {};
      if (args === undefined) throw new Error('the event cannot be read');
      if (args.getValue('success') !== true) throw new Error(`the call of ${JSON.stringify(shape)} fails`);
      const metered = (args.getValue('actualGasUsed') as bigint) - op.preVerificationGas;
      const { address = TARGET } = authorization === undefined ? {} : { address: authorization.delegate };
      const eip7702Auth = { chainId: BigInt(chainId), address, nonce: 0n, yParity: 0n, r: '0x1', s: '0x1' } as const;
      const authorised = authorization === undefined || isV06(op) ? op : { ...op, eip7702Auth };
      return { op: authorised, authority, metered, needed: gasUsed - metered };
    };
    const first = await send(0n);
    return shape.account === 'used' ? send(1n) : first;
  };
  return { layout, mine };
};
