import { Paymaster as BiconomyPaymaster, PaymasterMode } from '@biconomy/account';
import { MaxUint256, Wallet } from 'ethers';
import { createSmartAccountClient } from 'permissionless';
import { createPimlicoClient } from 'permissionless/clients/pimlico';
import { type Hex, http } from 'viem';
import type { UserOperation } from 'viem/account-abstraction';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployEntryPoint, devWallet } from '../../src/demo/world-contracts.ts';
import { allEntryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { useAlto } from '../support/alto.ts';
import { type ClientAccount, type ClientDapp, clientDapp, mintCall, newAccount } from '../support/client-world.ts';
import { type PaidToken, approveCall, deployFeeTokens } from '../support/fee-tokens.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { type Call, sponsoredBy, walletsAt } from '../support/wallets.ts';
import { shareOf } from '../support/combinations.ts';

const world = useSponsoredWorld();
/** Takes the fees, and can give back: it has ether of its own to approve with. */
const refunder = () => devWallet(7, world().chain.provider);
let treasury: Address;
const setTreasury = async (address: string): Promise<void> => {
  const { chainId, url } = world().chain;
  treasury = address as Address;
  await world().engine.service.call('chains.set', { chainId, rpc: url, treasury });
};
let tokens: Awaited<ReturnType<typeof deployFeeTokens>>;
beforeAll(async () => {
  const { operator } = world();
  for (const { version } of allEntryPoints) await deployEntryPoint(operator, version);
  tokens = await deployFeeTokens(world());
  await setTreasury(refunder().address);
  // On 0.6 a stub cannot say what taking tokens up front costs: the bundler's slack covers it where the treasury's
  // balance is not the first. README, "Take fees in tokens".
  await tokens.preFund.give(refunder().address as Address, 1n);
});
const alto = useAlto(
  () => world().chain,
  () => allEntryPoints.map(({ address }) => address),
);
const { bundlerFor, gasPrice, unsponsored, signAndSend } = walletsAt(alto);

/** Ways to pay in a token for calls; they answer the hash of the operation. */
type Sender = (dapp: ClientDapp, one: ClientAccount, token: Address, calls: Call[]) => Promise<Hex>;

const throughViem =
  (contextOf: (token: Address) => unknown): Sender =>
  (dapp, one, token, calls) =>
    bundlerFor(one, dapp, contextOf(token)).sendUserOperation({ account: one.account, calls });

const senders: Record<string, Sender> = {
  "viem's paymaster client, by Pimlico's context": throughViem((token) => ({ token })),

  "viem's paymaster client, by Biconomy's context": throughViem((feeTokenAddress) => ({
    mode: 'ERC20',
    tokenInfo: { feeTokenAddress },
  })),

  "permissionless' smart account client": (dapp, { client, account }, token, calls) =>
    createSmartAccountClient({
      client,
      account,
      chain: foundry,
      bundlerTransport: http(alto().url),
      paymaster: createPimlicoClient({ chain: foundry, transport: http(dapp.url), entryPoint: dapp.entryPoint }),
      paymasterContext: { token },
      userOperation: { estimateFeesPerGas: gasPrice },
    }).sendUserOperation({ calls }),

  "permissionless' Pimlico client": async (dapp, one, token, calls) => {
    const pimlico = createPimlicoClient({ transport: http(dapp.url), entryPoint: dapp.entryPoint });
    const userOperation: UserOperation = await unsponsored(one, ...calls);
    // Its type knows policies only.
    const paymasterContext = { token } as object;
    const paid = await pimlico.sponsorUserOperation({ userOperation, paymasterContext });
    return signAndSend(one, { ...userOperation, ...paid } as UserOperation);
  },

  "Biconomy's paymaster": async (dapp, one, feeTokenAddress, calls) => {
    const paymaster = new BiconomyPaymaster({ paymasterUrl: dapp.url });
    const op: UserOperation = await unsponsored(one, ...calls);
    const options = { mode: PaymasterMode.ERC20, feeTokenAddress } as const;
    const paid = await paymaster.getPaymasterAndData(op as object, options);
    return signAndSend(one, { ...op, ...sponsoredBy(dapp, paid) } as UserOperation);
  },
};

/** Senders that can learn how much gas taking the tokens needs, on 0.6 too: a bundler's estimate there takes none. */
const sendersThatAskForGas = (version: string): string[] =>
  Object.keys(senders).filter(
    (name) => version !== 'singleton-0.6' || name.includes('Pimlico client') || name.includes("Biconomy's paymaster"),
  );

/** Quotes, an approval of the quote put before the calls, and the operation: as Biconomy's documentation has it. */
const payQuoted = async (dapp: ClientDapp, one: ClientAccount, token: Address, calls: Call[]) => {
  const paymaster = new BiconomyPaymaster({ paymasterUrl: dapp.url });
  const op: UserOperation = await unsponsored(one, ...calls);
  const asked = { mode: PaymasterMode.ERC20, tokenList: [token] };
  const { feeQuotes, tokenPaymasterAddress } = await paymaster.getPaymasterFeeQuotesOrData(op as object, asked);
  const feeQuote = feeQuotes![0]!;
  const spender = tokenPaymasterAddress!;
  const approval = await paymaster.buildTokenApprovalTransaction({ feeQuote, spender });
  const hash = await senders["Biconomy's paymaster"]!(dapp, one, token, [approval as Call, ...calls]);
  return { hash, quotedUnits: BigInt(Math.ceil(feeQuote.maxGasFee * 10 ** feeQuote.decimal)) };
};

const GAS_LIMITS = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'];
const PAYMASTER_LIMITS = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'];

/** Sends an operation, waits until it is mined, and checks on chain who has paid what. Answers the units paid. */
const paidOnChain = async (
  dapp: ClientDapp,
  { account, client }: ClientAccount,
  { contract, unitsPerCoin, premiumPercent }: PaidToken,
  send: () => Promise<Hex>,
): Promise<bigint> => {
  const look = async () => ({
    user: (await contract.getFunction('balanceOf')(account.address)) as bigint,
    treasury: (await contract.getFunction('balanceOf')(treasury)) as bigint,
    deposit: await dapp.tankBalance(),
    native: await client.getBalance({ address: account.address }),
  });
  const before = await look();
  const hash = await send();
  const receipt = await bundlerFor({ account, client }).waitForUserOperationReceipt({ hash });
  expect(receipt).toMatchObject({ success: true });
  expect(receipt.paymaster?.toLowerCase()).toBe(dapp.paymaster.toLowerCase());
  const after = await look();
  const paid = before.user - after.user;
  expect(after.treasury - before.treasury).toBe(paid);
  expect(after.native).toBe(before.native);

  const wei = before.deposit - after.deposit;
  expect(wei).toBe(receipt.actualGasCost);
  // Never below cost, and what is over is the premium and a guess at the gas of taking the tokens.
  const charged = paid * 10n ** 18n * 100n;
  const due = wei * unitsPerCoin * BigInt(100 + premiumPercent);
  expect(charged).toBeGreaterThan(due);
  expect(charged * 100n).toBeLessThan(due * 115n);

  const [decision] = await dapp.decisions();
  expect(decision).toMatchObject({ outcome: 'sponsored', code: 'PAID_IN_TOKEN', mode: 'ERC20', userOpHash: hash });
  const gas = decision!.trace[0]!;
  if (gas.code === 'GAS_ESTIMATED') {
    const limitOf = (field: string): number => Number(gas.evidence[field] ?? 0);
    const estimated = [...GAS_LIMITS, ...PAYMASTER_LIMITS].reduce((sum, field) => sum + limitOf(field), 0);
    // On v0.6, postOp gets the limit of the validation once more.
    const postOp = dapp.entryPoint.version === '0.6' ? limitOf('verificationGasLimit') : 0;
    expect((estimated + postOp) / Number(receipt.actualGasUsed)).toBeGreaterThan(1);
    expect(estimated / Number(receipt.actualGasUsed)).toBeLessThan(1.6);
  }
  const canPay = decision!.trace.find(({ rule }) => rule === 'tokenPayment');
  expect(canPay).toMatchObject({ outcome: 'pass', code: 'USER_CAN_PAY' });
  expect(paid).toBeLessThanOrEqual(BigInt(canPay!.evidence['neededUnits'] as string));
  expect(wei).toBeLessThanOrEqual(BigInt(decision!.maxCostWei!));
  return paid;
};

/** An account that is not deployed yet and has what an operation costs, and more; or exactly `units`. */
const richAccount = async (dapp: ClientDapp, token: PaidToken, units?: bigint): Promise<ClientAccount> => {
  const one = await newAccount(world(), dapp);
  await token.give(one.account.address, units);
  return one;
};

const VERSIONS = ['singleton-0.6', 'singleton-0.7', 'singleton-0.8'];

describe.each(VERSIONS)('an operation of version %s', (version) => {
  let dapp: ClientDapp;
  beforeAll(async () => {
    dapp = await clientDapp(world(), version);
    await tokens.preFund.approveFrom(refunder(), dapp.paymaster);
    await tokens.dearPreFund.approveFrom(refunder(), dapp.paymaster);
  });

  /** An account that a sponsored operation has deployed, and that has approved the paymaster in it. */
  const approvedAccount = async (token: PaidToken, units?: bigint): Promise<ClientAccount> => {
    const one = await richAccount(dapp, token, units);
    const calls = [approveCall(token, dapp.paymaster, MaxUint256)];
    const bundler = bundlerFor(one, dapp);
    const hash = await bundler.sendUserOperation({ account: one.account, calls });
    expect(await bundler.waitForUserOperationReceipt({ hash })).toMatchObject({ success: true });
    return one;
  };

  test.each(shareOf(Object.keys(senders), version, VERSIONS))(
    'that deploys its account and approves the paymaster in its batch is paid in tokens through %s',
    async (name) => {
      const token = tokens.static;
      const one = await richAccount(dapp, token);
      const calls = [approveCall(token, dapp.paymaster, MaxUint256), mintCall(world())];
      await paidOnChain(dapp, one, token, () => senders[name]!(dapp, one, token.address, calls));
    },
  );

  test.each(shareOf(Object.keys(senders), version, VERSIONS))(
    'of an account that has approved before is paid by the rate of feeds through %s',
    async (name) => {
      const token = tokens.feeds;
      const one = await approvedAccount(token);
      await paidOnChain(dapp, one, token, () => senders[name]!(dapp, one, token.address, [mintCall(world())]));
    },
  );

  test.each(shareOf(Object.keys(senders), version, VERSIONS))(
    'is paid up front, and what is left is given back, through %s',
    async (name) => {
      const token = tokens.preFund;
      const one = await approvedAccount(token);
      await paidOnChain(dapp, one, token, () => senders[name]!(dapp, one, token.address, [mintCall(world())]));
    },
  );

  test.each(shareOf(Object.keys(senders), version, VERSIONS))(
    'is charged for the cost of taking a token that is expensive to move through %s',
    async (name) => {
      const token = tokens.dear;
      const one = await richAccount(dapp, token);
      const calls = [approveCall(token, dapp.paymaster, MaxUint256), mintCall(world())];
      await paidOnChain(dapp, one, token, () => senders[name]!(dapp, one, token.address, calls));
    },
  );

  test.each(shareOf(sendersThatAskForGas(version), version, VERSIONS))(
    'is charged for the cost of prefunding in a token that is expensive to move through %s',
    async (name) => {
      const token = tokens.dearPreFund;
      const one = await approvedAccount(token);
      await paidOnChain(dapp, one, token, () => senders[name]!(dapp, one, token.address, [mintCall(world())]));
    },
  );

  test.each(['static', 'feeds', 'dear'] as const)(
    "costs at most what Biconomy's client was quoted and has approved (rate: %s)",
    async (rate) => {
      const token = tokens[rate];
      const one = await richAccount(dapp, token);
      let quoted = 0n;
      const paid = await paidOnChain(dapp, one, token, async () => {
        const { hash, quotedUnits } = await payQuoted(dapp, one, token.address, [mintCall(world())]);
        quoted = quotedUnits;
        return hash;
      });
      expect(paid).toBeLessThanOrEqual(quoted);
    },
  );

  describe('of a user who has little more than it costs, to a treasury that has nothing yet,', () => {
    const units = 3_000_000n;
    beforeAll(() => setTreasury(Wallet.createRandom().address));
    afterAll(() => setTreasury(refunder().address));

    test.each(shareOf(Object.keys(senders), version, VERSIONS))(
      'is paid with an allowance from before through %s',
      async (name) => {
        const token = tokens.static;
        const one = await approvedAccount(token, units);
        await setTreasury(Wallet.createRandom().address);
        await paidOnChain(dapp, one, token, () => senders[name]!(dapp, one, token.address, [mintCall(world())]));
      },
    );

    test.each(shareOf(Object.keys(senders), version, VERSIONS))(
      'is paid with an approval in its batch through %s',
      async (name) => {
        const token = tokens.static;
        const one = await approvedAccount(token, units);
        await setTreasury(Wallet.createRandom().address);
        const calls = [approveCall(token, dapp.paymaster, units), mintCall(world())];
        await paidOnChain(dapp, one, token, () => senders[name]!(dapp, one, token.address, calls));
      },
    );
  });
});
