import WalletManagerEvmErc4337 from '@tetherto/wdk-wallet-evm-erc-4337';
import { getSafe4337ModuleDeployment, getSafeModuleSetupDeployment } from '@safe-global/safe-modules-deployments';
import { hexToBytes } from 'viem';
import { MODULES_VERSION, deploySafe } from './safe-contracts.mjs';

/** The modules' list names no local chain, and the SDK takes no other addresses. */
const addToModulesList = (chainId) => {
  for (const deploymentOf of [getSafe4337ModuleDeployment, getSafeModuleSetupDeployment]) {
    const { networkAddresses } = deploymentOf({ version: MODULES_VERSION });
    networkAddresses[chainId] = networkAddresses['1'];
  }
};

const accountFor = async (task) => {
  await deploySafe(task);
  addToModulesList(task.chainId);
  const wallet = new WalletManagerEvmErc4337(hexToBytes(task.ownerKey), {
    chainId: task.chainId,
    provider: task.rpcUrl,
    bundlerUrl: task.bundlerUrl,
    entryPointAddress: task.entryPoint.address,
    safeModulesVersion: MODULES_VERSION,
    paymasterUrl: task.paymasterUrl,
    ...(task.token
      ? { paymasterAddress: task.paymaster, paymasterToken: { address: task.token } }
      : { isSponsored: true, sponsorshipPolicyId: 'sp_any' }),
  });
  return wallet.getAccount(0);
};

/** It approves by itself what a quote of the cost says. */
const sendTransaction = async (task) => {
  const account = await accountFor(task);
  const { hash } = await account.sendTransaction({ ...task.call, value: 0 });
  return hash;
};

export const accountOf = async (task) => (await accountFor(task)).getAddress();

export default { sendTransaction };
