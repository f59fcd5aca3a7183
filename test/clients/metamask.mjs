// MetaMask's smart accounts, new ones and owners' own addresses, with viem's paymaster client.
import { concatHex, createPublicClient, createTestClient, http } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import { localhost } from 'viem/chains';
import { deployMetaMask } from './metamask-contracts.mjs';
import { callsOf, setUp } from './simple-account.mjs';

/** The ways of an SDK that exports these: what they send, and the accounts that they send from. */
export const metaMaskWays = (sdk) => {
  const accountOf = async (task, implementation) => {
    const environment = await deployMetaMask(sdk, task.rpcUrl);
    const client = createPublicClient({ chain: localhost, transport: http(task.rpcUrl) });
    const owner = privateKeyToAccount(task.ownerKey);
    const signer = { account: owner };
    const common = { client, implementation, environment, signer: implementation === 'MultiSig' ? [signer] : signer };
    if (implementation !== 'Stateless7702') {
      const deployParams = implementation === 'Hybrid' ? [owner.address, [], [], []] : [[owner.address], 1n];
      return sdk.toMetaMaskSmartAccount({ ...common, deployParams, deploySalt: '0x' });
    }
    // As after an EIP-7702 authorisation of the owner.
    const bytecode = concatHex(['0xef0100', environment.implementations.EIP7702StatelessDeleGatorImpl]);
    const node = createTestClient({ chain: localhost, mode: 'anvil', transport: http(task.rpcUrl) });
    await node.setCode({ address: owner.address, bytecode });
    return sdk.toMetaMaskSmartAccount({ ...common, address: owner.address });
  };

  const send = (implementation) => async (task) => {
    const { client, estimateFeesPerGas } = await setUp(task);
    const bundler = createBundlerClient({
      account: await accountOf(task, implementation),
      client,
      chain: localhost,
      transport: http(task.bundlerUrl),
      paymaster: createPaymasterClient({ transport: http(task.paymasterUrl) }),
      paymasterContext: task.token && { token: task.token },
      userOperation: { estimateFeesPerGas },
    });
    return bundler.sendUserOperation({ calls: callsOf(task) });
  };

  return {
    ways: { Hybrid: send('Hybrid'), MultiSig: send('MultiSig'), Stateless7702: send('Stateless7702') },
    accountOf: async (task, way) => (await accountOf(task, way)).address,
  };
};
