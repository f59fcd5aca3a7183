import { concat, toBeHex } from 'ethers';
import { createSmartAccountClient } from 'permissionless';
import { createPimlicoClient } from 'permissionless/clients/pimlico';
import { http } from 'viem';
import {
  type UserOperation as ViemUserOperation,
  createBundlerClient,
  entryPoint07Address,
} from 'viem/account-abstraction';
import { foundry } from 'viem/chains';
import { beforeAll, describe, expect, test } from 'vitest';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import { deployEntryPoint } from '../../src/demo/world-contracts.ts';
import type { Hex } from '../../src/shared/schema/hex.ts';
import { useAlto } from '../support/alto.ts';
import { type ClientDapp, clientDapp, mintCall, newAccount } from '../support/client-world.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

/** Most vendors have one URL for bundler and paymaster: an app moves to the desk by that URL alone. */

const world = useSponsoredWorld();
beforeAll(() => deployEntryPoint(world().operator, '0.7'));
const alto = useAlto(
  () => world().chain,
  () => [entryPoint07Address],
);
const newDapp = async (): Promise<ClientDapp> => {
  const made = await clientDapp(world(), 'singleton-0.7');
  await world().registerGameItems(made);
  const rule = { name: 'Deployments', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
  await world().engine.service.call('rules.create', { paymasterId: made.paymasterId, rule });
  return made;
};
let dapp: ClientDapp;
beforeAll(async () => {
  dapp = await newDapp();
});

const forward = (forwardBundler: 'own' | 'all' | null) =>
  world().engine.service.call('chains.set', { chainId: foundry.id, bundler: alto().url, forwardBundler });

/** As Pimlico's tutorial has it: everything by one URL. */
const tutorialClient = async (of: ClientDapp) => {
  const { client, account } = await newAccount(world(), of);
  const pimlicoClient = createPimlicoClient({ transport: http(of.url), entryPoint: of.entryPoint });
  return createSmartAccountClient({
    account,
    client,
    chain: foundry,
    bundlerTransport: http(of.url),
    paymaster: pimlicoClient,
    userOperation: { estimateFeesPerGas: async () => (await pimlicoClient.getUserOperationGasPrice()).fast },
  });
};

describe("a bundler's method sent to the desk", () => {
  test('names the right URL while the operator has not allowed it', async () => {
    await forward(null);
    const sent = (await tutorialClient(dapp)).sendUserOperation({ calls: [mintCall(world())] });
    const words =
      /Gasdesk is a paymaster, not a bundler\. Send eth_estimateUserOperationGas to the URL of a bundler.*--forward-bundler/s;
    await expect(sent).rejects.toThrow(words);
  });

  test("is passed on where the operator allows it: Pimlico's tutorial runs as it is", async () => {
    await forward('own');
    const smartAccountClient = await tutorialClient(dapp);
    const hash = await smartAccountClient.sendUserOperation({ calls: [mintCall(world())] });
    expect(await smartAccountClient.waitForUserOperationReceipt({ hash })).toMatchObject({ success: true });
    expect(await dapp.decisions()).toMatchObject([{ outcome: 'sponsored', userOpHash: hash }]);
  });

  test('sends no operation that the desk has not signed for the DApp, unless the operator allows any', async () => {
    const { client, account } = await newAccount(world(), dapp);
    const bundler = createBundlerClient({ account, client, chain: foundry, transport: http(dapp.url) });
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
    const gas = { callGasLimit: 10n ** 5n, verificationGasLimit: 10n ** 6n, preVerificationGas: 10n ** 5n };
    const send = () => bundler.sendUserOperation({ calls: [mintCall(world())], ...fees, ...gas });
    await forward('own');
    await expect(send()).rejects.toThrow(/forwards to the bundler only operations that it has signed for this DApp/);
    await forward('all');
    // The account has no money: the bundler says so by its own code.
    await expect(send()).rejects.toThrow(/AA21|prefund/);
  });

  test('sends nothing else under paymaster data that the desk has signed', async () => {
    await forward('own');
    const other = await newDapp();
    const smartAccountClient = await tutorialClient(other);
    const op = await smartAccountClient.prepareUserOperation({ calls: [mintCall(world())] });
    const sponsored = toRpcUserOperation(
      Object.fromEntries(Object.entries(op).filter(([, value]) => value !== undefined)),
    );
    const { signature: _, account: __, ...fields } = sponsored as Record<string, Hex>;
    const signature = await smartAccountClient.account.signUserOperation(op as ViemUserOperation);
    const { paymaster, paymasterData, paymasterVerificationGasLimit, paymasterPostOpGasLimit, ...unpaid } = fields;
    const packed = concat([
      paymaster!,
      toBeHex(paymasterVerificationGasLimit!, 16),
      toBeHex(paymasterPostOpGasLimit!, 16),
      paymasterData!,
    ]);
    const send = async (sent: object, entryPoint: string = other.entryPoint.address) => {
      const params = [{ ...sent, signature }, entryPoint];
      const { pathname } = new URL(other.url);
      const request = { jsonrpc: '2.0', id: 1, method: 'eth_sendUserOperation', params };
      return (await world().engine.post(pathname, request)).body;
    };
    const refused = { error: { code: -32050 } };
    expect(await send({ ...fields, callData: '0x' })).toMatchObject(refused);
    expect(await send({ ...unpaid, paymasterAndData: packed })).toMatchObject(refused);
    expect(await send({ ...fields, paymasterAndData: packed })).toMatchObject(refused);
    expect(await send(fields, '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789')).toMatchObject(refused);
    expect(await send(fields)).toMatchObject({ result: expect.stringMatching(/^0x\w{64}$/) });
  });
});
