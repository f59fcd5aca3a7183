import { describe, expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import {
  type SimpleAccount,
  finishOperation,
  partialOperation,
  simpleAccount,
  submitOperation,
} from '../../src/demo/simple-account.ts';
import { contractAt, deployContract, devWallet } from '../../src/demo/world-contracts.ts';
import { loadArtifact } from '../../src/engine/chain/artifacts.ts';
import { deployFeeTokens } from '../support/fee-tokens.ts';
import { type Answer, error, passTo, result, withNode } from '../support/odd-node.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { gameCall, operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { setUnseenChain } from '../support/unseen-chain.ts';
import { firstOf } from '../support/combinations.ts';

const GWEI = 10n ** 9n;
const ETHER = 10n ** 18n;
/** Gas that one operation may cost by default, at the price the chain asks. */
const COST_GAS = 20_000_000n;
const ORACLE = '0x420000000000000000000000000000000000000F';

const hex = (value: bigint): string => `0x${value.toString(16)}`;
const text = (value: bigint): string => String(value);

/** What the node of a chain says about prices, wei per gas. */
interface Prices {
  readonly baseFee: bigint;
  readonly tip: bigint;
}

/** What became of an operation that its sender bundles. All wei. */
interface Theft {
  /** `SPONSORED`, or why it was not. */
  readonly code: string;
  /** What the tank lost. */
  readonly lost: bigint;
  /** What the bundle cost its sender at the base fee. */
  readonly paid: bigint;
}

/** A chain on which the sender of operations bundles them as well, and keeps what the paymaster gives a bundler. */
const usePlunderedWorld = (chainId: number, prices: Prices) => {
  const world = useSponsoredWorld({}, { chainId });
  let salt = 0n;

  const setBaseFee = async (baseFee = prices.baseFee): Promise<void> => {
    await world().chain.provider.send('anvil_setNextBlockBaseFeePerGas', [hex(baseFee)]);
    await world().chain.provider.send('evm_mine', []);
    await world().chain.provider.send('anvil_setNextBlockBaseFeePerGas', [hex(baseFee)]);
  };

  /** Runs while the node suggests the tip of the chain it stands for, and answers some methods in its own way. */
  const asChain = async <T>(run: () => Promise<T>, answers: Record<string, Answer> = {}): Promise<T> => {
    const { chain, engine } = world();
    const proper = passTo(chain.url);
    const own = { eth_maxPriorityFeePerGas: result(hex(prices.tip)), ...answers };
    const answer: Answer = (response, method, body) =>
      ((own as Record<string, Answer>)[method] ?? proper)(response, method, body);
    await setBaseFee();
    return withNode(answer, async (rpc) => {
      await setUnseenChain(engine.service, chainId, rpc);
      try {
        return await run();
      } finally {
        await engine.service.call('chains.set', { chainId, rpc: chain.url });
      }
    });
  };

  const dappWithMint = async (): Promise<SponsoredDapp> => {
    const dapp = await world().dapp(100n * ETHER);
    await world().registerGameItems(dapp);
    return dapp;
  };

  /** An account of the attacker, deployed, so that the whitelist is all there is to pass. */
  const newAccount = async (): Promise<SimpleAccount> => {
    const { chain, contracts, operator } = world();
    const account = await simpleAccount(
      contracts.accountFactory,
      devWallet(3, chain.provider),
      (salt += 1n),
      chain.provider,
    );
    const factory = await contractAt('SimpleAccountFactory', contracts.accountFactory, operator);
    const owner = await account.owner.getAddress();
    await (await factory.getFunction('createAccount').send(owner, salt)).wait();
    return account;
  };

  /** A mint, as its user sends it, with more given to the bundler than it is worth. */
  const mint = async (account: SimpleAccount, overrides: Record<string, string>): Promise<Record<string, string>> => {
    const { contracts, chain } = world();
    const call = { to: contracts.gameItems, data: gameCall('mint') };
    return {
      ...(await partialOperation(account, call, contracts.entryPoint, chain.provider)),
      callGasLimit: '100000',
      verificationGasLimit: '150000',
      preVerificationGas: '55000',
      maxFeePerGas: hex(prices.baseFee + prices.tip),
      maxPriorityFeePerGas: hex(prices.tip),
      ...overrides,
    };
  };

  const tankOf = async ({ fundingWallet }: SponsoredDapp): Promise<bigint> => {
    const contract = await contractAt('VerifyingSingletonPaymaster', world().paymaster, world().chain.provider);
    return (await contract.getFunction('getBalance')(fundingWallet)) as bigint;
  };

  /** Has an operation signed, if the desk does, finishes it with a short signature and bundles it. */
  const plunder = async (dapp: SponsoredDapp, account: SimpleAccount, sent: Record<string, string>): Promise<Theft> => {
    const { contracts, operator } = world();
    const before = await tankOf(dapp);
    const { status, body } = await dapp.sponsor(sent);
    if (status !== 200 || body.result === undefined) return { code: String(body.error?.code), lost: 0n, paid: 0n };
    if (body.result.reason !== undefined) return { code: body.result.reason.code, lost: 0n, paid: 0n };
    const final = await finishOperation(account, sent, body.result, { chainId, entryPoint: contracts.entryPoint });
    await setBaseFee();
    const { transactionGas } = await submitOperation(final, contracts.entryPoint, operator);
    return { code: 'SPONSORED', lost: before - (await tankOf(dapp)), paid: transactionGas * prices.baseFee };
  };

  const putOracle = async (): Promise<void> => {
    const { deployedBytecode } = await loadArtifact('LayerOneFees');
    await world().chain.provider.send('anvil_setCode', [ORACLE, deployedBytecode]);
  };

  return { world, asChain, dappWithMint, newAccount, mint, plunder, putOracle, setBaseFee };
};

const reason = ({ body }: RpcReply): { code: string; hint: string } => {
  expect(body.error).toBeUndefined();
  return body.result!.reason!;
};
/** The most that one operation may cost by default. */
const cap = ({ baseFee, tip }: Prices, l1DataGas = 0n): bigint => (COST_GAS + l1DataGas) * (baseFee + tip);

/** The bound of preVerificationGas that was: by the bytes of the request, and a hundred times as much on layer 2. */
const formerBound = (sent: Record<string, string>, times: bigint): bigint => {
  const bytes = (sent['callData']!.length + sent['signature']!.length) / 2 - 2;
  return (250_000n + 60n * BigInt(bytes)) * times;
};

const CHAINS: [string, number, Prices, bigint][] = [
  ['of layer 2, where gas is nearly free', 8453, { baseFee: 5_000_000n, tip: 1_000_000n }, 100n],
  ['of layer 1', 11155111, { baseFee: GWEI, tip: GWEI }, 1n],
];

describe.each(firstOf(CHAINS))('on a chain %s', (_, chainId, prices, formerly) => {
  const { world, asChain, dappWithMint, newAccount, mint, plunder, putOracle } = usePlunderedWorld(chainId, prices);
  const greedy = {
    maxFeePerGas: hex(10n * GWEI + 10n * prices.baseFee),
    maxPriorityFeePerGas: hex(10n * GWEI + 9n * prices.baseFee),
  };

  const dummies: [string, number, Record<string, string>][] = [
    ['a dummy signature of 60,000 bytes', 60_000, greedy],
    ['a dummy signature of 60,000 bytes, at the price of the chain', 60_000, {}],
    ['a dummy signature of 65 bytes', 65, greedy],
    ['a dummy signature of 65 bytes, at the price of the chain', 65, {}],
  ];
  test.each(dummies)('preVerificationGas is not raised by %s', async (_what, length, fees) => {
    await putOracle();
    const [dapp, account] = [await dappWithMint(), await newAccount()];
    const sent = await mint(account, { ...fees, signature: `0x${'ff'.repeat(length)}` });
    const raised = { ...sent, preVerificationGas: text(formerBound(sent, formerly)) };
    const { code, lost } = await asChain(() => plunder(dapp, account, raised));
    expect({ code, lost }).toEqual({ code: 'PRE_VERIFICATION_GAS_TOO_HIGH', lost: 0n });
  });

  test.each<[string, Record<string, string>]>([
    ['a tip of 10 gwei and nine times the base fee', greedy],
    [
      'a tip just beyond what the chain says',
      {
        maxFeePerGas: hex(10n * (prices.baseFee + prices.tip)),
        maxPriorityFeePerGas: hex(prices.baseFee + 3n * prices.tip),
      },
    ],
  ])('no bundler bundles with %s', async (_what, fees) => {
    const [dapp, account] = [await dappWithMint(), await newAccount()];
    const { code, lost } = await asChain(async () => plunder(dapp, account, await mint(account, fees)));
    expect({ code, lost }).toEqual({ code: 'FEE_TOO_HIGH', lost: 0n });
  });

  test('an account that burns 20 million gas in its validation burns no more than the cap of one operation', async () => {
    const { chain, operator } = world();
    const owner = devWallet(3, chain.provider);
    // EntryPoint v0.6 wants the limit of validation once more for postOp.
    await chain.provider.send('evm_setBlockGasLimit', [hex(100_000_000n)]);
    const dapp = await dappWithMint();
    const burn = async (gas: bigint, fees: Record<string, string> = {}): Promise<Theft> => {
      const address = await deployContract('GasBurner', [gas], operator);
      const account: SimpleAccount = { address, owner, initCode: '0x' };
      const sent = await mint(account, { ...fees, verificationGasLimit: text(gas + 100_000n) });
      return asChain(() => plunder(dapp, account, sent));
    };
    expect(await burn(20_000_000n)).toMatchObject({ code: 'OPERATION_COST_TOO_HIGH', lost: 0n });
    const dear = hex(2n * prices.baseFee);
    expect(await burn(20_000_000n, { maxFeePerGas: dear, maxPriorityFeePerGas: dear })).toMatchObject({ lost: 0n });
    const within = await burn(6_000_000n);
    expect(within.code).toBe('SPONSORED');
    expect(within.lost).toBeGreaterThan(6_000_000n * prices.baseFee);
    expect(within.lost).toBeLessThan(cap(prices));
  });

  test('the operator allows one operation less, or more, than the prices of the chain do', async () => {
    const { service } = world().engine;
    const dapp = await dappWithMint();
    const sent = await mint(await newAccount(), {});
    const reserved = (100_000n + 3n * 150_000n + 55_000n + 12_000n) * (prices.baseFee + prices.tip);
    const set = (maxOperationCostWei: string | null): Promise<unknown> =>
      service.call('chains.set', { chainId, maxOperationCostWei });
    try {
      await asChain(async () => {
        await set(text(reserved - 1n));
        const denied = reason(await dapp.sponsor(sent));
        expect(denied).toMatchObject({ code: 'OPERATION_COST_TOO_HIGH', rule: 'fees' });
        expect(denied.hint).toContain(`gasdesk chain set ${chainId} --max-operation-cost 0.`);
        await set(text(reserved));
        expect((await dapp.sponsor(sent)).body.result?.reason).toBeUndefined();
        const large = { ...sent, callGasLimit: '21000000' };
        expect(reason(await dapp.sponsor(large)).code).toBe('OPERATION_COST_TOO_HIGH');
        await set(text(cap(prices) * 2n));
        expect((await dapp.sponsor(large)).body.result?.reason).toBeUndefined();
      });
    } finally {
      await set(null);
    }
  });
});

describe('on a chain of layer 2', () => {
  const prices = { baseFee: 5_000_000n, tip: 1_000_000n };
  const { world, asChain, dappWithMint, newAccount, mint, plunder, putOracle } = usePlunderedWorld(8453, prices);
  /** What the oracle asks for some 1,000 bytes, at the price of the operation. */
  const l1Gas = (1_000n * 5n * GWEI) / (prices.baseFee + prices.tip);

  test('an operation with the fee of layer 1 in its preVerificationGas is sponsored, and mined', async () => {
    await putOracle();
    const [dapp, account] = [await dappWithMint(), await newAccount()];
    const sent = await mint(account, { preVerificationGas: text(60_000n + l1Gas) });
    const { code, lost } = await asChain(() => plunder(dapp, account, sent));
    expect(code).toBe('SPONSORED');
    expect(lost).toBeLessThan(cap(prices));
  });

  test('what the desk estimates there is signed there', async () => {
    await putOracle();
    const [dapp, account] = [await dappWithMint(), await newAccount()];
    const { callGasLimit, verificationGasLimit, preVerificationGas, ...open } = await mint(account, {});
    const { body } = await asChain(() => dapp.sponsor(open, { calculateGasLimits: true }));
    expect([body.error, body.result?.reason]).toEqual([undefined, undefined]);
    expect(BigInt(body.result!.preVerificationGas)).toBeGreaterThan(500_000n);
    expect([callGasLimit, verificationGasLimit, preVerificationGas]).not.toContain(undefined);
  });

  test('nothing beyond the worth of calldata is signed while its oracle cannot be read', async () => {
    await putOracle();
    const [dapp, account] = [await dappWithMint(), await newAccount()];
    const sent = await mint(account, { preVerificationGas: text(60_000n + l1Gas) });
    const proper = passTo(world().chain.url);
    const tired: Answer = (response, method, body) =>
      (body.toLowerCase().includes(ORACLE.toLowerCase()) ? error(429, 'too many requests') : proper)(
        response,
        method,
        body,
      );
    const { status, body } = await asChain(() => dapp.sponsor(sent), { eth_call: tired });
    expect([status, body.error?.code]).toEqual([503, -32053]);
    await world().chain.provider.send('anvil_setCode', [ORACLE, '0x']);
    expect((await asChain(() => dapp.sponsor(sent))).status).toBe(503);
    const small = await asChain(() => dapp.sponsor({ ...sent, preVerificationGas: '55000' }));
    expect([small.body.error, small.body.result?.reason]).toEqual([undefined, undefined]);
  });
});

describe('on a chain that no list names', () => {
  const prices = { baseFee: 5_000_000n, tip: 1_000_000n };
  const { asChain, dappWithMint, newAccount, mint, putOracle } = usePlunderedWorld(987_654, prices);

  test('data on layer 1 is paid for where the chain has the oracle of a layer 2, and nowhere else', async () => {
    const [dapp, account] = [await dappWithMint(), await newAccount()];
    const sent = await mint(account, { preVerificationGas: '800000' });
    const before = await asChain(() => dapp.sponsor(sent));
    expect(reason(before).code).toBe('PRE_VERIFICATION_GAS_TOO_HIGH');
    await putOracle();
    const { body } = await asChain(() => dapp.sponsor(sent));
    expect([body.error, body.result?.reason]).toEqual([undefined, undefined]);
  });
});

describe('without a node to ask', () => {
  const desk = useOfflineDesk();
  const op = (overrides: Record<string, unknown>): Record<string, unknown> =>
    operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, overrides);
  /** An operation that may cost `wei`: 12,000 gas are the contract's own. */
  const costing = (wei: bigint): Record<string, unknown> =>
    op({
      callGasLimit: '27996',
      verificationGasLimit: '1',
      preVerificationGas: '9',
      maxFeePerGas: text(wei / 40_008n),
    });

  test('one operation costs no more than a fixed amount, or what the operator allows', async () => {
    const dapp = await desk().dapp();
    const code = async (wei: bigint): Promise<string> => codeOf(await dapp.sponsor(costing(wei)));
    const set = (maxOperationCostWei: string | null): Promise<unknown> =>
      desk().call('chains.set', { chainId: 31337, maxOperationCostWei });
    expect([await code(ETHER / 10n), await code(ETHER / 9n)]).toEqual(['SPONSORED', 'OPERATION_COST_TOO_HIGH']);
    await set(text(ETHER / 20n));
    expect([await code(ETHER / 20n), await code(ETHER / 10n)]).toEqual(['SPONSORED', 'OPERATION_COST_TOO_HIGH']);
    await set(text(ETHER));
    expect(await code(ETHER / 2n)).toBe('SPONSORED');
    await set(null);
    expect(await code(ETHER / 2n)).toBe('OPERATION_COST_TOO_HIGH');
  });

  test('preVerificationGas is worth no more than calldata costs', async () => {
    const dapp = await desk().dapp();
    expect(codeOf(await dapp.sponsor(op({ preVerificationGas: '75388' })))).toBe('SPONSORED');
    const signature = `0x${'ff'.repeat(60_000)}`;
    const raised = op({ preVerificationGas: '300000', signature });
    expect(codeOf(await dapp.sponsor(raised))).toBe('PRE_VERIFICATION_GAS_TOO_HIGH');
  });
});

describe('who pays in a token', () => {
  const prices = { baseFee: GWEI, tip: GWEI };
  const { world, asChain, newAccount, mint } = usePlunderedWorld(31337, prices);

  test('is limited as others are: its bundler is paid in ether', async () => {
    const { chain, engine, operator } = world();
    await attachNewContract(engine.service, operator, { chainId: chain.chainId, version: 'singleton-0.6' });
    const token = (await deployFeeTokens(world())).static;
    const dapp = await engine.dapp({ version: 'singleton-0.6' });
    const sent = await mint(await newAccount(), {});
    const price = hex(20n * GWEI);
    const options = { mode: 'ERC20', tokenInfo: { feeTokenAddress: token.address, tokenList: [token.address] } };
    const asked = (method: string, overrides: Record<string, string>): Promise<RpcReply> =>
      engine.post(`/api/v1/${chain.chainId}/${dapp.apiKey}`, {
        jsonrpc: '2.0',
        id: 1,
        method,
        params: [{ ...sent, ...overrides }, options],
      });
    const denials: [Record<string, string>, string][] = [
      [{ preVerificationGas: '300000', signature: `0x${'ff'.repeat(60_000)}` }, 'PRE_VERIFICATION_GAS_TOO_HIGH'],
      [{ maxFeePerGas: price, maxPriorityFeePerGas: price }, 'FEE_TOO_HIGH'],
      [{ callGasLimit: '25000000' }, 'OPERATION_COST_TOO_HIGH'],
    ];
    for (const [overrides, code] of denials) {
      const denied = { data: { code, rule: 'fees' } };
      await asChain(async () => {
        expect((await asked('pm_sponsorUserOperation', overrides)).body.error).toMatchObject(denied);
        expect((await asked('pm_getFeeQuoteOrData', overrides)).body.error).toMatchObject(denied);
      });
    }
    const quoted = await asChain(() => asked('pm_getFeeQuoteOrData', {}));
    expect(quoted.body.result).toMatchObject({ mode: 'ERC20', feeQuotes: [{ symbol: expect.any(String) }] });
  });
});

describe.each<[string, number, Prices, Prices]>([
  [
    'like Polygon, with high tips and hardly a base fee',
    100,
    { baseFee: 15n, tip: 30n * GWEI },
    { baseFee: 30n, tip: 60n * GWEI },
  ],
  [
    'that is busy, for ten times its base fee',
    100,
    { baseFee: 40n * GWEI, tip: GWEI },
    { baseFee: 399n * GWEI, tip: 2n * GWEI },
  ],
  ['like BNB, without a base fee', 56, { baseFee: 0n, tip: 10n ** 8n }, { baseFee: 0n, tip: 2n * 10n ** 8n }],
])('on a chain %s', (_, chainId, prices, offered) => {
  const { asChain, dappWithMint, newAccount, mint } = usePlunderedWorld(chainId, prices);

  test('an urgent operation is sponsored', async () => {
    const [dapp, account] = [await dappWithMint(), await newAccount()];
    const fees = { maxFeePerGas: hex(offered.baseFee + offered.tip), maxPriorityFeePerGas: hex(offered.tip) };
    const sent = await mint(account, { ...fees, callGasLimit: '200000', verificationGasLimit: '500000' });
    const { body } = await asChain(() => dapp.sponsor(sent));
    expect([body.error, body.result?.reason]).toEqual([undefined, undefined]);
  });

  test('a node that suggests no tip is asked for its price of gas', async () => {
    const [dapp, account] = [await dappWithMint(), await newAccount()];
    const sent = await mint(account, {});
    const unknown = { eth_maxPriorityFeePerGas: error(-32601, 'the method does not exist') };
    const priced = { ...unknown, eth_gasPrice: result(hex(prices.baseFee + prices.tip)) };
    const { body } = await asChain(() => dapp.sponsor(sent), priced);
    expect([body.error, body.result?.reason]).toEqual([undefined, undefined]);
  });
});
