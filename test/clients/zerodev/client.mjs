import { createZeroDevPaymasterClient } from '@zerodev/sdk';
import { http } from 'viem';
import { localhost } from 'viem/chains';
import { bundlerClient, callsOf } from './simple-account.mjs';

const zeroDev = ({ paymasterUrl }) => createZeroDevPaymasterClient({ chain: localhost, transport: http(paymasterUrl) });

/** Its paymaster client as it is, by ERC-7677. */
const erc7677 = async (task) => {
  const client = await bundlerClient(task, zeroDev(task), task.token && { token: task.token });
  return client.sendUserOperation({ calls: callsOf(task) });
};

/** As ZeroDev's documentation has it, by ZeroDev's own method. */
const sponsorUserOperation = async (task) => {
  const paymasterClient = zeroDev(task);
  const paymaster = {
    getPaymasterData: (userOperation) =>
      paymasterClient.sponsorUserOperation({ userOperation, ...(task.token && { gasToken: task.token }) }),
  };
  const client = await bundlerClient(task, paymaster);
  return client.sendUserOperation({ calls: callsOf(task) });
};

export default { createZeroDevPaymasterClient: erc7677, sponsorUserOperation };
