import { Interface, id, keccak256 } from 'ethers';
import type { Address } from '../../shared/schema/hex.ts';
import { AbiReader } from './abi-reader.ts';
import type { AccountCall, AccountDecoder } from './account-call.ts';
import { accountFunctions } from './account-functions.ts';
import { DecodeError } from './decode-error.ts';

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';
const selectorOf = (signature: string): string => id(signature).slice(0, 10);
const unknown = (what: string, selector: string): DecodeError =>
  new DecodeError('UNKNOWN_SELECTOR', `${what} ${selector} is not known.`);

const splitCall = (call: AbiReader): { selector: string; args: AbiReader } => {
  if (call.length < 4) throw new DecodeError('UNKNOWN_SELECTOR', 'A new account is initialised without a function.');
  return { selector: call.slice(0, 4).hex(), args: call.slice(4) };
};

const delegatecall = (target: Address, data: AbiReader): AccountCall[] =>
  target === ZERO_ADDRESS ? [] : [{ target, value: 0n, data, operation: 'delegatecall' }];

/** For factories that take only owners and a salt. The account makes no calls. */
const nothing: AccountDecoder = () => [];

const SAFE_SETUP = selectorOf('setup(address[],uint256,address,bytes,address,address,uint256,address)');
const LAUNCHPAD_SETUP = selectorOf('preValidationSetup(bytes32,address,bytes)');
const erc20 = new Interface(['function transfer(address to, uint256 value)']);

/**
 * The payment of a new Safe in its set-up (Safe.setup, handlePayment). If the receiver is zero, the bundler is paid.
 */
const safePayment = (token: Address, value: bigint, receiver: Address): AccountCall[] => {
  if (value === 0n) return [];
  if (token === ZERO_ADDRESS) return [{ target: receiver, value, data: new AbiReader(''), operation: 'call' }];
  const data = new AbiReader(erc20.encodeFunctionData('transfer', [receiver, value]).slice(2));
  return [{ target: token, value: 0n, data, operation: 'call' }];
};

/**
 * `(address singleton, bytes initializer, uint256 salt)`: creates a Safe, whose set-up delegatecalls `to` and may make
 * a payment.
 */
const createSafe: AccountDecoder = (args) => {
  const initializer = args.bytes(32);
  if (initializer.length === 0) return [];
  const { selector, args: setup } = splitCall(initializer);
  if (selector === LAUNCHPAD_SETUP) return delegatecall(setup.address(32), setup.bytes(64));
  if (selector !== SAFE_SETUP) throw unknown('The initializer of a Safe', selector);
  return [
    ...delegatecall(setup.address(64), setup.bytes(96)),
    ...safePayment(setup.address(160), setup.uint256(192), setup.address(224)),
  ];
};

const KERNEL_V2_INITIALIZE = selectorOf('initialize(address,bytes)');
const KERNEL_V3_0_INITIALIZE = selectorOf('initialize(bytes21,address,bytes,bytes)');
const KERNEL_V3_INITIALIZE = selectorOf('initialize(bytes21,address,bytes,bytes,bytes[])');
const INSTALL_MODULE = selectorOf('installModule(uint256,address,bytes)');

/** A call of Kernel v3 to itself during its initialisation. Installing modules counts as part of the deployment. */
const kernelConfig = (call: AbiReader, sender: Address): AccountCall[] => {
  const selector = call.length < 4 ? '' : call.slice(0, 4).hex();
  if (selector === INSTALL_MODULE) return [];
  const execute = accountFunctions.get(selector);
  if (execute !== undefined) return execute(call.slice(4), sender);
  return [{ target: sender, value: 0n, data: call, operation: 'call' }];
};

const kernelV3 = (initializer: AbiReader, sender: Address): AccountCall[] => {
  const { selector, args } = splitCall(initializer);
  if (selector === KERNEL_V3_0_INITIALIZE) return [];
  if (selector !== KERNEL_V3_INITIALIZE) throw unknown('The initializer of a Kernel', selector);
  const { count, items } = args.array(128);
  return Array.from({ length: count }, (_, index) => kernelConfig(items.bytes(index * 32), sender)).flat();
};

/**
 * `(address bootstrap, bytes call)`: Nexus, Startale and the reference implementation delegatecall a bootstrap
 * contract.
 */
const bootstrapped = (data: AbiReader): AccountCall[] => delegatecall(data.address(0), data.bytes(32));

/** `(bytes data, bytes32 salt)`: Kernel v3 if `data` begins with a selector, Nexus if it begins with an address. */
const createKernelOrNexus: AccountDecoder = (args, sender) => {
  const data = args.bytes(0);
  return data.length >= 4 && data.slice(0, 4).hex() === '0x00000000' ? bootstrapped(data) : kernelV3(data, sender);
};

/**
 * `(bytes32 salt, bytes data)`: the reference implementation, or Etherspot, with `(address owner, address bootstrap,
 * bytes call)` as `data`.
 */
const createReferenceOrEtherspot: AccountDecoder = (args) => {
  const data = args.bytes(32);
  if (data.uint256(32) <= BigInt(data.length)) return bootstrapped(data);
  return delegatecall(data.address(32), data.bytes(64));
};

/** Trust's code for owners' signatures, which Trust accounts use as a facet (npm permissionless 0.4.1). */
const TRUST_FACET: Address = '0x81b9e3689390c7e74cf526594a105dea21a8cdd5';
/** Lengths of an address and of a public key without and with its prefix, in bytes. */
const OWNER_LENGTHS: readonly number[] = [20, 64, 65];

/** `(address implementation, bytes data, uint256 salt)`: Kernel v2, or Trust with a facet and an owner. */
const createKernelV2OrTrust: AccountDecoder = (args) => {
  const [target, data] = [args.address(0), args.bytes(32)];
  if (OWNER_LENGTHS.includes(data.length)) return target === TRUST_FACET ? [] : delegatecall(target, data);
  const { selector } = splitCall(data);
  if (selector !== KERNEL_V2_INITIALIZE) throw unknown('The initializer of a Kernel', selector);
  return [];
};

/** Initialisers of Biconomy V2's modules for an owner's address and for a passkey. */
const INIT_FOR_SMART_ACCOUNT = ['initForSmartAccount(address)', 'initForSmartAccount(uint256,uint256,string)'].map(
  selectorOf,
);

/** `(address module, bytes data, uint256 index)`: a new Biconomy V2 account calls the module with `data`. */
const createBiconomyV2: AccountDecoder = (args) => {
  const [target, data] = [args.address(0), args.bytes(32)];
  const isModule = data.length >= 4 && INIT_FOR_SMART_ACCOUNT.includes(data.slice(0, 4).hex());
  return isModule ? [] : [{ target, value: 0n, data, operation: 'call' }];
};

/** Creation code of the ERC1967Proxy of MetaMask's Delegation Framework (npm @metamask/delegation-abis 2.0.0). */
const METAMASK_PROXY = { length: 1008, hash: '0xc8fb9314d27cddb08b374dd2bf47cd06c6fb879756ddfbedf522a8c58756a8e0' };

/**
 * `(bytes creation, bytes32 salt)`: MetaMask's SimpleFactory creates any contract. An account is a proxy that
 * delegatecalls its implementation with `(address implementation, bytes call)`, which follow the proxy's code.
 */
const createMetamask: AccountDecoder = (args) => {
  const creation = args.bytes(0);
  const { length, hash } = METAMASK_PROXY;
  if (creation.length < length || keccak256(creation.slice(0, length).hex()) !== hash) {
    throw new DecodeError('UNKNOWN_SELECTOR', "What SimpleFactory creates is not the proxy of MetaMask's accounts.");
  }
  const proxy = creation.slice(length);
  const call = proxy.bytes(32);
  return call.length === 0 ? [] : delegatecall(proxy.address(0), call);
};

const factories: Readonly<Record<string, AccountDecoder>> = {
  // All versions of SimpleAccount, LightAccount, Solady, Coinbase, Thirdweb, Circle
  'createAccount(address,uint256)': nothing,
  'createAccount(address[],uint256)': nothing,
  'createAccountSingle(address,uint256)': nothing,
  'createAccount(address,bytes32)': nothing,
  'createAccount(bytes[],uint256)': nothing,
  'createAccount(address,bytes)': nothing,
  'createAccount(bytes32,bytes32,bytes)': nothing,
  // Alchemy's Modular Account, v1 and v2
  'createAccount(uint256,address[])': nothing,
  'createAccount(uint256,address[],uint128)': nothing,
  'createAccount(address,uint256,uint32)': nothing,
  'createSemiModularAccount(address,uint256)': nothing,
  'createWebAuthnAccount(uint256,uint256,uint256,uint32)': nothing,
  // Nexus' K1ValidatorFactory
  'createAccount(address,uint256,address[],uint8)': nothing,
  // Biconomy V1 and V2
  'deployCounterFactualAccount(address,uint256)': nothing,
  'deployCounterFactualAccount(address,bytes,uint256)': createBiconomyV2,
  'createAccount(bytes,bytes32)': createKernelOrNexus,
  // Kernel's FactoryStaker
  'deployWithFactory(address,bytes,bytes32)': (args, sender) => kernelV3(args.bytes(32), sender),
  'createAccount(address,bytes,uint256)': createKernelV2OrTrust,
  'createAccount(bytes32,bytes)': createReferenceOrEtherspot,
  // MetaMask's SimpleFactory
  'deploy(bytes,bytes32)': createMetamask,
  // All versions of Safe
  'createProxyWithNonce(address,bytes,uint256)': createSafe,
  'createChainSpecificProxyWithNonce(address,bytes,uint256)': createSafe,
  'createProxyWithNonceL2(address,bytes,uint256)': createSafe,
  'createChainSpecificProxyWithNonceL2(address,bytes,uint256)': createSafe,
};

/**
 * The decoder of every known factory function, by selector. As with account functions, each selector has one meaning.
 */
export const factoryFunctions: ReadonlyMap<string, AccountDecoder> = new Map(
  Object.entries(factories).map(([signature, decoder]) => [selectorOf(signature), decoder]),
);

/** The functions by which an EIP-7702 account can initialise itself, with their decoders. */
export const initializers: ReadonlyMap<string, AccountDecoder> = new Map([
  ...accountFunctions,
  // Nexus
  [selectorOf('initializeAccount(bytes)'), (args) => bootstrapped(args.bytes(0))],
]);
