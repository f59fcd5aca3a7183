import { createBlock } from '@ethereumjs/block';
import { Common, Mainnet } from '@ethereumjs/common';
import { createTx } from '@ethereumjs/tx';
import { createAccount, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import { createVM, runTx } from '@ethereumjs/vm';
import { Interface, type SigningKey, concat, encodeRlp, hexlify, keccak256, toBeArray } from 'ethers';
import { type ArtifactName, loadArtifact } from '../../src/engine/chain/artifacts.ts';
import { canonicalCreation } from '../../src/engine/chain/canonical-contracts.ts';
import type { EntryPoint } from '../../src/core/entry-points/entry-point.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';

/** The forks of Ethereum whose gas schedules Gasdesk knows and EthereumJS implements. */
export type Fork = 'cancun' | 'prague' | 'osaka' | 'amsterdam';

const GWEI = 10n ** 9n;
const CHAIN_ID = 1n;
/** Of the calls that set up the chain, which no limit of a transaction binds. */
const AMPLE_GAS = 10n ** 10n;
/** Some contracts refuse the zero address as their owner. */
const DEPLOYER: Address = `0x${'de'.repeat(20)}`;
/** Runtime code of the deterministic deployment proxy (https://github.com/Arachnid/deterministic-deployment-proxy). */
const CREATE2_DEPLOYER_CODE: Hex = `0x7f${'ff'.repeat(31)}e03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3`;

/** An authorisation that its owner signs (EIP-7702). */
export interface Authorization {
  readonly key: SigningKey;
  readonly delegate: Address;
  readonly nonce: bigint;
}

export interface ForkTransaction {
  readonly from: SigningKey;
  readonly to: Address;
  readonly data: Hex;
  readonly gasLimit: bigint;
  readonly authorizations?: readonly Authorization[];
}

export interface MinedTransaction {
  /** What its sender pays for. */
  readonly gasUsed: bigint;
  readonly isReverted: boolean;
  readonly output: Hex;
  readonly logs: readonly { readonly topics: readonly Hex[]; readonly data: Hex }[];
}

export interface ForkChain {
  readonly chainId: number;
  /** Gives an address a balance, in wei. */
  fund(address: Address, wei: bigint): Promise<void>;
  setCode(address: Address, code: Hex): Promise<void>;
  codeOf(address: Address): Promise<Hex>;
  /** Deploys the contract of an artifact, without a transaction. */
  deploy(artifact: ArtifactName, args: readonly unknown[]): Promise<Address>;
  /** Deploys an EntryPoint at its canonical address. */
  deployEntryPoint(entryPoint: Pick<EntryPoint, 'address' | 'deployment'>): Promise<void>;
  /** Calls a contract without a transaction, and keeps what it changes. @throws Error if it reverts */
  call(to: Address, data: Hex, options?: { readonly from?: Address; readonly value?: bigint }): Promise<Hex>;
  /** Mines a transaction. */
  send(transaction: ForkTransaction): Promise<MinedTransaction>;
  /** Mines a transaction, and takes it back. */
  tryOut(transaction: ForkTransaction): Promise<MinedTransaction>;
}

const signedAuthorization = ({ key, delegate, nonce }: Authorization) => {
  const quantity = (value: bigint): Uint8Array => toBeArray(value);
  const digest = keccak256(concat(['0x05', encodeRlp([quantity(CHAIN_ID), delegate, quantity(nonce)])]));
  const { r, s, yParity } = key.sign(digest);
  const minimal = (value: bigint): Hex => (value === 0n ? '0x' : (hexlify(toBeArray(value)) as Hex));
  return {
    chainId: minimal(CHAIN_ID),
    address: delegate,
    nonce: minimal(nonce),
    yParity: minimal(BigInt(yParity)),
    r: minimal(BigInt(r)),
    s: minimal(BigInt(s)),
  };
};

/** An empty chain in memory with the rules of a fork, made by EthereumJS: anvil has no Amsterdam. */
export const createForkChain = async (fork: Fork): Promise<ForkChain> => {
  const common = new Common({ chain: Mainnet, hardfork: fork });
  const vm = await createVM({ common });
  const block = createBlock(
    { header: { gasLimit: AMPLE_GAS, baseFeePerGas: GWEI, number: 1n, timestamp: 1_800_000_000n } },
    { common },
  );
  const addressOf = (address: Address) => createAddressFromString(address.toLowerCase());
  const { stateManager } = vm;

  const create = async (data: Hex): Promise<Address> => {
    const { createdAddress, execResult } = await vm.evm.runCall({
      data: hexToBytes(data),
      gasLimit: AMPLE_GAS,
      block,
      caller: addressOf(DEPLOYER),
    });
    if (execResult.exceptionError) throw new Error(`a creation fails: ${execResult.exceptionError.error}`);
    return String(createdAddress) as Address;
  };
  const run = async ({ from, to, data, gasLimit, authorizations }: ForkTransaction): Promise<MinedTransaction> => {
    const unsigned = {
      type: authorizations === undefined ? 2 : 4,
      chainId: CHAIN_ID,
      nonce: 0n,
      to,
      data,
      gasLimit,
      maxFeePerGas: GWEI,
      maxPriorityFeePerGas: 0n,
      ...(authorizations && { authorizationList: authorizations.map(signedAuthorization) }),
    };
    const tx = createTx(unsigned, { common }).sign(hexToBytes(from.privateKey as Hex));
    const { totalGasSpent, execResult } = await runTx(vm, { tx, block, skipNonce: true, skipBalance: true });
    return {
      gasUsed: totalGasSpent,
      isReverted: execResult.exceptionError !== undefined,
      output: hexlify(execResult.returnValue) as Hex,
      logs: (execResult.logs ?? []).map(([, topics, logged]) => ({
        topics: topics.map((topic) => hexlify(topic) as Hex),
        data: hexlify(logged) as Hex,
      })),
    };
  };

  const chain: ForkChain = {
    chainId: Number(CHAIN_ID),
    fund: (address, wei) => stateManager.putAccount(addressOf(address), createAccount({ balance: wei })),
    setCode: (address, code) => stateManager.putCode(addressOf(address), hexToBytes(code)),
    codeOf: async (address) => hexlify(await stateManager.getCode(addressOf(address))) as Hex,
    async deploy(artifact, args) {
      const { abi, bytecode } = await loadArtifact(artifact);
      return create(concat([bytecode, new Interface(abi).encodeDeploy(args)]) as Hex);
    },
    async deployEntryPoint({ address, deployment: { artifact, salt } }) {
      if (salt === undefined) {
        // Its constructor runs at the address, as a contract that has created nothing yet.
        await stateManager.putAccount(addressOf(address), createAccount({ nonce: 1n }));
        await chain.setCode(address, (await loadArtifact(artifact)).bytecode);
        await chain.setCode(address, await chain.call(address, '0x'));
        return;
      }
      const { to, data } = await canonicalCreation({ artifact, salt });
      await chain.setCode(to, CREATE2_DEPLOYER_CODE);
      await chain.call(to, data);
    },
    async call(to, data, { from, value } = {}) {
      const { execResult } = await vm.evm.runCall({
        to: addressOf(to),
        data: hexToBytes(data),
        gasLimit: AMPLE_GAS,
        block,
        ...(from && { caller: addressOf(from), origin: addressOf(from) }),
        ...(value && { value }),
      });
      const answer = hexlify(execResult.returnValue) as Hex;
      if (execResult.exceptionError) throw new Error(`a call fails: ${execResult.exceptionError.error} ${answer}`);
      return answer;
    },
    send: run,
    async tryOut(transaction) {
      await stateManager.checkpoint();
      try {
        return await run(transaction);
      } finally {
        await stateManager.revert();
      }
    },
  };
  return chain;
};
