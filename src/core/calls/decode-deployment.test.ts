import { ERC1967Proxy } from '@metamask/delegation-abis/bytecode';
import { concat, dataLength, dataSlice, toBeHex } from 'ethers';
import {
  toEtherspotSmartAccount,
  toKernelSmartAccount,
  toLightSmartAccount,
  toNexusSmartAccount,
  toSafeSmartAccount,
  toSimpleSmartAccount,
  toThirdwebSmartAccount,
  toTrustSmartAccount,
} from 'permissionless/accounts';
import { createPublicClient, custom } from 'viem';
import { entryPoint06Address, entryPoint07Address } from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { describe, expect, it } from 'vitest';
import {
  BATCH,
  MULTI_SEND,
  SENDER,
  TOKEN,
  ZERO_ADDRESS,
  encodeArguments,
  encodeExecute7579,
  encodeFunction,
  encodeMultiSend,
  hex,
  packTransaction,
} from '../../../test/support/account-call-data.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { decodeDeployment } from './decode-deployment.ts';

const FACTORY: Address = `0x${'fa'.repeat(20)}`;
const OTHER: Address = '0x1111111111111111111111111111111111111111';
const APPROVE = encodeFunction('approve(address,uint256)', ['address', 'uint256'], [OTHER, 7]);

const decode = (factoryData: Hex, trusted: Address[] = [], factory = FACTORY) =>
  decodeDeployment({ factory, factoryData }, SENDER, new Set(trusted));
const NOTHING = { outcome: 'decoded', calls: [] };

/** MetaMask's SimpleFactory, with a proxy as its clients create it. */
const metamask = (implementation: Address, initializer: Hex, code: string = ERC1967Proxy): Hex =>
  encodeFunction(
    'deploy(bytes,bytes32)',
    ['bytes', 'bytes32'],
    [concat([code, encodeArguments(['address', 'bytes'], [implementation, initializer])]), toBeHex(0, 32)],
  );
const HYBRID: Address = '0x48dBe696A4D990079e039489bA2053B36E8FFEC4';
const HYBRID_INITIALIZE = encodeFunction(
  'initialize(address,string[],uint256[],uint256[])',
  ['address', 'string[]', 'uint256[]', 'uint256[]'],
  [OTHER, [], [], []],
);

/** A client of a chain without contracts. */
const client = createPublicClient({
  chain: foundry,
  transport: custom({
    request: ({ method }: { method: string }) => Promise.resolve(method === 'eth_chainId' ? '0x7a69' : '0x'),
  }),
});
const owner = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const v06 = { address: entryPoint06Address, version: '0.6' as const };
const v07 = { address: entryPoint07Address, version: '0.7' as const };
const common = { client, owner, address: SENDER } as const;
const safe = { client, owners: [owner], address: SENDER, entryPoint: v07 } as const;
const SAFE_7579 = {
  version: '1.4.1',
  safe4337ModuleAddress: '0x7579EE8307284F293B1927136486880611F20002',
  erc7579LaunchpadAddress: '0x7579011aB74c46090561ea277Ba79D510c6C00ff',
} as const;

interface Account {
  getFactoryArgs(): Promise<{ factory?: Address | undefined; factoryData?: Hex | undefined }>;
}
const factoryDataOf = async (account: Promise<Account>): Promise<Hex> =>
  (await (await account).getFactoryArgs()).factoryData!;

describe('deployments that do no more than deploy', () => {
  it.each<[string, () => Promise<Account>]>([
    ['SimpleAccount', () => toSimpleSmartAccount({ ...common, entryPoint: v07 })],
    ['Safe 1.4.1 on 0.6', () => toSafeSmartAccount({ ...safe, entryPoint: v06, version: '1.4.1' })],
    ['Safe 1.4.1', () => toSafeSmartAccount({ ...safe, version: '1.4.1' })],
    ['Safe 1.5.0', () => toSafeSmartAccount({ ...safe, version: '1.5.0' })],
    ['Safe without MultiSend', () => toSafeSmartAccount({ ...safe, version: '1.4.1', useMultiSendForSetup: false })],
    ['Safe7579', () => toSafeSmartAccount({ ...safe, ...SAFE_7579 })],
    [
      'Kernel 0.2.4',
      () => toKernelSmartAccount({ client, owners: [owner], address: SENDER, entryPoint: v06, version: '0.2.4' }),
    ],
    ['Kernel 0.3.0', () => toKernelSmartAccount({ client, owners: [owner], address: SENDER, version: '0.3.0-beta' })],
    ['Kernel 0.3.1', () => toKernelSmartAccount({ client, owners: [owner], address: SENDER, version: '0.3.1' })],
    [
      'Kernel 0.3.3 without its meta factory',
      () => toKernelSmartAccount({ client, owners: [owner], address: SENDER, version: '0.3.3', useMetaFactory: false }),
    ],
    ['Nexus', () => toNexusSmartAccount({ client, owners: [owner], address: SENDER, version: '1.0.0' })],
    ['LightAccount', () => toLightSmartAccount({ ...common, entryPoint: v07, version: '2.0.0' })],
    ['Thirdweb', () => toThirdwebSmartAccount({ ...common, entryPoint: v07 })],
    ['Trust', () => toTrustSmartAccount({ ...common, entryPoint: v06 })],
    ['Etherspot', () => toEtherspotSmartAccount({ client, owners: [owner], address: SENDER, entryPoint: v07 })],
  ])('%s', async (_, account) => {
    expect(decode(await factoryDataOf(account()))).toMatchObject(NOTHING);
  });

  const K1 = 'initNexusWithSingleValidatorNoRegistry(address,bytes)';
  it.each<[string, Hex]>([
    ['Coinbase', encodeFunction('createAccount(bytes[],uint256)', ['bytes[]', 'uint256'], [['0x12'], 0])],
    [
      "Alchemy's semi-modular account",
      encodeFunction('createSemiModularAccount(address,uint256)', ['address', 'uint256'], [OTHER, 0]),
    ],
    [
      "Alchemy's multi-owner account",
      encodeFunction('createAccount(uint256,address[])', ['uint256', 'address[]'], [0, [OTHER]]),
    ],
    [
      'Circle',
      encodeFunction(
        'createAccount(bytes32,bytes32,bytes)',
        ['bytes32', 'bytes32', 'bytes'],
        [toBeHex(1, 32), toBeHex(2, 32), '0x12'],
      ),
    ],
    [
      'Biconomy V2',
      encodeFunction(
        'deployCounterFactualAccount(address,bytes,uint256)',
        ['address', 'bytes', 'uint256'],
        [OTHER, encodeFunction('initForSmartAccount(address)', ['address'], [OTHER]), 0],
      ),
    ],
    [
      "Biconomy's Nexus by its bootstrap",
      nexus('0x00000000D3254452a909E4eeD47455Af7E27C289', encodeFunction(K1, ['address', 'bytes'], [OTHER, '0x12'])),
    ],
    ["MetaMask's Hybrid", metamask(HYBRID, HYBRID_INITIALIZE)],
    [
      "MetaMask's MultiSig",
      metamask(
        '0x56a9EdB16a0105eb5a4C54f4C062e2868844f3A7',
        encodeFunction('initialize(address[],uint256)', ['address[]', 'uint256'], [[OTHER], 1]),
      ),
    ],
    [
      'a Kernel that installs a module',
      kernel(
        encodeFunction('installModule(uint256,address,bytes)', ['uint256', 'address', 'bytes'], [1, OTHER, '0x12']),
      ),
    ],
  ])('%s', (_, factoryData) => {
    expect(decode(factoryData)).toMatchObject(NOTHING);
  });
});

describe('further effects of a deployment are reported', () => {
  const approval = { target: TOKEN, value: 0n, data: APPROVE, operation: 'call' };

  it.each(['1.4.1', '1.5.0'] as const)("by the setupTransactions of permissionless' Safe %s", async (version) => {
    for (const entryPoint of version === '1.4.1' ? [v06, v07] : [v07]) {
      const setupTransactions = [{ to: TOKEN, data: APPROVE, value: 0n }];
      const account = toSafeSmartAccount({ ...safe, entryPoint, version, setupTransactions });
      expect(decode(await factoryDataOf(account))).toMatchObject({ outcome: 'decoded', calls: [approval] });
    }
  });

  const transfer = encodeFunction('transfer(address,uint256)', ['address', 'uint256'], [OTHER, 9]);
  it.each<[string, Address, object]>([
    ['in a token', TOKEN, { target: TOKEN, value: 0n, data: transfer, operation: 'call' }],
    ['in ether', ZERO_ADDRESS, { target: OTHER, value: 9n, data: '0x', operation: 'call' }],
  ])('as the payment %s that a Safe makes for its own setup', async (_, paymentToken, call) => {
    const payment = { paymentToken, payment: 9n, paymentReceiver: OTHER };
    const factoryData = await factoryDataOf(toSafeSmartAccount({ ...safe, version: '1.4.1', ...payment }));
    expect(decode(factoryData)).toMatchObject({ outcome: 'decoded', calls: [call] });
  });

  const strange = encodeFunction('run()', [], []);
  it.each<[string, Hex, object[]]>([
    ['a call in the initialisation of a Kernel', kernel(batch(APPROVE)), [approval]],
    ['a call of a Kernel to itself', kernel(strange), [{ target: SENDER, data: strange, operation: 'call' }]],
    [
      "a call in the place of Biconomy's module",
      encodeFunction(
        'deployCounterFactualAccount(address,bytes,uint256)',
        ['address', 'bytes', 'uint256'],
        [TOKEN, APPROVE, 0],
      ),
      [approval],
    ],
    [
      'a MultiSend in the place of a bootstrap',
      nexus(MULTI_SEND, encodeMultiSend(packTransaction(0, TOKEN, APPROVE))),
      [approval],
    ],
    ['another bootstrap', nexus(OTHER, '0x10b7fca9'), [{ target: OTHER, operation: 'delegatecall' }]],
    [
      'a bootstrap with another function',
      nexus('0x00000000D3254452a909E4eeD47455Af7E27C289', strange),
      [{ operation: 'delegatecall' }],
    ],
    [
      'a delegatecall in the setup of a Safe',
      safeProxy(OTHER, strange),
      [{ target: OTHER, operation: 'delegatecall' }],
    ],
    [
      'a delegatecall hidden in MultiSends',
      safeProxy(
        MULTI_SEND,
        encodeMultiSend(packTransaction(1, MULTI_SEND, encodeMultiSend(packTransaction(1, OTHER, strange)))),
      ),
      [{ target: OTHER, operation: 'delegatecall' }],
    ],
    [
      "another implementation in the place of MetaMask's",
      metamask(OTHER, HYBRID_INITIALIZE),
      [{ target: OTHER, operation: 'delegatecall' }],
    ],
    [
      "another function of MetaMask's implementation",
      metamask(HYBRID, strange),
      [{ target: HYBRID.toLowerCase(), operation: 'delegatecall' }],
    ],
    [
      "another facet of Trust's",
      encodeFunction('createAccount(address,bytes,uint256)', ['address', 'bytes', 'uint256'], [OTHER, OTHER, 0]),
      [{ target: OTHER, operation: 'delegatecall' }],
    ],
  ])('%s', (_, factoryData, calls) => {
    expect(decode(factoryData)).toMatchObject({ outcome: 'decoded', calls });
  });

  it('but for what the operator trusts', () => {
    expect(decode(safeProxy(OTHER, strange), [OTHER])).toMatchObject(NOTHING);
    expect(decode('0xdeadbeef', [FACTORY])).toMatchObject(NOTHING);
    expect(decode(safeProxy(MULTI_SEND, encodeMultiSend(packTransaction(0, TOKEN, APPROVE))), [OTHER])).toMatchObject({
      calls: [approval],
    });
  });
});

describe('unreadable data is reported as unreadable', () => {
  const good = safeProxy(MULTI_SEND, encodeMultiSend(packTransaction(0, TOKEN, APPROVE)));
  it.each<[string, string, Hex]>([
    ['no factory function', 'UNKNOWN_SELECTOR', '0x'],
    ['an unknown factory function', 'UNKNOWN_SELECTOR', '0xdeadbeef'],
    ['text that is no hex', 'MALFORMED_CALL_DATA', '0xzz'],
    ['a Safe cut off', 'MALFORMED_CALL_DATA', hex(dataSlice(good, 0, dataLength(good) - 300))],
    [
      'an offset past the end',
      'MALFORMED_CALL_DATA',
      hex(concat([dataSlice(good, 0, 36), toBeHex(4096, 32), dataSlice(good, 68)])),
    ],
    [
      'a Safe initialised by MultiSend',
      'UNKNOWN_SELECTOR',
      encodeFunction(
        'createProxyWithNonce(address,bytes,uint256)',
        ['address', 'bytes', 'uint256'],
        [MULTI_SEND, encodeMultiSend(), 0],
      ),
    ],
    [
      'a Kernel initialised otherwise',
      'UNKNOWN_SELECTOR',
      encodeFunction('createAccount(bytes,bytes32)', ['bytes', 'bytes32'], ['0xdeadbeef', toBeHex(0, 32)]),
    ],
    ['an EIP-7702 account initialised otherwise', 'UNKNOWN_SELECTOR', '0x01'],
    [
      "a contract that is not MetaMask's proxy",
      'UNKNOWN_SELECTOR',
      metamask(HYBRID, HYBRID_INITIALIZE, hex(ERC1967Proxy.replace('6080', '6081'))),
    ],
    ["a part of MetaMask's proxy", 'UNKNOWN_SELECTOR', metamask(HYBRID, HYBRID_INITIALIZE, '0x60806040')],
    [
      "MetaMask's proxy without arguments",
      'MALFORMED_CALL_DATA',
      encodeFunction('deploy(bytes,bytes32)', ['bytes', 'bytes32'], [ERC1967Proxy, toBeHex(0, 32)]),
    ],
  ])('%s', (_, code, factoryData) => {
    expect(decode(factoryData)).toMatchObject({ outcome: 'undecodable', code });
  });

  it('an EIP-7702 account may be initialised like Nexus, and its calls are reported', () => {
    const marker: Address = `0x7702${'00'.repeat(18)}`;
    const initialise = (bootstrap: Address, data: Hex): Hex =>
      encodeFunction('initializeAccount(bytes)', ['bytes'], [encodeArguments(['address', 'bytes'], [bootstrap, data])]);
    expect(decode(initialise('0x00000000D3254452a909E4eeD47455Af7E27C289', '0x10b7fca9'), [], marker)).toMatchObject(
      NOTHING,
    );
    expect(decode(initialise(OTHER, APPROVE), [], marker)).toMatchObject({ calls: [{ operation: 'delegatecall' }] });
    expect(decode(batch(APPROVE), [], marker)).toMatchObject({ calls: [{ target: TOKEN, data: APPROVE }] });
  });
});

function batch(data: Hex): Hex {
  return encodeExecute7579(BATCH, encodeArguments(['(address,uint256,bytes)[]'], [[[TOKEN, 0, data]]]));
}

/** The deployment of a Kernel v3 account that calls itself with `config` when it is initialised. */
function kernel(config: Hex): Hex {
  const types = ['bytes21', 'address', 'bytes', 'bytes', 'bytes[]'];
  const values = [`0x01${'11'.repeat(20)}`, ZERO_ADDRESS, '0x', '0x', [config]];
  const initialize = encodeFunction(`initialize(${types.join(',')})`, types, values);
  return encodeFunction('createAccount(bytes,bytes32)', ['bytes', 'bytes32'], [initialize, toBeHex(0, 32)]);
}

/** The deployment of a Nexus account that delegatecalls the bootstrap contract. */
function nexus(bootstrap: Address, call: Hex): Hex {
  const data = encodeArguments(['address', 'bytes'], [bootstrap, call]);
  return encodeFunction('createAccount(bytes,bytes32)', ['bytes', 'bytes32'], [data, toBeHex(0, 32)]);
}

/** The deployment of a Safe whose set-up delegatecalls `to`. */
function safeProxy(to: Address, data: Hex): Hex {
  const types = ['address[]', 'uint256', 'address', 'bytes', 'address', 'address', 'uint256', 'address'];
  const values = [[OTHER], 1, to, data, OTHER, ZERO_ADDRESS, 0, ZERO_ADDRESS];
  const setup = encodeFunction(`setup(${types.join(',')})`, types, values);
  return encodeFunction(
    'createProxyWithNonce(address,bytes,uint256)',
    ['address', 'bytes', 'uint256'],
    [OTHER, setup, 0],
  );
}
