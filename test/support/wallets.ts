import type { FeeQuotesOrDataResponse, PaymasterAndDataResponse } from '@biconomy/account';
import { createPimlicoClient } from 'permissionless/clients/pimlico';
import { type Hex, type HttpTransport, http } from 'viem';
import {
  type BundlerClient,
  type BundlerClientConfig,
  type SmartAccount,
  type UserOperation,
  createBundlerClient,
  createPaymasterClient,
} from 'viem/account-abstraction';
import { foundry } from 'viem/chains';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { splitPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import type { ClientAccount, ClientDapp } from './client-world.ts';

export interface Call {
  readonly to: Address;
  readonly data: Hex;
}

/** Converts an answer of Biconomy's client, as an app does. */
export const sponsoredBy = ({ entryPoint }: ClientDapp, answer: PaymasterAndDataResponse | FeeQuotesOrDataResponse) => {
  const paymasterAndData = answer.paymasterAndData as Hex;
  return {
    ...(entryPoints[entryPoint.version].isPacked ? splitPaymasterAndData(paymasterAndData) : { paymasterAndData }),
    callGasLimit: BigInt(answer.callGasLimit ?? 0),
    verificationGasLimit: BigInt(answer.verificationGasLimit ?? 0),
    preVerificationGas: BigInt(answer.preVerificationGas ?? 0),
  };
};

type AppClient = BundlerClient<HttpTransport, typeof foundry, SmartAccount>;

/** Sends operations of users' accounts to a bundler, as apps do. */
export const walletsAt = (bundler: () => { readonly url: string }) => {
  const gasPrice = async () =>
    (await createPimlicoClient({ transport: http(bundler().url) }).getUserOperationGasPrice()).standard;

  /** viem's bundler client as an app sets it up; its paymaster client sends `context`. */
  const bundlerFor = ({ client, account }: ClientAccount, dapp?: ClientDapp, context?: unknown): AppClient => {
    const config: BundlerClientConfig = {
      client,
      account,
      chain: foundry,
      transport: http(bundler().url),
      pollingInterval: 50,
      ...(dapp && { paymaster: createPaymasterClient({ transport: http(dapp.url) }), paymasterContext: context }),
      userOperation: { estimateFeesPerGas: gasPrice },
    };
    // Inferring the client from its configuration takes the compiler minutes.
    return createBundlerClient(config) as unknown as AppClient;
  };

  /** An operation of the account with a stub signature, and without paymaster and gas. */
  const unsponsored = async (one: ClientAccount, ...calls: Call[]): Promise<UserOperation> => {
    const parameters = ['factory', 'fees', 'nonce', 'signature'] as const;
    const { account } = one;
    const prepared = await bundlerFor(one).prepareUserOperation({ account, calls, parameters });
    const fields = ['sender', 'nonce', 'initCode', 'factory', 'factoryData', 'callData'];
    const known = [...fields, 'maxFeePerGas', 'maxPriorityFeePerGas', 'signature'];
    const op = Object.entries(prepared).filter(([name, value]) => known.includes(name) && value !== undefined);
    return Object.fromEntries(op) as unknown as UserOperation;
  };

  /** Signs with the account's key and hands the operation to the bundler. */
  const signAndSend = async (one: ClientAccount, op: UserOperation): Promise<Hex> => {
    const signature = await one.account.signUserOperation(op);
    return bundlerFor(one).sendUserOperation({ ...op, signature, account: one.account });
  };

  return { gasPrice, bundlerFor, unsponsored, signAndSend };
};
