import { type HDNodeWallet, Interface, getBytes, hashMessage } from 'ethers';
import { contractAt, deployContract, deployEntryPoint } from '../../src/demo/world-contracts.ts';
import type { ArtifactName } from '../../src/engine/chain/artifacts.ts';
import { contractForm } from '../../src/core/user-operation/pack-user-operation.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { EntryPointVersion, UserOperation } from '../../src/shared/schema/user-operation.ts';
import { encodeExecute } from './account-call-data.ts';

/** The SimpleAccountFactory that comes with each EntryPoint. */
export const accountFactories: Readonly<Record<EntryPointVersion, ArtifactName>> = {
  '0.6': 'SimpleAccountFactory',
  '0.7': 'SimpleAccountFactory-0.7',
  '0.8': 'SimpleAccountFactory-0.8',
  '0.9': 'SimpleAccountFactory-0.9',
};

/** The owner's signature of a SimpleAccount. From v0.8 on the hash is EIP-712's, and signed as it is. */
export const signAsOwner = (version: EntryPointVersion, hash: Hex, owner: Pick<HDNodeWallet, 'signingKey'>): Hex => {
  const isTyped = !['0.6', '0.7'].includes(version);
  return owner.signingKey.sign(isTyped ? hash : hashMessage(getBytes(hash))).serialized as Hex;
};

export interface NewAccount {
  readonly address: Address;
  readonly factory: Address;
  readonly factoryData: Hex;
}

/** Costs in wei. */
export interface MinedOperation {
  readonly success: boolean;
  readonly paymaster: Address;
  readonly actualGasCost: bigint;
  readonly actualGasUsed: bigint;
  readonly gasPrice: bigint;
}

/** An EntryPoint of some version at its canonical address, with a SimpleAccountFactory, on a local chain. */
export interface EntryPointWorld {
  readonly version: EntryPointVersion;
  readonly entryPoint: Address;
  newAccount(owner: HDNodeWallet, salt: bigint): Promise<NewAccount>;
  /** The first operation of an account, with sufficient gas limits; unsigned, and without a paymaster. */
  firstOperation(account: NewAccount, call: { to: Address; data: Hex }): UserOperation;
  sign<Op extends UserOperation>(op: Op, owner: HDNodeWallet): Promise<Op>;
  /** Mines the operation by `handleOps`. Rejects if the EntryPoint reverts. */
  mine(op: UserOperation): Promise<MinedOperation>;
  /** Wei. */
  deposit(paymaster: Address): Promise<bigint>;
}

const LIMITS = {
  callGasLimit: 200_000n,
  verificationGasLimit: 700_000n,
  preVerificationGas: 60_000n,
  maxFeePerGas: 3_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
  signature: '0x',
} as const;

/** Deploys such a world; `operator` pays for everything and bundles. */
export const deployEntryPointWorld = async (
  operator: HDNodeWallet,
  chainId: number,
  version: EntryPointVersion,
): Promise<EntryPointWorld> => {
  const entryPoint = await deployEntryPoint(operator, version);
  const contract = await contractAt(entryPoints[version].deployment.artifact, entryPoint, operator);
  const factory = await deployContract(accountFactories[version], [entryPoint], operator);
  const factoryContract = await contractAt(accountFactories[version], factory, operator);
  const createAccount = new Interface(['function createAccount(address owner, uint256 salt)']);

  const hashOf = (op: UserOperation): Hex => entryPoints[version].hash(op, { chainId, entryPoint });

  return {
    version,
    entryPoint,
    async newAccount({ address: owner }, salt) {
      // By signature: ethers contracts have a getAddress of their own.
      const address = (await factoryContract.getFunction('getAddress(address,uint256)')(owner, salt)) as Address;
      const factoryData = createAccount.encodeFunctionData('createAccount', [owner, salt]) as Hex;
      return { address, factory, factoryData };
    },
    firstOperation({ address: sender, factory: by, factoryData }, { to, data }) {
      const fields = { ...LIMITS, sender, nonce: 0n, callData: encodeExecute(to, 0n, data) };
      const { emptyFields, creation } = entryPoints[version];
      return { ...fields, ...emptyFields, ...creation(by, factoryData) };
    },
    async sign(op, owner) {
      return { ...op, signature: signAsOwner(version, hashOf(op), owner) };
    },
    async mine(op) {
      const form = contractForm(op);
      const sent = await contract.getFunction('handleOps').send([form], operator.address);
      const receipt = await sent.wait();
      const event = receipt?.logs
        .flatMap((log) => contract.interface.parseLog(log) ?? [])
        .find(({ name, args }) => name === 'UserOperationEvent' && args.getValue('userOpHash') === hashOf(op));
      if (!receipt || event === undefined) throw new Error('The bundle has no UserOperationEvent of the operation');
      return {
        success: event.args.getValue('success') as boolean,
        paymaster: event.args.getValue('paymaster') as Address,
        actualGasCost: event.args.getValue('actualGasCost') as bigint,
        actualGasUsed: event.args.getValue('actualGasUsed') as bigint,
        gasPrice: receipt.gasPrice,
      };
    },
    deposit: async (paymaster) => (await contract.getFunction('balanceOf')(paymaster)) as bigint,
  };
};
