import { createRequire } from 'node:module';
import userop from 'userop';
import { createPublicClient, createWalletClient, http, parseEther, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { localhost as chain } from 'viem/chains';

// The SDK, a CommonJS module, knows the classes of ethers' CommonJS build only.
const { JsonRpcProvider, Wallet } = createRequire(import.meta.url)('ethers');
const { Account } = userop.V06;
const { base } = Account.Common.SimpleAccount;

const viemAt = (url) => createPublicClient({ chain, transport: http(url) });
/** The bundler alto takes no batches. */
const ethersAt = (url) => new JsonRpcProvider(url, undefined, { batchMaxCount: 1 });

const withViem = ({ rpcUrl, ownerKey }) => {
  const owner = privateKeyToAccount(ownerKey);
  return base(viemAt(rpcUrl), createWalletClient({ account: owner, chain, transport: http(rpcUrl) }), owner);
};
const withEthers = ({ rpcUrl, ownerKey }) => {
  const provider = ethersAt(rpcUrl);
  return base(provider, new Wallet(ownerKey, provider));
};

const stackupV1 = (accountOf, bundlerAt) => async (task) => {
  const { approval, call, token } = task;
  const context = token ? { type: 'erc20token', token } : { type: 'payg' };
  const account = new Account.Instance({
    ...accountOf(task),
    factoryAddress: task.factory,
    entryPointAddress: task.entryPoint.address,
    bundlerClient: bundlerAt(task.bundlerUrl),
    requestPaymaster: Account.Hooks.RequestPaymaster.withCommon({
      variant: 'stackupV1',
      parameters: { rpcUrl: task.paymasterUrl, ...context },
    }),
  });
  const [method, args] = token
    ? ['executeBatch', [[approval, call].map(({ to }) => to), [approval, call].map(({ data }) => data)]]
    : ['execute', [call.to, 0n, call.data]];
  // The SDK has the bundler estimate before a paymaster pays.
  account.setStateOverrideSetForEstimate({ [await account.getSender()]: { balance: toHex(parseEther('1')) } });
  return (await account.encodeCallData(method, args).sendUserOperation()).userOpHash;
};

export default {
  'stackupV1, viem for the node and ethers for the bundler': stackupV1(withViem, ethersAt),
  'stackupV1, viem for both': stackupV1(withViem, viemAt),
  'stackupV1, ethers for both': stackupV1(withEthers, ethersAt),
};
