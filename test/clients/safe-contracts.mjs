// Puts Safe's contracts where they are on every chain, from the builds in its own packages.
import { createRequire } from 'node:module';
import { getSafe4337ModuleDeployment, getSafeModuleSetupDeployment } from '@safe-global/safe-modules-deployments';
import { concatHex, createTestClient, encodeDeployData, http, publicActions, walletActions, zeroHash } from 'viem';
import { entryPoint07Address } from 'viem/account-abstraction';
import { localhost } from 'viem/chains';

const require = createRequire(import.meta.url);

/** Safe's factory, which gives the same addresses everywhere. anvil starts with one of the same code. */
const FACTORY = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7';
const ANVILS_FACTORY = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

const CONTRACTS = [
  ...['SafeL2.sol/SafeL2', 'Safe.sol/Safe', 'proxies/SafeProxyFactory.sol/SafeProxyFactory'],
  'libraries/MultiSend.sol/MultiSend',
  ...['libraries/MultiSendCallOnly.sol/MultiSendCallOnly', 'libraries/SignMessageLib.sol/SignMessageLib'],
  ...['libraries/CreateCall.sol/CreateCall', 'accessors/SimulateTxAccessor.sol/SimulateTxAccessor'],
  'handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler',
].map((name) => `@safe-global/safe-contracts/build/artifacts/contracts/${name}.json`);
const MODULES = '@safe-global/safe-4337/build/artifacts/contracts';

export const MODULES_VERSION = '0.3.0';
/** The modules' list names no local chain; they have one address on all. */
const onMainnet = (deploymentOf) => deploymentOf({ version: MODULES_VERSION, network: '1' }).networkAddresses['1'];
export const safe4337ModuleAddress = onMainnet(getSafe4337ModuleDeployment);
export const safeModulesSetupAddress = onMainnet(getSafeModuleSetupDeployment);

/** Deploys them, unless they are there. */
export const deploySafe = async ({ rpcUrl }) => {
  const node = createTestClient({ chain: localhost, mode: 'anvil', transport: http(rpcUrl), pollingInterval: 50 })
    .extend(publicActions)
    .extend(walletActions);
  if (await node.getCode({ address: FACTORY })) return;
  const copyCode = async (from, to) => node.setCode({ address: to, bytecode: await node.getCode({ address: from }) });
  const [account] = await node.getAddresses();
  const send = async (transaction) => {
    const hash = await node.sendTransaction({ account, ...transaction });
    return node.waitForTransactionReceipt({ hash });
  };
  await copyCode(ANVILS_FACTORY, FACTORY);
  for (const contract of CONTRACTS) {
    await send({ to: FACTORY, data: concatHex([zeroHash, require(contract).bytecode]) });
  }
  /** The package's build of these is not the one that Safe deployed: it would have other addresses. */
  const deployAs = async (name, address, args = []) => {
    const { abi, bytecode } = require(`${MODULES}/${name}.sol/${name}.json`);
    const { contractAddress } = await send({ data: encodeDeployData({ abi, bytecode, args }) });
    await copyCode(contractAddress, address);
  };
  await deployAs('SafeModuleSetup', safeModulesSetupAddress);
  await deployAs('Safe4337Module', safe4337ModuleAddress, [entryPoint07Address]);
};
