import type { ServerResponse } from 'node:http';
import { parseEther } from 'ethers';
import { beforeEach, describe, expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import {
  type SimpleAccount,
  finishOperation,
  partialOperation,
  simpleAccount,
  submitOperation,
} from '../../src/demo/simple-account.ts';
import { contractAt, devWallet, fundGasTank } from '../../src/demo/world-contracts.ts';
import type { ProcedureName } from '../../src/api/index.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { type WaitOptions, duringRequest } from '../support/meanwhile.ts';
import { passTo, result, withNode } from '../support/odd-node.ts';
import { GAS, gameCall } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { type ReceivedCall, startReceiver, verify } from '../support/webhook-receiver.ts';
import { firstOf } from '../support/combinations.ts';

const world = useSponsoredWorld({ webhookTimeoutMs: 3_000 });
const TANK_WEI = parseEther('1');
let salt = 0n;
let account: SimpleAccount;

const call = <T>(procedure: ProcedureName, input: unknown): Promise<T> =>
  (world().engine.service.call as (name: string, input: unknown) => Promise<unknown>)(procedure, input) as Promise<T>;
const mint = () => ({ to: world().contracts.gameItems, data: gameCall('mint') });
const partialMint = async (): Promise<Record<string, string>> => {
  const { contracts, chain } = world();
  return { ...(await partialOperation(account, mint(), contracts.entryPoint, chain.provider)), ...GAS };
};
const tankOf = async (wallet: string): Promise<bigint> => {
  const contract = await contractAt('VerifyingSingletonPaymaster', world().paymaster, world().chain.provider);
  return (await contract.getFunction('getBalance')(wallet)) as bigint;
};
/** Has the user sign what the desk signed, and mines it. */
const mine = async (partial: Record<string, string>, { status, body }: RpcReply) => {
  expect([status, body.error, body.result?.reason]).toEqual([200, undefined, undefined]);
  const { chain, contracts, operator } = world();
  const onChain = { chainId: chain.chainId, entryPoint: contracts.entryPoint };
  const op = await finishOperation(account, partial, body.result!, onChain);
  return submitOperation(op, contracts.entryPoint, operator);
};
let wallets = 300;
/** Gives a DApp another funding wallet, whose tank is full; answers its address once the change is acknowledged. */
const changeWallet = async ({ paymasterId }: SponsoredDapp): Promise<Address> => {
  const { chain, operator, paymaster } = world();
  const wallet = devWallet((wallets += 1), chain.provider);
  const address = wallet.address as Address;
  await fundGasTank(paymaster, address, TANK_WEI, operator);
  const { fundingMessage } = await call<{ fundingMessage: string }>('paymasters.fundingMessage', { paymasterId });
  const signature = await wallet.signMessage(fundingMessage);
  await call('paymasters.setFundingWallet', { paymasterId, type: 'paymasterFundingId', signature, address });
  return address;
};
/** Has the contract accept a new key, and signs with it. */
const rotateSigner = async (): Promise<Address> => {
  const { chain, operator, paymaster } = world();
  const { address } = await call<{ address: Address }>('signers.prepareNext', { chainId: chain.chainId });
  const contract = await contractAt('VerifyingSingletonPaymaster', paymaster, operator);
  await (await contract.getFunction('setSigner').send(address)).wait();
  await call('signers.useNext', { chainId: chain.chainId });
  return address;
};
const setNode = (rpc: string): Promise<unknown> => call('chains.set', { chainId: world().chain.chainId, rpc });

beforeEach(async () => {
  const { contracts, chain, clock } = world();
  account = await simpleAccount(contracts.accountFactory, devWallet(3, chain.provider), (salt += 1n), chain.provider);
  await chain.provider.send('evm_mine', []);
  const block = await chain.provider.getBlock('latest');
  await clock.advance(Math.max(0, block!.timestamp * 1000 - clock.now()));
});

const duringWebhook: WaitOptions = async (dapp, change, partial, options) => {
  let changed: Promise<unknown> | undefined;
  const receiver = await startReceiver((received: ReceivedCall, response: ServerResponse) => {
    changed ??= change();
    void changed.then(() => verify(received, response));
  });
  const { paymasterId } = dapp;
  await call('webhooks.create', { paymasterId, webhookUrl: receiver.url, requestType: 'POST' });
  return dapp.sponsor(partial, options);
};

const waits: [string, WaitOptions][] = [
  ['a webhook thinks', duringWebhook],
  ['the tank is read', duringRequest(world, (method) => method === 'eth_getBlockByNumber')],
  [
    'gas is estimated',
    duringRequest(world, (method, body) => method === 'eth_call' && body.includes('"code"'), {
      calculateGasLimits: true,
    }),
  ],
];

describe.each(firstOf(waits, 2))('while %s', (_what, waiting) => {
  test('a new funding wallet is the one that pays: the old one loses nothing', async () => {
    const dapp = await world().dapp(TANK_WEI);
    const partial = await partialMint();
    let wallet: Address = '0x';
    const reply = await waiting(dapp, async () => void (wallet = await changeWallet(dapp)), partial);
    expect((await mine(partial, reply)).success).toBe(true);
    expect(TANK_WEI - (await tankOf(dapp.fundingWallet))).toBe(0n);
    expect(await tankOf(wallet)).toBeLessThan(TANK_WEI);
  });

  test('a key that takes the place of the other signs: the contract accepts it', async () => {
    const dapp = await world().dapp(TANK_WEI);
    const partial = await partialMint();
    const reply = await waiting(dapp, rotateSigner, partial);
    expect((await mine(partial, reply)).success).toBe(true);
  });

  test('another contract is the one that is signed for', async () => {
    const { chain, engine, operator, paymaster } = world();
    const { chainId } = chain;
    const dapp = await world().dapp(TANK_WEI);
    let contract = '0x';
    const partial = await partialMint();
    const reply = await waiting(
      dapp,
      async () => {
        contract = await attachNewContract(engine.service, operator, { chainId, version: '1.1.0' });
        await fundGasTank(contract as Address, dapp.fundingWallet, TANK_WEI, operator);
      },
      partial,
    );
    await call('paymasterContracts.use', { chainId, version: '1.1.0', address: paymaster });
    expect(reply.body.result?.paymasterAndData.slice(0, 42)).toBe(contract.toLowerCase());
    expect((await mine(partial, reply)).success).toBe(true);
    expect(await tankOf(dapp.fundingWallet)).toBe(TANK_WEI);
  });

  test('a signer that the contract does not accept signs nothing, and neither does the one before', async () => {
    const { chain, paymaster } = world();
    const { chainId } = chain;
    const dapp = await world().dapp(TANK_WEI);
    const partial = await partialMint();
    const reply = await waiting(dapp, () => call('signers.create', { chainId, replace: true }), partial);
    expect([reply.status, reply.body.error?.code]).toEqual([400, -32052]);
    expect((await dapp.decisions())[0]).toMatchObject({ outcome: 'error', code: 'CONTRACT_MISMATCH' });
    const [signer] = await call<{ address: string }[]>('signers.list', {});
    const contract = await contractAt('VerifyingSingletonPaymaster', paymaster, world().operator);
    await (await contract.getFunction('setSigner').send(signer!.address)).wait();
  });

  test.each([
    ['10000000', 'LIMIT_TOO_SMALL'],
    [null, 'PRICE_UNKNOWN'],
  ])('a price of the coin that is set to %s applies', async (usd, code) => {
    const { chainId } = world().chain;
    const set = (price: string | null) =>
      call('chains.set', { chainId, price: price === null ? null : { source: 'static', usd: price } });
    await set('1');
    const dapp = await world().dapp(TANK_WEI);
    const policyData = { type: 'OPERATION', thresholdType: 'USD', threshold: 10 };
    const rule = { name: 'Ten dollars', policyType: 'PAYMASTER_SA_LIMIT', policyData };
    await call('rules.create', { paymasterId: dapp.paymasterId, rule });
    const reply = await waiting(dapp, () => set(usd), await partialMint());
    expect(reply.body.result?.reason?.code).toBe(code);
    await set(null);
  });

  test('a limit that is set applies', async () => {
    const dapp = await world().dapp(TANK_WEI);
    const policyData = { type: 'PAYMASTER', cycleDuration: { value: 1, unit: 'hour' }, thresholdType: 'NATIVE_ASSET' };
    const rule = { name: 'Low', policyType: 'PAYMASTER_SA_LIMIT', policyData: { ...policyData, threshold: 1e-18 } };
    const { paymasterId } = dapp;
    const reply = await waiting(dapp, () => call('rules.create', { paymasterId, rule }), await partialMint());
    expect(reply.body.result?.reason?.code).toBe('LIMIT_TOO_SMALL');
  });

  test('a shorter time that a signature may hold the tank applies', async () => {
    const dapp = await world().dapp(TANK_WEI);
    const { paymasterId } = dapp;
    await call('paymasters.setMaxExpiry', { paymasterId, seconds: 86_400 });
    const partial = await partialMint();
    const reply = await waiting(dapp, () => call('paymasters.setMaxExpiry', { paymasterId, seconds: 300 }), partial, {
      expiryDuration: 86_400,
    });
    expect([reply.status, reply.body.error?.code]).toEqual([400, -32602]);
    expect((await dapp.decisions()).filter(({ outcome }) => outcome === 'sponsored')).toEqual([]);
  });

  test('a breaker that is set applies', async () => {
    const { chainId } = world().chain;
    const dapp = await world().dapp(TANK_WEI);
    const breaker = { amountWei: '1', seconds: 60 };
    const reply = await waiting(dapp, () => call('chains.set', { chainId, breaker }), await partialMint());
    await call('chains.set', { chainId, breaker: null });
    expect(reply.body.result?.reason?.code).toBe('BURN_RATE_TOO_SMALL');
  });
});

test('webhooks are asked again about an operation whose gas is another for the new contract', async () => {
  const { chain, engine, operator, paymaster } = world();
  const { chainId } = chain;
  const dapp = await world().dapp(TANK_WEI);
  // The bundler that is set with the contract estimates other gas.
  const gas = { callGasLimit: '0x30d41', verificationGasLimit: '0x7a121', preVerificationGas: '0xea61' };
  const reply = await withNode(result(gas), async (bundler) => {
    const attach = async (): Promise<void> => {
      const contract = await attachNewContract(engine.service, operator, { chainId, version: '1.1.0' });
      await fundGasTank(contract, dapp.fundingWallet, TANK_WEI, operator);
      await call('chains.set', { chainId, bundler });
    };
    let changed: Promise<unknown> | undefined;
    const receiver = await startReceiver((received, response) => {
      changed ??= attach();
      void changed.then(() => verify(received, response));
    });
    const rule = { name: 'Ask', policyType: 'WEBHOOK', policyData: { url: receiver.url } };
    await call('rules.create', { paymasterId: dapp.paymasterId, rule });
    const { body } = await dapp.sponsor(await partialMint(), { calculateGasLimits: true });
    await call('chains.set', { chainId, bundler: null });
    await call('paymasterContracts.use', { chainId, version: '1.1.0', address: paymaster });
    return { body, told: receiver.calls };
  });
  const gasTold = reply.told.map((one) => {
    const { userOp } = JSON.parse(one.body) as { userOp: Record<string, string> };
    return BigInt(userOp['verificationGasLimit']!);
  });
  const signed = BigInt(reply.body.result!.verificationGasLimit);
  expect([gasTold.length, gasTold.indexOf(signed)]).toEqual([2, 1]);
});

test('if the operator changes something again and again, the client must try again, and nothing is signed', async () => {
  const dapp = await world().dapp(TANK_WEI);
  const partial = await partialMint();
  const proper = passTo(world().chain.url);
  let changes = 0;
  await withNode(
    (response, method, body) => {
      const change = method === 'eth_getBlockByNumber' ? changeWallet(dapp) : undefined;
      if (change !== undefined) changes += 1;
      void Promise.resolve(change).then(() => proper(response, method, body));
    },
    async (url) => {
      await setNode(url);
      const { status, body } = await dapp.sponsor(partial);
      await setNode(world().chain.url);
      expect([status, body.result]).toEqual([400, undefined]);
      expect(body.error?.message).toContain('Try again');
    },
  );
  expect(changes).toBeLessThan(20);
  expect((await dapp.decisions()).map(({ outcome, code }) => [outcome, code])).toEqual([
    ['error', 'DECISION_OUTDATED'],
  ]);
});
