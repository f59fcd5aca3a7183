import { Paymaster as BiconomyPaymaster, PaymasterMode } from '@biconomy/account';
import { createSmartAccountClient } from 'permissionless';
import { createPimlicoClient } from 'permissionless/clients/pimlico';
import { type Hex, http } from 'viem';
import type { UserOperation } from 'viem/account-abstraction';
import { foundry } from 'viem/chains';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { deployContract, deployEntryPoint } from '../../src/demo/world-contracts.ts';
import { allEntryPoints } from '../../src/core/entry-points/registry.ts';
import { useAlto } from '../support/alto.ts';
import { type ClientAccount, type ClientDapp, clientDapp, mintCall, newAccount } from '../support/client-world.ts';
import { shareOf } from '../support/combinations.ts';
import { gameItems } from '../support/operations.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { type Call, sponsoredBy, walletsAt } from '../support/wallets.ts';

const world = useSponsoredWorld();
beforeAll(async () => {
  for (const { version } of allEntryPoints) await deployEntryPoint(world().operator, version);
});
const alto = useAlto(
  () => world().chain,
  () => allEntryPoints.map(({ address }) => address),
);

const { bundlerFor, gasPrice, unsponsored, signAndSend } = walletsAt(alto);

/** Ways to have a call sponsored and sent; they answer the hash of the operation. */
const senders: Record<string, (dapp: ClientDapp, one: ClientAccount, call: Call) => Promise<Hex>> = {
  "viem's paymaster client": (dapp, one, call) =>
    bundlerFor(one, dapp).sendUserOperation({ account: one.account, calls: [call] }),

  "permissionless' smart account client": async (dapp, { client, account }, call) => {
    const pimlico = createPimlicoClient({ chain: foundry, transport: http(dapp.url), entryPoint: dapp.entryPoint });
    const app = createSmartAccountClient({
      client,
      account,
      chain: foundry,
      bundlerTransport: http(alto().url),
      paymaster: pimlico,
      paymasterContext: { sponsorshipPolicyId: 'sp_any' },
      userOperation: { estimateFeesPerGas: gasPrice },
    });
    return app.sendUserOperation({ calls: [call] });
  },

  "permissionless' Pimlico client": async (dapp, one, call) => {
    const pimlico = createPimlicoClient({ transport: http(dapp.url), entryPoint: dapp.entryPoint });
    const op: UserOperation = await unsponsored(one, call);
    return signAndSend(one, { ...op, ...(await pimlico.sponsorUserOperation({ userOperation: op })) } as UserOperation);
  },

  "Biconomy's paymaster": async (dapp, one, call) => {
    const op: UserOperation = await unsponsored(one, call);
    const paymaster = new BiconomyPaymaster({ paymasterUrl: dapp.url });
    const sponsored = await paymaster.getPaymasterAndData(op as object, { mode: PaymasterMode.SPONSORED });
    return signAndSend(one, { ...op, ...sponsoredBy(dapp, sponsored) } as UserOperation);
  },

  "Biconomy's paymaster, asked for quotes or data": async (dapp, one, call) => {
    const op: UserOperation = await unsponsored(one, call);
    const paymaster = new BiconomyPaymaster({ paymasterUrl: dapp.url });
    const sponsored = await paymaster.getPaymasterFeeQuotesOrData(op as object, {});
    return signAndSend(one, { ...op, ...sponsoredBy(dapp, sponsored) } as UserOperation);
  },
};

const VERSIONS = ['1.1.0', 'verifying-0.6', 'singleton-0.6', 'verifying-0.7', 'singleton-0.7', 'singleton-0.8'];

describe.each(VERSIONS)('an operation sponsored by version %s', (version) => {
  let dapp: ClientDapp;
  beforeAll(async () => {
    dapp = await clientDapp(world(), version);
  });

  test.each(shareOf(Object.keys(senders), version, VERSIONS))(
    'through %s is mined by a bundler and paid by the desk',
    async (name) => {
      const one = await newAccount(world(), dapp);
      const before = await dapp.tankBalance();
      const hash = await senders[name]!(dapp, one, mintCall(world()));
      const { success, actualGasCost, paymaster } = await bundlerFor(one).waitForUserOperationReceipt({ hash });
      expect(success).toBe(true);
      expect(paymaster?.toLowerCase()).toBe(dapp.paymaster.toLowerCase());
      expect(await one.client.getBalance({ address: one.account.address })).toBe(0n);
      const paid = before - (await dapp.tankBalance());
      // Version 1.1.0 charges its tank from inside the operation, where the last gas is not known yet.
      expect(Number(paid) / Number(actualGasCost)).toBeCloseTo(1, 2);
      const [decision] = await dapp.decisions();
      expect(decision).toMatchObject({
        outcome: 'sponsored',
        userOpHash: hash,
        sender: one.account.address.toLowerCase(),
      });
      expect(paid).toBeLessThanOrEqual(BigInt(decision!.maxCostWei!));
    },
  );
});

describe('a refusal', () => {
  let dapp: ClientDapp;
  beforeAll(async () => {
    dapp = await clientDapp(world(), '1.1.0');
    const { engine, contracts } = world();
    const { paymasterId } = dapp;
    const contract = { name: 'Game Items', address: contracts.gameItems, abi: gameItems.formatJson() };
    await engine.service.call('contracts.create', { paymasterId, ...contract, whitelistedMethods: ['burn'] });
  });
  const notWhitelisted = /calls mint.* on Game Items .* not whitelisted.* Add mint/s;

  test.each(["viem's paymaster client", "permissionless' smart account client", "permissionless' Pimlico client"])(
    'reaches the app through %s',
    async (name) => {
      const refused = senders[name]!(dapp, await newAccount(world(), dapp), mintCall(world()));
      await expect(refused).rejects.toThrow(notWhitelisted);
    },
  );

  test("is 0x for Biconomy's paymaster, so that the user pays", async () => {
    const op = await unsponsored(await newAccount(world(), dapp), mintCall(world()));
    const paymaster = new BiconomyPaymaster({ paymasterUrl: dapp.url });
    const options = { mode: PaymasterMode.SPONSORED };
    expect(await paymaster.getPaymasterAndData(op as object, options)).toMatchObject({ paymasterAndData: '0x' });
    expect(await paymaster.getPaymasterFeeQuotesOrData(op as object, options)).toMatchObject({
      paymasterAndData: '0x',
    });
  });

  test("follows Biconomy's paymaster, if it asks for either and no token is accepted", async () => {
    const op = await unsponsored(await newAccount(world(), dapp), mintCall(world()));
    const paymaster = new BiconomyPaymaster({ paymasterUrl: dapp.url });
    expect(await paymaster.getPaymasterFeeQuotesOrData(op as object, {})).toMatchObject({ paymasterAndData: '0x' });
  });
});

test.each(['singleton-0.6', 'singleton-0.7'])(
  "Biconomy's paymaster reads what an operation of %s costs in tokens",
  async (version) => {
    const { operator, engine, chain } = world();
    const dapp = await clientDapp(world(), version);
    const token = await deployContract('TestToken', ['USDT', 6], operator);
    const settings = {
      chainId: chain.chainId,
      address: token,
      symbol: 'USDT',
      decimals: 6,
      premium: '10',
      preFund: false,
    };
    await engine.service.call('feeTokens.set', { ...settings, rate: { source: 'static', tokensPerCoin: '3000' } });
    const op = await unsponsored(await newAccount(world(), dapp), mintCall(world()));
    const paymaster = new BiconomyPaymaster({ paymasterUrl: dapp.url });
    const options = { mode: PaymasterMode.ERC20, tokenList: [token, dapp.paymaster] };
    const { feeQuotes, tokenPaymasterAddress } = await paymaster.getPaymasterFeeQuotesOrData(op as object, options);
    expect(tokenPaymasterAddress).toBe(dapp.paymaster);
    expect(feeQuotes).toMatchObject([{ symbol: 'USDT', decimal: 6, tokenAddress: token, premiumPercentage: '10' }]);
    expect(feeQuotes![0]!.maxGasFee).toBeGreaterThan(0);
    const tokens = await createPimlicoClient({ transport: http(dapp.url) }).request({
      method: 'pm_supportedERC20Tokens',
      params: [],
    } as never);
    expect(tokens).toMatchObject({
      tokens: expect.arrayContaining([
        expect.objectContaining({ address: token, symbol: 'USDT', decimals: 6, exchangeRate: '0xc4b20100' }),
      ]),
    });
  },
);

describe("an error in Biconomy's paymaster", () => {
  // It looks up the error in a catalogue on the internet first, which is not there in tests.
  beforeEach(() => {
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', (...args: Parameters<typeof fetch>) =>
      args[0] === 'https://raw.githubusercontent.com/bcnmy/aa-errors/main/docs/errors.json'
        ? Promise.resolve(Response.json([]))
        : fetch(...args),
    );
  });
  afterEach(() => vi.unstubAllGlobals());

  test.each<[string, object, Record<string, unknown>, string]>([
    ['a call that fails', {}, { mode: PaymasterMode.SPONSORED }, 'AA20'],
    ['a token missing', {}, { mode: PaymasterMode.ERC20 }, 'tokenInfo.feeTokenAddress is required in ERC20 mode'],
    ['a field that is wrong', { callData: '0x1' }, { mode: PaymasterMode.SPONSORED }, 'params[0].callData must be'],
  ])('says what it is to the app: %s', async (_, change, options, message) => {
    const dapp = await clientDapp(world(), '1.1.0');
    const op = await unsponsored(await newAccount(world(), dapp), mintCall(world()));
    const paymaster = new BiconomyPaymaster({ paymasterUrl: dapp.url });
    const changed = { ...op, initCode: '0x', ...change } as object;
    const asked = paymaster.getPaymasterAndData(changed, options as { mode: PaymasterMode });
    await expect(asked).rejects.toThrow(message);
  });
});

test.each<[string, object]>([
  ['1.1.0', {}],
  ['singleton-0.7', {}],
  ['singleton-0.8', {}],
  // Nothing is called: the operation only deploys its account.
  ['1.1.0', { callData: '0x' }],
  ['singleton-0.7', { callData: '0x' }],
])(
  'gas that the desk has estimated by the bundler gets an operation of version %s mined (%o)',
  async (version, change) => {
    const { engine, chain } = world();
    await engine.service.call('chains.set', { chainId: chain.chainId, rpc: chain.url, bundler: alto().url });
    try {
      const dapp = await clientDapp(world(), version);
      const one = await newAccount(world(), dapp);
      const pimlico = createPimlicoClient({ transport: http(dapp.url), entryPoint: dapp.entryPoint });
      const op: UserOperation = { ...(await unsponsored(one, mintCall(world()))), ...change };
      const sponsored = await pimlico.sponsorUserOperation({ userOperation: op });
      const hash = await signAndSend(one, { ...op, ...sponsored } as UserOperation);
      expect(await bundlerFor(one).waitForUserOperationReceipt({ hash })).toMatchObject({ success: true });
      expect((await dapp.decisions())[0]!.trace[0]).toMatchObject({ code: 'GAS_ESTIMATED' });
    } finally {
      await engine.service.call('chains.set', { chainId: chain.chainId, rpc: chain.url });
    }
  },
);
