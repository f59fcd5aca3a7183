import { id } from 'ethers';
import type { Address } from '../../shared/schema/hex.ts';
import type { AbiReader } from './abi-reader.ts';

const MODULE = '(address,bytes)';
const REGISTRY = '(address,address[],uint8)';

/** By kind of contract, the functions that install modules, owners and validators and call nothing else. */
const FUNCTIONS = {
  /** Safe's AddModulesLib and SafeModuleSetup. */
  modules: ['enableModules(address[])'],
  /** SafeWebAuthnSharedSigner. */
  signer: ['configure((uint256,uint256,uint176))'],
  /** SafeToL2Setup. */
  l2: ['setupToL2(address)'],
  /** Safe7579Launchpad. */
  launchpad: [
    `initSafe7579(address,${MODULE}[],${MODULE}[],${MODULE}[],address[],uint8)`,
    `addSafe7579(address,${MODULE}[],${MODULE}[],${MODULE}[],${MODULE}[],address[],uint8)`,
  ],
  /** Bootstraps of ERC-7579 accounts: the reference implementation, Etherspot, all versions of Nexus, Startale. */
  bootstrap: [
    `initMSA(${MODULE}[],${MODULE}[],${MODULE},${MODULE}[])`,
    `initNexus(${MODULE}[],${MODULE}[],${MODULE},${MODULE}[],address,address[],uint8)`,
    `initNexus(${MODULE}[],${MODULE}[],${MODULE},${MODULE}[],(uint256,address,bytes)[],${REGISTRY})`,
    `initNexusNoRegistry(${MODULE}[],${MODULE}[],${MODULE},${MODULE}[],(uint256,address,bytes)[])`,
    `initNexusScoped(${MODULE}[],${MODULE},address,address[],uint8)`,
    `initNexusScoped(${MODULE}[],${MODULE},${REGISTRY})`,
    `initNexusScopedNoRegistry(${MODULE}[],${MODULE})`,
    'initNexusWithSingleValidator(address,bytes,address,address[],uint8)',
    `initNexusWithSingleValidator(address,bytes,${REGISTRY})`,
    'initNexusWithSingleValidatorNoRegistry(address,bytes)',
    'initNexusWithDefaultValidator(bytes)',
    `initNexusWithDefaultValidatorAndOtherModules(bytes,${MODULE}[],${MODULE},${MODULE}[],(uint256,address,bytes)[],${REGISTRY})`,
    `initNexusWithDefaultValidatorAndOtherModulesNoRegistry(bytes,${MODULE}[],${MODULE}[],${MODULE},${MODULE}[],(uint256,address,bytes)[])`,
    `initScoped(${MODULE}[],${MODULE})`,
    'initWithDefaultValidator(bytes)',
    `initWithDefaultValidatorAndOtherModules(bytes,${MODULE}[],${MODULE}[],${MODULE},${MODULE}[],(uint256,address,bytes)[])`,
    'initWithSingleValidator(address,bytes)',
  ],
  /** MetaMask's HybridDeleGator: an owner's address and passkeys. */
  hybrid: ['initialize(address,string[],uint256[],uint256[])'],
  /** MetaMask's MultiSigDeleGator. */
  multiSig: ['initialize(address[],uint256)'],
} as const satisfies Record<string, readonly string[]>;

/** Contracts that accounts delegatecall during their set-up, lower case. */
const CONTRACTS: Readonly<Record<Address, keyof typeof FUNCTIONS>> = {
  // npm permissionless 0.4.1, abstractionkit 0.2.41
  '0x8ecd4ec46d4d2a6b64fe960b3d64e8b94b2234eb': 'modules',
  '0x2dd68b007b46fbe91b9a7c3eda5a7a1063cb5b47': 'modules',
  '0x94a4f6affbd8975951142c3999aeab7ecee555c2': 'signer',
  '0xfd90fad33ee8b58f32c00aceead1358e4afc23f9': 'signer',
  '0x0d5154d7751b6e2fdaa06f0cc9b400549394c8aa': 'bootstrap',
  // npm @safe-global/safe-deployments (1.4.1)
  '0xbd89a1ce4dde368ffab0ec35506eece0b1ffdc54': 'l2',
  // npm @rhinestone/sdk
  '0x7579011ab74c46090561ea277ba79d510c6c00ff': 'launchpad',
  // npm @etherspot/modular-sdk 6.1.1
  '0xcf2808ea7d131d96e5c73eb0ecd8dc84d33905c7': 'bootstrap',
  // npm @biconomy/abstractjs 1.2.3, @biconomy/sdk 0.0.29
  '0xca8f48912a3a33fe694c318a1d097ad394cfab76': 'bootstrap',
  '0x879fa30248eeb693dcce3ea94a743622170a3658': 'bootstrap',
  '0x33a8f72f236e02ed62b0312f48105acbd651cd17': 'bootstrap',
  '0x000000c4781be3349f81d341027fd7a4edfa4dd2': 'bootstrap',
  '0x0000003edf18913c01cbc482c978bbd3d6e8ffa3': 'bootstrap',
  '0x00000000d3254452a909e4eed47455af7e27c289': 'bootstrap',
  '0x000000007bfeda33ac982cb38eaaef5d7bcc954c': 'bootstrap',
  '0x000000f5b753fdd20c5ca2d7c1210b3ab1ea5903': 'bootstrap',
  // npm @startale-scs/aa-sdk 1.1.0
  '0x000000552a5fae3db7a8f3917c435448f49ba6a9': 'bootstrap',
  // npm @metamask/delegation-deployments 2.0.0: 1.0.0, 1.1.0, 1.3.0
  '0xd6edd1256deccb2b06bdecef92dc16bcf26e531b': 'hybrid',
  '0x5989f5d13df8fc818eda65e417aed90459fd67f7': 'hybrid',
  '0x941f3a016f8726d5643ce62452d0d78492d42b42': 'hybrid',
  '0x48dbe696a4d990079e039489ba2053b36e8ffec4': 'hybrid',
  '0x11f555af5844d85bfcf5d61d2a22866527eb585a': 'multiSig',
  '0xd1f421edba5e3fa9efe3874827114b20c5bec40c': 'multiSig',
  '0x56a9edb16a0105eb5a4c54f4c062e2868844f3a7': 'multiSig',
};

const SELECTORS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(CONTRACTS).map(([contract, kind]) => [
    contract,
    new Set(FUNCTIONS[kind].map((signature) => id(signature).slice(0, 10))),
  ]),
);

/** True if a delegatecall to `target` (lower case) with `data` only sets up an account. */
export const isSetUp = (target: Address, data: AbiReader): boolean =>
  data.length >= 4 && SELECTORS.get(target)?.has(data.slice(0, 4).hex()) === true;
