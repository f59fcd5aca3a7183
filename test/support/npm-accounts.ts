import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as metamask from '@metamask/delegation-abis/bytecode';
import { AbiCoder, Contract, Wallet, concat, getCreateAddress, toBeHex } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { devWallet } from '../../src/demo/world-contracts.ts';
import { type ArtifactName, loadArtifact } from '../../src/engine/chain/artifacts.ts';
import { addressKey, type Address } from '../../src/shared/schema/hex.ts';
import type { EntryPointVersion } from '../../src/shared/schema/user-operation.ts';

/** An account on a chain, whose calls can be traced. */
export interface NpmAccount {
  readonly account: Address;
  readonly entryPoint: Address;
  readonly entryPointVersion: EntryPointVersion;
  /** Lower case: the account's own contracts, such as its implementation. Calls to these are not calls of the user. */
  readonly machinery: ReadonlySet<Address>;
}

/** An implementation of accounts whose code is in an npm package. */
export interface AccountImplementation {
  readonly name: string;
  readonly entryPointVersion: EntryPointVersion;
  /** The encodings that its clients use (`honestCallData`). */
  readonly forms: readonly AccountForm[];
  deploy(chain: Deployer): Promise<{ account: Address; machinery?: Address[] }>;
}

/** A family of encodings of callData. */
export type AccountForm =
  | 'simple'
  | 'simpleBatch06'
  | 'simpleBatch07'
  | 'batchOfTuples'
  | 'erc7579'
  | 'batch7579'
  | 'executor'
  | 'batchOfBatches'
  | 'metamask'
  | 'safe'
  | 'biconomy';

/** Puts contracts on a chain. */
interface Deployer {
  readonly provider: JsonRpcProvider;
  /** @param types - of the constructor's arguments, `values` */
  create(code: string, types?: string[], values?: unknown[]): Promise<Address>;
}

const read = (file: string): string => readFileSync(createRequire(import.meta.url).resolve(file), 'utf8');
const bytecodeIn = (file: string): string => (JSON.parse(read(file)) as { bytecode: string }).bytecode;
const builtCode = async (name: ArtifactName): Promise<string> => (await loadArtifact(name)).bytecode;

/** Creation code that ModuleKit keeps as a constant in Solidity. */
const moduleKit = (file: string, constant: string): string => {
  const source = read(`@rhinestone/modulekit/src/deployment/precompiles/${file}.sol`);
  const code = new RegExp(`${constant} =\\s*hex"([0-9a-f]+)"`).exec(source)?.[1];
  if (code === undefined) throw new Error(`${file} has no ${constant}`);
  return `0x${code}`;
};

const thirdwebCode = (): string =>
  (JSON.parse(read('@thirdweb-dev/contracts/abi/Account.json')) as { bytecode: { object: string } }).bytecode.object;

/** MetaMask's code has a place for the address of a library, which only verifies passkeys. */
const withLibrary = (code: string): string => code.replace(/__\$[0-9a-f]{34}\$__/g, '00'.repeat(20));

/** The constructor runs at a free address, instead of creating a contract there: some of the code is above EIP-170's limit. */
const deployer = (provider: JsonRpcProvider): Deployer => ({
  provider,
  create: async (code, types = [], values = []) => {
    const wallet = devWallet(0, provider);
    const to = Wallet.createRandom().address as Address;
    await provider.send('anvil_setCode', [to, concat([code, AbiCoder.defaultAbiCoder().encode(types, values)])]);
    const runtime = await provider.call({ to });
    await (await wallet.sendTransaction({ to, gasLimit: 15_000_000 })).wait();
    await provider.send('anvil_setCode', [to, runtime]);
    return to;
  },
});

/** An implementation that is an account itself: the EntryPoint may call it without an owner. */
const alone =
  (code: () => string | Promise<string>, types: string[] = [], values: unknown[] = []) =>
  async ({ create }: Deployer): Promise<{ account: Address }> => ({
    account: await create(await code(), types, values),
  });

const [EP06, EP07, EP08, EP09] = (['0.6', '0.7', '0.8', '0.9'] as const).map((version) => entryPoints[version].address);
const STRANGER: Address = `0x${'51'.repeat(20)}`;
/** Code of a factory that knows every account: it returns 1. */
const ANSWERS_ONE = '0x600160005260206000f3';

const SAFE_ABI = [
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)',
  'function enableModule(address module)',
  'function setFallbackHandler(address handler)',
];
const safeCode = (path: string): string => bytecodeIn(`@safe-global/safe-contracts/build/artifacts/contracts/${path}`);

/** A Safe whose fallback handler and module is `module`, which may have made a contract of its own. */
const safeWith = async (module: Address, { provider, create }: Deployer) => {
  const singleton = await create(safeCode('SafeL2.sol/SafeL2.json'));
  const account = await create(safeCode('proxies/SafeProxy.sol/SafeProxy.json'), ['address'], [singleton]);
  const owner = devWallet(0, provider);
  const zero = toBeHex(0, 20);
  const safe = new Contract(account, SAFE_ABI, owner);
  await (await safe.getFunction('setup')([owner.address], 1, zero, '0x', module, zero, 0, zero)).wait();
  await provider.send('anvil_setBalance', [account, toBeHex(10n ** 18n)]);
  await provider.send('anvil_impersonateAccount', [account]);
  const data = safe.interface.encodeFunctionData('enableModule', [module]);
  await provider.send('eth_sendTransaction', [{ from: account, to: account, data }]);
  await provider.send('anvil_stopImpersonatingAccount', [account]);
  const ofModule = getCreateAddress({ from: module, nonce: 0 }) as Address;
  return { account, machinery: [singleton, module, ofModule] };
};

/** Every implementation, from the packages named in package.json. */
export const accountImplementations: readonly AccountImplementation[] = [
  {
    name: 'SimpleAccount 0.6',
    entryPointVersion: '0.6',
    forms: ['simple', 'simpleBatch06'],
    deploy: alone(() => builtCode('SimpleAccount'), ['address'], [EP06]),
  },
  {
    name: 'SimpleAccount 0.7',
    entryPointVersion: '0.7',
    forms: ['simple', 'simpleBatch07'],
    deploy: alone(() => builtCode('SimpleAccount-0.7'), ['address'], [EP07]),
  },
  {
    name: 'SimpleAccount 0.8',
    entryPointVersion: '0.8',
    forms: ['simple', 'batchOfTuples'],
    deploy: alone(() => builtCode('SimpleAccount-0.8'), ['address'], [EP08]),
  },
  {
    name: 'Simple7702Account 0.8',
    entryPointVersion: '0.8',
    forms: ['simple', 'batchOfTuples'],
    deploy: alone(() => builtCode('Simple7702Account-0.8')),
  },
  {
    name: 'SimpleAccount 0.9',
    entryPointVersion: '0.9',
    forms: ['simple', 'batchOfTuples'],
    deploy: alone(() => builtCode('SimpleAccount-0.9'), ['address'], [EP09]),
  },
  {
    name: 'Simple7702Account 0.9',
    entryPointVersion: '0.9',
    forms: ['simple', 'batchOfTuples'],
    deploy: alone(() => builtCode('Simple7702Account-0.9'), ['address'], [EP09]),
  },
  {
    name: 'Biconomy V2',
    entryPointVersion: '0.6',
    forms: ['simple', 'biconomy'],
    deploy: alone(() => builtCode('SmartAccount'), ['address'], [EP06]),
  },
  {
    name: 'Thirdweb',
    entryPointVersion: '0.6',
    forms: ['simple', 'simpleBatch07'],
    deploy: async ({ provider, create }) => {
      await provider.send('anvil_setCode', [STRANGER, ANSWERS_ONE]);
      return { account: await create(thirdwebCode(), ['address', 'address'], [EP06, STRANGER]), machinery: [STRANGER] };
    },
  },
  {
    name: 'Solady ERC4337',
    entryPointVersion: '0.7',
    forms: ['simple', 'batchOfTuples'],
    deploy: alone(() => builtCode('SoladyAccount')),
  },
  {
    name: 'Solady ERC7821',
    entryPointVersion: '0.7',
    forms: ['batch7579', 'executor', 'batchOfBatches'],
    deploy: alone(() => builtCode('SoladyExecutor')),
  },
  {
    name: 'OpenZeppelin ERC7821',
    entryPointVersion: '0.9',
    forms: ['batch7579'],
    deploy: alone(() => builtCode('OpenZeppelinExecutor')),
  },
  {
    name: 'OpenZeppelin AccountERC7579',
    entryPointVersion: '0.9',
    forms: ['erc7579'],
    deploy: alone(() => builtCode('OpenZeppelinAccount7579')),
  },
  {
    name: 'MetaMask Hybrid',
    entryPointVersion: '0.7',
    forms: ['metamask', 'erc7579'],
    deploy: alone(() => withLibrary(metamask.HybridDeleGator), ['address', 'address'], [STRANGER, EP07]),
  },
  {
    name: 'MetaMask MultiSig',
    entryPointVersion: '0.7',
    forms: ['metamask', 'erc7579'],
    deploy: alone(() => metamask.MultiSigDeleGator, ['address', 'address'], [STRANGER, EP07]),
  },
  {
    name: 'MetaMask Stateless7702',
    entryPointVersion: '0.7',
    forms: ['metamask', 'erc7579'],
    deploy: alone(() => metamask.EIP7702StatelessDeleGator, ['address', 'address'], [STRANGER, EP07]),
  },
  {
    name: 'Kernel v3',
    entryPointVersion: '0.7',
    forms: ['erc7579'],
    deploy: alone(() => moduleKit('KernelPrecompiles', 'KERNEL_BYTECODE'), ['address'], [EP07]),
  },
  {
    name: 'Nexus',
    entryPointVersion: '0.7',
    forms: ['erc7579'],
    deploy: alone(() => moduleKit('NexusPrecompiles', 'NEXUS_BYTECODE'), ['address'], [EP07]),
  },
  {
    name: 'ERC-7579 reference',
    entryPointVersion: '0.7',
    forms: ['erc7579'],
    deploy: alone(() => moduleKit('ERC7579Precompiles', 'ERC7579_BYTECODE')),
  },
  {
    name: 'Safe7579',
    entryPointVersion: '0.7',
    forms: ['erc7579'],
    deploy: async (chain) => safeWith(await chain.create(moduleKit('Safe7579Precompiles', 'SAFE7579_BYTECODE')), chain),
  },
  {
    name: 'Safe with Safe4337Module',
    entryPointVersion: '0.7',
    forms: ['safe'],
    deploy: async (chain) => {
      const code = bytecodeIn(
        '@safe-global/safe-4337/build/artifacts/contracts/Safe4337Module.sol/Safe4337Module.json',
      );
      return safeWith(await chain.create(code, ['address'], [EP07]), chain);
    },
  },
];

/** Deploys an account that has ether. @throws Error if it has no code */
export const deployAccount = async (
  implementation: AccountImplementation,
  provider: JsonRpcProvider,
): Promise<NpmAccount> => {
  const { name, entryPointVersion } = implementation;
  const { account, machinery = [] } = await implementation.deploy(deployer(provider));
  if ((await provider.getCode(account)) === '0x') throw new Error(`${name} was not deployed`);
  await provider.send('anvil_setBalance', [account, toBeHex(10n ** 24n)]);
  const entryPoint = entryPoints[entryPointVersion].address;
  const key = addressKey(account);
  return { account: key, entryPoint, entryPointVersion, machinery: new Set(machinery.map(addressKey)) };
};
