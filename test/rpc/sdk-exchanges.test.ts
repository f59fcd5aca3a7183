import { MaxUint256, parseEther } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { fundDeposit } from '../../src/demo/world-contracts.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { EntryPointVersion, UserOperation, UserOperationV07 } from '../../src/shared/schema/user-operation.ts';
import { encodeFunction } from '../support/account-call-data.ts';
import { type EntryPointWorld, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { type PaidToken, approveCall, deployFeeTokens } from '../support/fee-tokens.ts';
import { gameCall } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

/** What SDKs of several stacks were seen to send, on EntryPoint 0.6 and 0.7, sponsored and in tokens. */

const DUMMY_SIGNATURE: Hex = `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`;
const CHAIN = '0x7a69';

const world = useSponsoredWorld();

interface Side {
  readonly chain: EntryPointWorld;
  readonly paymaster: Address;
  readonly dapp: SponsoredDapp;
}
const sides = {} as Record<'0.6' | '0.7', Side>;
let tokens: Awaited<ReturnType<typeof deployFeeTokens>>;
let salt = 0n;

beforeAll(async () => {
  const { operator, engine, chain } = world();
  const { chainId } = chain;
  for (const generation of ['0.6', '0.7'] as const) {
    const version = `singleton-${generation}`;
    const entryPoint = await deployEntryPointWorld(operator, chainId, generation satisfies EntryPointVersion);
    const paymaster = await attachNewContract(engine.service, operator, { chainId, version });
    await fundDeposit(entryPoint.entryPoint, paymaster, parseEther('10'), operator);
    sides[generation] = { chain: entryPoint, paymaster, dapp: await engine.dapp({ version }) };
  }
  tokens = await deployFeeTokens(world());
});

/** The first operation of an account that mints; with a token it has some, and approves `units` of it first. */
const firstOperation = async (
  { chain, paymaster }: Side,
  token?: PaidToken,
  units = MaxUint256,
): Promise<UserOperation> => {
  const account = await chain.newAccount(world().operator, (salt += 1n));
  const mint = { to: world().contracts.gameItems, data: gameCall('mint') };
  const op = { ...chain.firstOperation(account, mint), signature: DUMMY_SIGNATURE };
  if (token === undefined) return op;
  await token.give(account.address);
  const calls = [approveCall(token, paymaster, units), mint];
  const [targets, data] = [calls.map(({ to }) => to), calls.map((call) => call.data)];
  const callData =
    chain.version === '0.6'
      ? encodeFunction('executeBatch(address[],bytes[])', ['address[]', 'bytes[]'], [targets, data])
      : encodeFunction(
          'executeBatch(address[],uint256[],bytes[])',
          ['address[]', 'uint256[]', 'bytes[]'],
          [targets, [], data],
        );
  return { ...op, callData };
};

const GAS = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const;
const PAYMASTER_GAS = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'] as const;

/** What a client sends: without gas, or with its own fields in place of some. */
const wire = (op: UserOperation, changed: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...toRpcUserOperation(op),
  ...changed,
});
const withoutGas = (op: UserOperation): Record<string, unknown> =>
  Object.fromEntries(Object.entries(wire(op)).filter(([name]) => !GAS.some((gas) => gas === name)));

type Answer = Record<string, string>;

const ask = async ({ dapp }: Side, method: string, params: readonly unknown[]): Promise<Answer> => {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const reply = await world().engine.post(`/api/v2/31337/${dapp.apiKey}`, body);
  expect(reply.body.error).toBeUndefined();
  return reply.body.result as unknown as Answer;
};

/** The operation with what was answered, as clients spread it; signed and mined. */
const mined = async ({ chain }: Side, op: UserOperation, answer: Answer) => {
  const gas = [...GAS, ...PAYMASTER_GAS].filter((name) => answer[name] !== undefined);
  const quantities = Object.fromEntries(gas.map((name) => [name, BigInt(answer[name]!)]));
  const finished = { ...op, ...answer, ...quantities } as unknown as UserOperationV07;
  return chain.mine(await chain.sign(finished, world().operator));
};

const ones = Object.fromEntries(
  [...GAS, ...PAYMASTER_GAS, 'maxFeePerGas', 'maxPriorityFeePerGas'].map((name) => [name, '0x1']),
);

describe.each(['0.6', '0.7'] as const)('on EntryPoint %s', (generation) => {
  const side = (): Side => sides[generation];
  const context = (token?: PaidToken) => (token === undefined ? null : { token: token.address });

  describe.each(['sponsored', 'in tokens'])('%s', (payer) => {
    const token = (): PaidToken | undefined => (payer === 'in tokens' ? tokens.static : undefined);
    const biconomyContext = () => {
      const fee = token();
      const mode =
        fee === undefined ? { mode: 'SPONSORED' } : { mode: 'ERC20', tokenInfo: { feeTokenAddress: fee.address } };
      return {
        ...mode,
        calculateGasLimits: true,
        sponsorshipInfo: { smartAccountInfo: { name: 'BICONOMY', version: '2.0.0' } },
      };
    };

    test('Safe relay-kit 5 asks for a stub with every gas and fee field at 1', async () => {
      const op = await firstOperation(side(), token());
      const sent = wire(
        op,
        generation === '0.7'
          ? ones
          : Object.fromEntries(Object.entries(ones).filter(([name]) => !name.startsWith('paymaster'))),
      );
      const stub = await ask(side(), 'pm_getPaymasterStubData', [
        sent,
        side().chain.entryPoint,
        CHAIN,
        context(token()),
      ]);
      if (generation === '0.6') expect(stub['paymasterAndData']!.length).toBeGreaterThan(2 + 2 * 85);
      else
        for (const field of PAYMASTER_GAS)
          expect(BigInt(stub[field]!)).toBeGreaterThanOrEqual(payer === 'sponsored' ? 0n : 40_000n);
      expect((await side().dapp.decisions()).filter(({ code }) => code === 'FEE_TOO_LOW')).toEqual([]);
    });

    test("@biconomy/abstractjs asks once, without gas, and takes the answer's", async () => {
      const op = await firstOperation(side(), token());
      const params = [withoutGas(op), side().chain.entryPoint, CHAIN, biconomyContext()];
      const answer = await ask(side(), 'pm_getPaymasterData', params);
      for (const field of GAS) expect(BigInt(answer[field]!)).toBeGreaterThan(0n);
      expect(await mined(side(), op, answer)).toMatchObject({ success: true });
    });

    test('viem asks for data alone, with gas of zero, and gets the limits that are signed', async () => {
      const op = await firstOperation(side(), token());
      const zero = Object.fromEntries(GAS.map((name) => [name, '0x0']));
      const sent = wire(op, { ...zero, ...(generation === '0.7' && { paymasterPostOpGasLimit: '0x0' }) });
      const context = token() && { token: token()!.address };
      const answer = await ask(side(), 'pm_getPaymasterData', [sent, side().chain.entryPoint, CHAIN, context]);
      for (const field of GAS) expect(BigInt(answer[field]!)).toBeGreaterThan(0n);
      expect(await mined(side(), op, answer)).toMatchObject({ success: true });
    });

    test('gas that the wallet has estimated is signed as it is, whatever the context asks', async () => {
      const op = await firstOperation(side(), token());
      const params = [wire(op), side().chain.entryPoint, CHAIN, biconomyContext()];
      const answer = await ask(side(), 'pm_getPaymasterData', params);
      expect(Object.keys(answer)).not.toContain('callGasLimit');
      expect(await mined(side(), op, answer)).toMatchObject({ success: true });
    });
  });

  test("@biconomy/abstractjs' quotes send the paymaster's limits as zero, and ask for longer than the desk allows", async () => {
    const op = await firstOperation(side(), tokens.static);
    const params = [
      wire(op, { paymasterPostOpGasLimit: '0', paymasterVerificationGasLimit: '0' }),
      {
        mode: 'ERC20',
        tokenInfo: { tokenList: [tokens.static.address] },
        expiryDuration: 6000,
        calculateGasLimits: true,
      },
    ];
    const { feeQuotes } = (await ask(side(), 'pm_getFeeQuoteOrData', params)) as unknown as { feeQuotes: object[] };
    expect(feeQuotes).toMatchObject([{ tokenAddress: tokens.static.address }]);
  });

  test('a quote without a signature, which no account can be tried with, stands on the limits that were sent', async () => {
    const op = await firstOperation(side(), tokens.static);
    const limits = { callGasLimit: '300000', verificationGasLimit: '700000', preVerificationGas: '60000' };
    const asked = { mode: 'ERC20', tokenInfo: { tokenList: [tokens.static.address] }, calculateGasLimits: true };
    const params = [wire(op, { ...limits, signature: '0x' }), asked];
    const { feeQuotes } = (await ask(side(), 'pm_getFeeQuoteOrData', params)) as unknown as { feeQuotes: object[] };
    expect(feeQuotes).toMatchObject([{ tokenAddress: tokens.static.address }]);
  });
});

describe("the bundler's limits of the paymaster", () => {
  const params = async (changed: Record<string, string>): Promise<[UserOperation, unknown[]]> => {
    const op = await firstOperation(sides['0.7'], tokens.static);
    return [op, [wire(op, changed), sides['0.7'].chain.entryPoint, CHAIN, { token: tokens.static.address }]];
  };

  test('are replaced and answered where tokens could not be taken with them (Alchemy, Safe)', async () => {
    const [op, sent] = await params({ paymasterVerificationGasLimit: '0xea60', paymasterPostOpGasLimit: '0x2710' });
    const answer = await ask(sides['0.7'], 'pm_getPaymasterData', sent);
    expect(BigInt(answer['paymasterPostOpGasLimit']!)).toBe(60_000n);
    expect(await mined(sides['0.7'], op, answer)).toMatchObject({ success: true });
    expect(await tokens.static.contract.getFunction('balanceOf')(op.sender)).toBeLessThan(1000n * 10n ** 6n);
  });

  test('are signed as they are where they suffice, for permissionless 0.1 drops what is answered', async () => {
    const limits = { paymasterVerificationGasLimit: '0xea60', paymasterPostOpGasLimit: '0xc350' };
    const [op, sent] = await params(limits);
    const answer = await ask(sides['0.7'], 'pm_getPaymasterData', sent);
    expect(answer).toMatchObject(limits);
    expect(await mined(sides['0.7'], op, answer)).toMatchObject({ success: true });
  });
});

describe("Candide's client", () => {
  const told = async (side: Side) => ask(side, 'pm_supportedERC20Tokens', [side.chain.entryPoint]);

  test('estimates with data of a sponsorship, at fees of zero, and with the limits of paying in a token', async () => {
    const { paymasterMetadata, tokens: listed } = (await told(sides['0.7'])) as unknown as Record<string, object>;
    expect(paymasterMetadata).toMatchObject({
      address: sides['0.7'].paymaster,
      dummyPaymasterAndData: {
        paymaster: sides['0.7'].paymaster.toLowerCase(),
        paymasterVerificationGasLimit: '0x186a0',
        paymasterPostOpGasLimit: '0xea60',
        // Mode 0, any bundler, from 0 to the last second there is.
        paymasterData: expect.stringMatching(/^0x01ffffffffffff000000000000/) as unknown,
      },
    });
    expect(listed).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'USDT', decimals: 6 })]));
  });

  test('gets them as one on EntryPoint 0.6, and where only sponsorships are had', async () => {
    const { paymasterMetadata } = (await told(sides['0.6'])) as unknown as Record<string, Record<string, unknown>>;
    expect(paymasterMetadata!['dummyPaymasterAndData']).toMatch(
      new RegExp(`^${sides['0.6'].paymaster.toLowerCase()}01ffffffffffff`),
    );
    const tankDapp = await world().dapp(10n ** 18n);
    const tank = { ...sides['0.6'], dapp: tankDapp };
    expect(await told(tank)).toMatchObject({ tokens: [], paymasterMetadata: { address: world().paymaster } });
  });
});

test.each<[string, unknown]>([
  ['pm_chainId', CHAIN],
  ['eth_chainId', CHAIN],
  ['net_version', '31337'],
  ['pm_clientVersion', expect.stringMatching(/^Candide\/v3 Gasdesk\/\d/)],
  ['web3_clientVersion', expect.stringMatching(/^Gasdesk\/\d/)],
])('%s is answered', async (method, result) => {
  expect(await ask(sides['0.7'], method, [])).toEqual(result);
});

describe.each(['0.6', '0.7'] as const)("other stacks' methods on EntryPoint %s", (generation) => {
  const side = (): Side => sides[generation];
  const isMined = async (op: UserOperation, answer: Answer): Promise<void> => {
    expect(await mined(side(), op, answer)).toMatchObject({ success: true });
  };

  test("what Pimlico's formula approves is enough", async () => {
    const asked = [{ tokens: [tokens.static.address] }, side().chain.entryPoint, CHAIN];
    const { quotes } = (await ask(side(), 'pimlico_getTokenQuotes', asked)) as unknown as { quotes: Answer[] };
    expect(quotes).toMatchObject([{ paymaster: side().paymaster, token: tokens.static.address }]);
    const { postOpGas, exchangeRate } = quotes[0]!;
    const plain = await firstOperation(side(), tokens.static);
    const limits = { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 60_000n };
    const { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas } = plain;
    const own = callGasLimit + verificationGasLimit + preVerificationGas + (generation === '0.6' ? 0n : 160_000n);
    const units = ((own + BigInt(postOpGas!)) * maxFeePerGas * BigInt(exchangeRate!)) / 10n ** 18n;
    const op = { ...(await firstOperation(side(), tokens.static, units)), ...(generation === '0.7' && limits) };
    const context = { token: tokens.static.address };
    const answer = await ask(side(), 'pm_getPaymasterData', [wire(op), side().chain.entryPoint, CHAIN, context]);
    await isMined(op, answer);
  });

  test('what Startale quotes without a signature is enough, and so are the fees that Pimlico takes', async () => {
    const { fast } = (await ask(side(), 'pimlico_getUserOperationGasPrice', [])) as unknown as { fast: Answer };
    const priced = (op: UserOperation) => ({
      ...op,
      maxFeePerGas: BigInt(fast['maxFeePerGas']!),
      maxPriorityFeePerGas: BigInt(fast['maxPriorityFeePerGas']!),
    });
    const asked = wire(priced(await firstOperation(side(), tokens.static)), { signature: undefined });
    const params = [asked, side().chain.entryPoint, CHAIN, { calculateGasLimits: true }];
    const { feeQuotes } = (await ask(side(), 'pm_getFeeQuotes', params)) as unknown as { feeQuotes: Answer[] };
    const quote = feeQuotes.find(({ tokenAddress }) => tokenAddress === tokens.static.address);
    const op = priced(await firstOperation(side(), tokens.static, BigInt(quote!['requiredAmount']!)));
    const context = { token: tokens.static.address };
    await isMined(op, await ask(side(), 'pm_getPaymasterData', [wire(op), side().chain.entryPoint, CHAIN, context]));
  });

  test('a policy is valid for what the rules sponsor, and for nothing else', async () => {
    const op = await firstOperation(side());
    const validate = (sent: object) =>
      ask(side(), 'pm_validateSponsorshipPolicies', [sent, side().chain.entryPoint, ['sp_a', 'sp_b']]);
    expect(await validate(wire(op))).toMatchObject([{ sponsorshipPolicyId: 'sp_a' }, { sponsorshipPolicyId: 'sp_b' }]);
    await world().engine.service.call('paymasters.pause', { paymasterId: side().dapp.paymasterId });
    expect(await validate(wire(op))).toEqual([]);
    await world().engine.service.call('paymasters.resume', { paymasterId: side().dapp.paymasterId });
  });

  describe.each(['sponsored', 'in tokens'])('%s', (payer) => {
    const token = (): PaidToken | undefined => (payer === 'in tokens' ? tokens.static : undefined);

    test('ZeroDev', async () => {
      const op = await firstOperation(side(), token());
      const tokenAddress = token()?.address;
      const target = { chainId: 31337, entryPointAddress: side().chain.entryPoint };
      const gasTokenData = tokenAddress && { tokenAddress };
      const request = {
        ...target,
        userOp: withoutGas(op),
        gasTokenData,
        shouldOverrideFee: false,
        shouldConsume: true,
      };
      await isMined(op, await ask(side(), 'zd_sponsorUserOperation', [request]));
      expect(await ask(side(), 'zd_pm_accounts', [target])).toEqual([side().paymaster]);
      expect(await ask(side(), 'pm_accounts', [side().chain.entryPoint])).toEqual([side().paymaster]);
      if (tokenAddress === undefined) return;
      const quote = await ask(side(), 'stackup_getERC20TokenQuotes', [{ ...target, userOp: wire(op), tokenAddress }]);
      const listed = [wire(op), { mode: 'ERC20', tokenInfo: { tokenList: [tokenAddress] } }];
      const { feeQuotes } = (await ask(side(), 'pm_getFeeQuoteOrData', listed)) as unknown as { feeQuotes: object[] };
      expect(feeQuotes).toMatchObject([{ maxUnits: quote['maxGasCostToken'] }]);
      expect(Number(quote['maxGasCostToken'])).toBeGreaterThan(1000);
      expect(quote['tokenDecimals']).toBe('6');
    });

    test('Alchemy, over gas that the client has estimated', async () => {
      const op = await firstOperation(side(), token());
      const erc20Context = token() && { tokenAddress: token()!.address, maxTokenAmount: 10 ** 9 };
      const request = { policyId: 'p', entryPoint: side().chain.entryPoint, userOperation: wire(op), erc20Context };
      await isMined(op, await ask(side(), 'alchemy_requestPaymasterAndData', [request]));
    });

    test('Alchemy, with gas and fees that the desk finds out', async () => {
      const op = await firstOperation(side(), token());
      const { maxPriorityFeePerGas: _tip, signature, ...userOperation } = withoutGas(op);
      const request = {
        policyId: ['p'],
        entryPoint: side().chain.entryPoint,
        userOperation,
        dummySignature: signature,
        overrides: { maxFeePerGas: { multiplier: 1.1 }, callGasLimit: '0x61a80' },
        webhookData: 'any',
        ...(token() && { erc20Context: { tokenAddress: token()!.address } }),
      };
      const answer = await ask(side(), 'alchemy_requestGasAndPaymasterAndData', [request]);
      expect(BigInt(answer['maxFeePerGas']!)).toBe((op.maxFeePerGas * 11n) / 10n);
      const fees = {
        maxFeePerGas: BigInt(answer['maxFeePerGas']!),
        maxPriorityFeePerGas: BigInt(answer['maxPriorityFeePerGas']!),
      };
      await isMined(op, { ...answer, ...fees } as unknown as Answer);
    });
  });
});
