// The SDK's transport; Circle's own accounts need its service.
import { toModularTransport } from '@circle-fin/modular-wallets-core';
import { http } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';
import { localhost } from 'viem/chains';
import { callsOf, setUp } from './simple-account.mjs';

// The transport names the page that it is on.
globalThis.window = {};

const modular = ({ paymasterUrl }) => toModularTransport(paymasterUrl, 'TEST_CLIENT_KEY');

const send = (bundlerTransport) => async (task) => {
  const { client, account, estimateFeesPerGas } = await setUp(task);
  const bundler = createBundlerClient({
    account,
    client,
    chain: localhost,
    transport: bundlerTransport(task),
    paymaster: createPaymasterClient({ transport: modular(task) }),
    paymasterContext: task.token && { token: task.token },
    userOperation: { estimateFeesPerGas },
  });
  return bundler.sendUserOperation({ calls: callsOf(task) });
};

export default {
  'toModularTransport for the paymaster': send(({ bundlerUrl }) => http(bundlerUrl)),
  'toModularTransport for paymaster and bundler': send(modular),
};
