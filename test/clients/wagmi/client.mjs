import { connect, createConfig, disconnect, injected, sendCalls } from '@wagmi/core';
import { http, toHex } from 'viem';
import { createPaymasterClient } from 'viem/account-abstraction';
import { localhost } from 'viem/chains';
import { bundlerClient, callsOf, setUp } from './simple-account.mjs';

const ignore = () => undefined;

/** What a wallet of EIP-5792 does: asks the paymaster that the app names. */
const walletFor = async (task) => {
  const { account } = await setUp(task);
  const methods = {
    eth_requestAccounts: () => [account.address],
    eth_accounts: () => [account.address],
    eth_chainId: () => toHex(localhost.id),
    async wallet_sendCalls([{ calls, capabilities }]) {
      const { url, context } = capabilities.paymasterService;
      const client = await bundlerClient(task, createPaymasterClient({ transport: http(url) }), context);
      return { id: await client.sendUserOperation({ calls: calls.map(({ to, data }) => ({ to, data })) }) };
    },
  };
  return { request: async ({ method, params }) => methods[method]?.(params), on: ignore, removeListener: ignore };
};

const sendCallsWith = (contextOf) => async (task) => {
  const window = { addEventListener: ignore, removeEventListener: ignore, dispatchEvent: ignore };
  globalThis.window = { ...window, ethereum: await walletFor(task) };
  const transports = { [localhost.id]: http(task.rpcUrl) };
  const config = createConfig({ chains: [localhost], transports, connectors: [injected()] });
  await connect(config, { connector: config.connectors[0] });
  const paymasterService = { url: task.paymasterUrl, context: contextOf(task) };
  const { id } = await sendCalls(config, { calls: callsOf(task), capabilities: { paymasterService } });
  await disconnect(config);
  return id;
};

export default {
  'sendCalls with paymasterService': sendCallsWith(({ token }) => token && { token }),
  "sendCalls with the app's own context": sendCallsWith(() => ({ campaign: 'summer', userId: 7 })),
};
