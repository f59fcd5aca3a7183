import { AccountAbstractionProvider, SafeSmartAccount } from '@web3auth/account-abstraction-provider';
import { EthereumPrivateKeyProvider } from '@web3auth/ethereum-provider';
import { toSimpleSmartAccount } from 'permissionless/accounts';
import { toHex } from 'viem';
import { deploySafe } from './safe-contracts.mjs';
import { callsOf, setUp } from './simple-account.mjs';

/** What the SDK takes for an account of one's own. */
const simpleAccount = ({ factory, entryPoint }) => ({
  name: 'simple',
  getSmartAccount: (parameters) => toSimpleSmartAccount({ ...parameters, factoryAddress: factory, entryPoint }),
});

const accounts = {
  'Safe, bundlerClient': () => new SafeSmartAccount(),
  'Safe, eth_sendTransaction': () => new SafeSmartAccount(),
  'an account of its own, bundlerClient': simpleAccount,
};

const connect = async (task, way) => {
  if (way.startsWith('Safe')) await deploySafe(task);
  const chainConfig = {
    ...{ chainNamespace: 'eip155', chainId: toHex(task.chainId), rpcTarget: task.rpcUrl },
    ...{ displayName: 'Local', ticker: 'ETH', tickerName: 'Ether', blockExplorerUrl: '' },
  };
  const eoaProvider = new EthereumPrivateKeyProvider({ config: { chainConfig } });
  await eoaProvider.setupProvider(task.ownerKey.slice(2));
  const { estimateFeesPerGas } = await setUp(task);
  return AccountAbstractionProvider.getProviderInstance({
    eoaProvider,
    chainConfig,
    smartAccountInit: accounts[way](task),
    bundlerConfig: {
      url: task.bundlerUrl,
      userOperation: { estimateFeesPerGas },
      ...(task.token && { paymasterContext: { token: task.token } }),
    },
    paymasterConfig: { url: task.paymasterUrl },
  });
};

const sendUserOperation = (way) => async (task) => {
  const { bundlerClient } = await connect(task, way);
  return bundlerClient.sendUserOperation({ calls: callsOf(task) });
};

/** It answers the transaction's hash, once the operation is mined. */
const sendTransaction = (way) => async (task) => {
  const provider = await connect(task, way);
  const { bundlerClient } = provider;
  const { sendUserOperation: send } = bundlerClient;
  let userOpHash;
  bundlerClient.sendUserOperation = async (...args) => (userOpHash = await send(...args));
  const [from] = await provider.request({ method: 'eth_accounts' });
  await provider.request({ method: 'eth_sendTransaction', params: [{ from, ...task.call, value: '0x0' }] });
  return userOpHash;
};

export const accountOf = async (task, way) => (await connect(task, way)).smartAccount.address;

export default Object.fromEntries(
  Object.keys(accounts).map((way) => [way, (way.endsWith('Client') ? sendUserOperation : sendTransaction)(way)]),
);
