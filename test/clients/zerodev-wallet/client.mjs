import { createKernelAccountClient } from '@zerodev/sdk';
import { KernelEIP1193Provider } from '@zerodev/wallet';
import { signerToSimpleSmartAccount } from 'permissionless/accounts';
import { createPublicClient, http, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { localhost as chain } from 'viem/chains';

// The wallet keeps its capabilities as a browser does.
const stored = new Map();
globalThis.localStorage = {
  getItem: (key) => stored.get(key) ?? null,
  setItem: (key, value) => stored.set(key, value),
};

const sendCalls = async (task) => {
  const entryPoint = task.entryPoint.address;
  const account = await signerToSimpleSmartAccount(createPublicClient({ chain, transport: http(task.rpcUrl) }), {
    signer: privateKeyToAccount(task.ownerKey),
    factoryAddress: task.factory,
    entryPoint,
  });
  // Only with a provider in its URL does the SDK ask the bundler for fees, by a method that Gasdesk has and alto has not.
  const bundlerTransport = http(`${task.paymasterUrl}?provider=PIMLICO`);
  const wallet = new KernelEIP1193Provider(createKernelAccountClient({ account, entryPoint, chain, bundlerTransport }));
  const capabilities = { paymasterService: { url: task.paymasterUrl } };
  const params = [{ calls: [task.call], capabilities, from: account.address, chainId: toHex(chain.id) }];
  return wallet.request({ method: 'wallet_sendCalls', params });
};

export default { wallet_sendCalls: sendCalls, 'wallet_sendCalls, with a sponsor that is hidden': sendCalls };
