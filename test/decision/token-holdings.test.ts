import { parseEther } from 'ethers';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { contractAt, deployContract } from '../../src/demo/world-contracts.ts';
import type { ArtifactName } from '../../src/engine/chain/artifacts.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { ACCEPTING_ACCOUNT } from '../support/accepting-account.ts';
import { SENDER } from '../support/account-call-data.ts';
import { duringRequest } from '../support/meanwhile.ts';
import { type Answer, error, passTo, result, withNode } from '../support/odd-node.ts';
import { codeOf } from '../support/offline-desk.ts';
import { gameCall, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { firstOf } from '../support/combinations.ts';

const world = useSponsoredWorld({ chainTimeoutMs: 2_000 });
const OTHER: Address = `0x${'b2'.repeat(20)}`;
const SUPPLY = 2n ** 256n - 1n;

let erc20: Address;
let erc721: Address;
let erc1155: Address;
let dapp: SponsoredDapp;

const deploy = (name: ArtifactName, ...args: unknown[]): Promise<Address> =>
  deployContract(name, args, world().operator);
const send = async (name: ArtifactName, at: Address, method: string, ...args: unknown[]): Promise<void> => {
  const contract = await contractAt(name, at, world().operator);
  await (await contract.getFunction(method).send(...args)).wait();
};

beforeAll(async () => {
  erc20 = await deploy('ERC20PresetFixedSupply', 'Gold', 'GLD', SUPPLY, SENDER);
  erc721 = await deploy('ERC721PresetMinterPauserAutoId', 'Pass', 'PASS', '');
  erc1155 = await deploy('ERC1155PresetMinterPauser', '');
  for (const to of [SENDER, OTHER, SENDER]) await send('ERC721PresetMinterPauserAutoId', erc721, 'mint', to);
  // Contracts must say that they take such tokens. The account of `operation` only seems to be one.
  const { provider } = world().chain;
  await provider.send('anvil_setCode', [SENDER, '0x']);
  for (const id of [SUPPLY, 7n]) await send('ERC1155PresetMinterPauser', erc1155, 'mint', SENDER, id, 7n, '0x');
  await provider.send('anvil_setCode', [SENDER, ACCEPTING_ACCOUNT]);
});
beforeEach(async () => {
  dapp = await world().dapp(parseEther('1'));
});

interface Data {
  standard: string;
  address: Address;
  tokenId?: string;
  minimum: string;
}
const add = async (
  policyData: Data,
  { name = 'Members', ...binding }: { name?: string; [field: string]: unknown } = {},
) => {
  const rule = { name, policyType: 'TOKEN_HOLDING', policyData: { ...policyData }, ...binding };
  const added = await world().engine.service.call('rules.create', { paymasterId: dapp.paymasterId, rule });
  return (added as { _id: string })._id;
};

const op = (overrides: Record<string, unknown> = {}) =>
  operation({ to: world().contracts.gameItems, data: gameCall('mint') }, overrides);
const ask = async (overrides: Record<string, unknown> = {}) => dapp.sponsor(op(overrides));
const reasonOf = async (overrides: Record<string, unknown> = {}) => (await ask(overrides)).body.result?.reason;

/** Asks while the desk reaches the chain by a node that answers in that way. */
const through = async <T>(answer: Answer, run: () => Promise<T>): Promise<T> => {
  const { chain, engine } = world();
  const { chainId } = chain;
  return withNode(answer, async (rpc) => {
    await engine.service.call('chains.set', { chainId, rpc });
    try {
      return await run();
    } finally {
      await engine.service.call('chains.set', { chainId, rpc: chain.url });
    }
  });
};

/** What asks for holdings: calls that create a contract, and balances of the tokens, one by one. */
const isHolding = (body: string): boolean => {
  const { method, params } = JSON.parse(body) as { method: string; params: readonly [{ to?: string }] };
  if (method !== 'eth_call') return false;
  const { to } = params[0];
  return to === undefined || [erc20, erc721, erc1155].some((token) => token.toLowerCase() === to.toLowerCase());
};
const proper = (): Answer => passTo(world().chain.url);
/** Answers the requests for holdings so, and all others properly. */
const answering =
  (answer: Answer): Answer =>
  (response, method, body) =>
    (isHolding(body) ? answer : proper())(response, method, body);
const shadow = (index: number) => ({ name: `Rule ${index}`, enforcement: 'shadow' });

/** Counts the requests for holdings. */
const counting = async <T>(run: () => Promise<T>): Promise<{ readings: number; answer: T }> => {
  let readings = 0;
  const answer = await through((response, method, body) => {
    if (isHolding(body)) readings += 1;
    proper()(response, method, body);
  }, run);
  return { readings, answer };
};

describe('an operation is sponsored by what its sender holds', () => {
  test('of an ERC-20 token, to the unit, up to 256 bits', async () => {
    await add({ standard: 'ERC20', address: erc20, minimum: String(SUPPLY) });
    expect(codeOf(await ask())).toBe('SPONSORED');
    expect(await reasonOf({ sender: OTHER })).toEqual({
      code: 'TOKEN_HOLDING_TOO_LOW',
      rule: 'tokenHolding',
      message: `The sender ${OTHER} holds 0 units of the ERC-20 token ${erc20.toLowerCase()}; the rule "Members" requires at least 115,792,089,237,316,195,423,570,985,008,687,907,853,269,984,665,640,564,039,457,584,007,913,129,639,935.`,
      hint: expect.stringMatching(
        /^Transfer 115,792,.* units of the ERC-20 token .* to 0xb2b2.*, or send from an account that holds enough\.$/,
      ),
    });
  });

  test('of NFTs: how many, or which one', async () => {
    await add({ standard: 'ERC721', address: erc721, minimum: '2' }, { name: 'Two' });
    expect(codeOf(await ask())).toBe('SPONSORED');
    expect((await reasonOf({ sender: OTHER }))?.message).toContain(
      `holds 1 NFT of ${erc721.toLowerCase()} (ERC-721); the rule "Two" requires at least 2.`,
    );
    const ruleId = await add({ standard: 'ERC721', address: erc721, tokenId: '1', minimum: '1' }, { name: 'One' });
    expect(await reasonOf()).toMatchObject({
      code: 'TOKEN_HOLDING_TOO_LOW',
      message: `The sender ${SENDER} does not own NFT 1 of ${erc721.toLowerCase()} (ERC-721), as the rule "One" requires.`,
      hint: `Transfer NFT 1 of ${erc721.toLowerCase()} (ERC-721) to ${SENDER}, or send from the account that owns it.`,
    });
    const update = { policyData: { standard: 'ERC721', address: erc721, tokenId: '002', minimum: '1' } };
    const { paymasterId } = dapp;
    await world().engine.service.call('rules.update', { paymasterId, ruleId, update });
    expect(codeOf(await ask())).toBe('SPONSORED');
    update.policyData.tokenId = '99';
    await world().engine.service.call('rules.update', { paymasterId, ruleId, update });
    expect(await reasonOf()).toMatchObject({
      code: 'TOKEN_HOLDING_UNREADABLE',
      message: expect.stringContaining('NFT 99') as unknown,
      hint: expect.stringContaining('For an NFT that does not exist, contracts revert.') as unknown,
    });
  });

  test('of one token of ERC-1155', async () => {
    await add({ standard: 'ERC1155', address: erc1155, tokenId: String(SUPPLY), minimum: '7' });
    expect(codeOf(await ask())).toBe('SPONSORED');
    await add({ standard: 'ERC1155', address: erc1155, tokenId: '3', minimum: '1' }, { name: 'Three' });
    expect((await reasonOf())?.message).toContain(`holds 0 units of token 3 of ${erc1155.toLowerCase()} (ERC-1155)`);
  });

  test('also before its account is made, and already where a wallet asks for stub data', async () => {
    const { contracts, engine, operator, chain } = world();
    const factory = await contractAt('SimpleAccountFactory', contracts.accountFactory, operator);
    const account = (await factory.getFunction('getAddress(address,uint256)')(OTHER, 1n)) as Address;
    const createAccount = factory.interface.encodeFunctionData('createAccount', [OTHER, 1n]);
    const initCode = `${contracts.accountFactory}${createAccount.slice(2)}` as Hex;
    await add({ standard: 'ERC1155', address: erc1155, tokenId: '8', minimum: '1' });
    const making = { sender: account, initCode };
    const stub = async () => {
      const params = [op(making), contracts.entryPoint, `0x${chain.chainId.toString(16)}`, {}];
      const request = { jsonrpc: '2.0', id: 1, method: 'pm_getPaymasterStubData', params };
      return (await engine.post(`/api/v2/${chain.chainId}/${dapp.apiKey}`, request)).body;
    };
    expect((await stub()).error).toMatchObject({ code: -32050, data: { code: 'TOKEN_HOLDING_TOO_LOW' } });
    expect(codeOf(await ask(making))).toBe('TOKEN_HOLDING_TOO_LOW');
    await send('ERC1155PresetMinterPauser', erc1155, 'mint', account, 8n, 1n, '0x');
    expect((await stub()).error).toBeUndefined();
    expect(codeOf(await ask(making))).toBe('SPONSORED');
  });
});

describe('what rules ask is read by one request', () => {
  test('however many they are, those in shadow too; what is read stands in the facts', async () => {
    await add({ standard: 'ERC20', address: erc20, minimum: '1' }, { name: 'A' });
    await add({ standard: 'ERC20', address: erc20, minimum: '2' }, { name: 'B' });
    await add({ standard: 'ERC721', address: erc721, minimum: '5' }, { name: 'C', enforcement: 'shadow' });
    await add({ standard: 'ERC1155', address: erc1155, tokenId: '7', minimum: '1' }, { name: 'D' });
    const { readings, answer } = await counting(() => ask());
    expect([codeOf(answer), readings]).toEqual(['SPONSORED', 1]);
    const [decision] = await dapp.decisions();
    expect((decision!.facts as { holdings: unknown }).holdings).toEqual({
      [`ERC20:${erc20.toLowerCase()}`]: { held: String(SUPPLY) },
      [`ERC721:${erc721.toLowerCase()}`]: { held: '2' },
      [`ERC1155:${erc1155.toLowerCase()}:7`]: { held: '7' },
    });
    expect(decision!.trace.filter(({ rule }) => rule === 'tokenHolding')).toMatchObject([
      { outcome: 'pass', code: 'TOKEN_HELD', evidence: { rule: 'A', minimum: '1', held: String(SUPPLY) } },
      { outcome: 'pass' },
      { outcome: 'wouldDeny', code: 'TOKEN_HOLDING_TOO_LOW', evidence: { rule: 'C', held: '2', minimum: '5' } },
      { outcome: 'pass' },
    ]);
  });

  test('nothing is read for a rule that does not apply: paused, not yet, no longer, or of another DApp', async () => {
    const { clock, engine } = world();
    const data = { standard: 'ERC20', address: erc20, minimum: '1' };
    const paused = await add(data, { name: 'Paused' });
    await engine.service.call('rules.deactivate', { paymasterId: dapp.paymasterId, ruleId: paused });
    await add(data, { name: 'Later', activeFrom: clock.now() + 60_000 });
    await add(data, { name: 'Over', activeFrom: 1, activeUntil: clock.now() });
    const ofOther = await world().dapp(parseEther('1'));
    const { readings, answer } = await counting(async () => [
      await ask({ sender: OTHER }),
      await ofOther.sponsor(op()),
    ]);
    expect([readings, ...answer.map(codeOf)]).toEqual([0, 'SENDER_WITHOUT_CODE', 'SPONSORED']);
  });

  test('a rule that is added while the operation is decided applies to it, by what is read then', async () => {
    const during = duringRequest(world, (method) => method === 'eth_getBlockByNumber');
    const reply = await during(dapp, () => add({ standard: 'ERC721', address: erc721, minimum: '9' }), op());
    expect(codeOf(reply)).toBe('TOKEN_HOLDING_TOO_LOW');
  });

  test('one more for every 50 of them, each within what nodes take', async () => {
    for (let tokenId = 1; tokenId <= 51; tokenId += 1) {
      await add({ standard: 'ERC1155', address: erc1155, tokenId: String(tokenId), minimum: '1' }, shadow(tokenId));
    }
    const calls: { data: Hex; gas: Hex }[] = [];
    const answer = await through(
      answering((response, method, body) => {
        calls.push((JSON.parse(body) as { params: [{ data: Hex; gas: Hex }] }).params[0]);
        proper()(response, method, body);
      }),
      () => ask(),
    );
    expect([codeOf(answer), calls.length]).toEqual(['SPONSORED', 2]);
    for (const { data, gas } of calls) {
      // EIP-3860, and half of what blocks of Ethereum hold.
      expect(data.length / 2 - 1).toBeLessThan(49_152);
      expect(Number(gas)).toBeLessThan(30_000_000);
    }
    const [decision] = await dapp.decisions();
    const { holdings } = decision!.facts as { holdings: Record<string, { held?: string }> };
    expect(Object.values(holdings).map(({ held }) => held)).toEqual(
      Array.from({ length: 51 }, (_, index) => (index + 1 === 7 ? '7' : '0')),
    );
  });

  const creation: [string, Answer][] = [
    ['missing to', error(-32602, 'missing to')],
    ['the size of the code', error(-32000, 'max initcode size exceeded: code size 50000 limit 49152')],
    ['a name', error(-32000, 'CreateInitCodeSizeLimit')],
    ['creation', error(-32003, 'contract creation is not allowed')],
    ['too much gas', error(-32000, 'the gas limit is above the cap of this node')],
    ['a call that ran and failed', error(3, 'execution reverted')],
    ['no bytes', result(null)],
    ['another answer', result('0x')],
  ];
  test.each(firstOf(creation, 2))(
    'one by one, at most 4 at once, from a node that refuses to create: %s',
    async (_, refusal) => {
      for (const index of Array.from({ length: 9 }).keys()) {
        await add({ standard: 'ERC1155', address: erc1155, tokenId: String(index), minimum: '1' }, shadow(index));
      }
      const waiting: (() => void)[] = [];
      const seen = { together: 0, alone: 0, most: 0 };
      const release = () => {
        for (const answer of waiting.splice(0)) answer();
      };
      /** Answers when four wait, or the last has come, after as long as more would take to come. */
      const meanwhile: Answer = (response, method, body) => {
        if (!body.includes('"to"')) {
          seen.together += 1;
          refusal(response, method, body);
          return;
        }
        seen.alone += 1;
        waiting.push(() => proper()(response, method, body));
        seen.most = Math.max(seen.most, waiting.length);
        if (waiting.length === 4 || seen.alone === 9) void world().chain.provider.getBlockNumber().finally(release);
      };
      const answer = await through(answering(meanwhile), () => ask());
      expect([codeOf(answer), seen]).toEqual(['SPONSORED', { together: 1, alone: 9, most: 4 }]);
      const [decision] = await dapp.decisions();
      const { holdings } = decision!.facts as { holdings: Record<string, { held?: string }> };
      expect(holdings[`ERC1155:${erc1155.toLowerCase()}:7`]).toEqual({ held: '7' });
    },
  );

  test.each<[string, Answer]>([
    ['a rate limit', error(-32005, 'daily request count exceeded, request rate limited')],
    ['a rate limit of HTTP', error(429, 'Too many requests', 429)],
    ['an internal error', error(-32603, 'Internal error: could not create a contract cache')],
    ['a state that is missing', error(-32000, 'missing trie node 12ab, required to run the call')],
    ['a header that is missing', error(-32000, 'header not found')],
  ])('not one by one from a node that refuses for another reason: %s', async (_, refusal) => {
    await add({ standard: 'ERC20', address: erc20, minimum: '1' }, { name: 'A' });
    await add({ standard: 'ERC721', address: erc721, minimum: '1' }, { name: 'B' });
    let readings = 0;
    const refusing: Answer = (response, method, body) => {
      readings += 1;
      refusal(response, method, body);
    };
    const reason = await through(answering(refusing), () => reasonOf());
    expect([reason?.code, readings]).toEqual(['TOKEN_HOLDING_UNREADABLE', 1]);
    expect(reason?.message).toContain("the chain's node did not answer the question");
  });

  test('with the gas that the token is promised, in addition to the gas of the call itself', async () => {
    await add({ standard: 'ERC20', address: erc20, minimum: '1' });
    const gas: number[] = [];
    const refusing: Answer = (response, method, body) => {
      const [call] = (JSON.parse(body) as { params: [{ to?: string; gas: Hex }] }).params;
      if (call.to !== undefined) gas.push(Number(call.gas));
      (call.to === undefined ? error(-32602, 'missing to') : proper())(response, method, body);
    };
    await through(answering(refusing), () => ask());
    expect(gas).toEqual([530_000]);
  });

  test('so it is where a wallet asks for stub data', async () => {
    const { contracts, chain, engine } = world();
    const stub = async () => {
      const params = [op(), contracts.entryPoint, `0x${chain.chainId.toString(16)}`, {}];
      const request = { jsonrpc: '2.0', id: 1, method: 'pm_getPaymasterStubData', params };
      return (await engine.post(`/api/v2/${chain.chainId}/${dapp.apiKey}`, request)).body;
    };
    let added: Promise<unknown> | undefined;
    const late: Answer = (response, method, body) => {
      const answer = () => proper()(response, method, body);
      if (added !== undefined || method !== 'eth_getBlockByNumber') answer();
      else void (added = add({ standard: 'ERC721', address: erc721, minimum: '2' })).finally(answer);
    };
    expect((await through(late, stub)).error).toBeUndefined();
    await expect(added).resolves.toBeDefined();
    expect(await dapp.decisions()).toEqual([]);
  });

  test('one by one from a node that refuses a call which creates a contract', async () => {
    await add({ standard: 'ERC20', address: erc20, minimum: '1' }, { name: 'A' });
    await add({ standard: 'ERC721', address: erc721, tokenId: '99', minimum: '1' }, { name: 'B' });
    await add({ standard: 'ERC721', address: OTHER, minimum: '1' }, { name: 'C' });
    await through(
      (response, method, body) =>
        (isHolding(body) && !body.includes('"to"') ? error(-32602, 'missing to') : proper())(response, method, body),
      ask,
    );
    const [decision] = await dapp.decisions();
    expect((decision!.facts as { holdings: unknown }).holdings).toEqual({
      [`ERC20:${erc20.toLowerCase()}`]: { held: String(SUPPLY) },
      [`ERC721:${erc721.toLowerCase()}:99`]: { failure: 'REVERTED' },
      [`ERC721:${OTHER}`]: { failure: 'NO_CONTRACT' },
    });
  });
});

describe('an unreadable token denies, says why, and delays no other operation', () => {
  const habits = ['Huge', 'Revert', 'RevertHuge', 'Short', 'Nothing', 'Burn', 'Loop', 'NoAddress'];
  const failures: Readonly<Record<string, string>> = {
    Huge: 'does not return exactly one number or one address',
    Revert: 'reverts, or uses more than 500,000 gas',
    RevertHuge: 'reverts, or uses more than 500,000 gas',
    Short: 'does not return exactly one number or one address',
    Nothing: 'does not return exactly one number or one address',
    Burn: 'reverts, or uses more than 500,000 gas',
    Loop: 'reverts, or uses more than 500,000 gas',
    NoAddress: 'does not return exactly one number or one address',
  };

  test('all hostile tokens at once, next to an honest one, by one request', async () => {
    for (const [habit, name] of habits.entries()) {
      const address = await deploy('HostileToken', habit);
      await add({ standard: 'ERC721', address, tokenId: '1', minimum: '1' }, { name });
    }
    await add({ standard: 'ERC20', address: OTHER, minimum: '1' }, { name: 'None' });
    await add({ standard: 'ERC20', address: erc20, minimum: '1' }, { name: 'Honest' });
    const { readings, answer } = await counting(() => ask());
    expect([codeOf(answer), readings]).toEqual(['TOKEN_HOLDING_UNREADABLE', 1]);
    expect(answer.body.result?.reason?.message).toContain(failures.Huge);
    const [decision] = await dapp.decisions();
    const steps = decision!.trace.filter(({ rule }) => rule === 'tokenHolding');
    const found = steps.map(({ evidence: { rule, failure, held } }) => [rule, failure ?? held]);
    expect(found).toEqual([
      ['Huge', 'NO_NUMBER'],
      ['Revert', 'REVERTED'],
      ['RevertHuge', 'REVERTED'],
      ['Short', 'NO_NUMBER'],
      ['Nothing', 'NO_NUMBER'],
      ['Burn', 'REVERTED'],
      ['Loop', 'REVERTED'],
      ['NoAddress', 'NO_NUMBER'],
      ['None', 'NO_CONTRACT'],
      ['Honest', String(SUPPLY)],
    ]);
  });

  test.each(firstOf(habits, 3))('%s, by itself and of a node that is asked one by one', async (name) => {
    const address = await deploy('HostileToken', habits.indexOf(name));
    await add({ standard: 'ERC721', address, tokenId: '1', minimum: '1' });
    const refusing: Answer = (response, method, body) =>
      (isHolding(body) && !body.includes('"to"') ? error(-32602, 'missing to') : proper())(response, method, body);
    for (const reason of [await reasonOf(), await through(refusing, reasonOf)]) {
      expect(reason?.code).toBe('TOKEN_HOLDING_UNREADABLE');
    }
    expect((await reasonOf())?.message).toContain(failures[name]);
  });

  test('a node that does not answer that question in time, while others are sponsored', async () => {
    await add({ standard: 'ERC20', address: erc20, minimum: '1' });
    const ofOther = await world().dapp(parseEther('1'));
    const silent: Answer = (response, method, body) => {
      if (!isHolding(body)) proper()(response, method, body);
    };
    const [denied, sponsored] = await through(silent, () => Promise.all([ask(), ofOther.sponsor(op())]));
    expect(codeOf(sponsored)).toBe('SPONSORED');
    expect(denied.body.result?.reason).toMatchObject({
      code: 'TOKEN_HOLDING_UNREADABLE',
      message: `Gasdesk could not read how much of the ERC-20 token ${erc20.toLowerCase()} the sender ${SENDER} holds, which the rule "Members" requires: the chain's node did not answer the question.`,
      hint: "Send the operation again. If this happens again, check the chain's node.",
    });
  });

  test('a chain without a node', async () => {
    const { engine } = world();
    await engine.service.call('paymasterContracts.use', { chainId: 137, version: '1.1.0', address: OTHER });
    await engine.service.call('signers.create', { chainId: 137 });
    dapp = await engine.dapp({ chainId: 137, fundingWallet: world().walletOf(dapp)! });
    await add({ standard: 'ERC20', address: erc20, minimum: '1' });
    expect(await reasonOf()).toMatchObject({
      code: 'TOKEN_HOLDING_UNREADABLE',
      hint: "Set the chain's RPC URL, or pause the rule.",
    });
  });
});

test('a denial is decided again under the policy in force, and tried, by what was read then', async () => {
  const { engine } = world();
  const { paymasterId } = dapp;
  const ruleId = await add({ standard: 'ERC721', address: erc721, minimum: '3' });
  expect(codeOf(await ask())).toBe('TOKEN_HOLDING_TOO_LOW');
  const [decision] = await dapp.decisions();
  const again = () => engine.service.call('rules.decideAgain', { decisionId: decision!.id });
  const update = (policyData: Data) =>
    engine.service.call('rules.update', { paymasterId, ruleId, update: { policyData } });
  expect((await again()).verdict).toBe('denied');
  await update({ standard: 'ERC721', address: erc721, minimum: '2' });
  expect((await again()).verdict).toBe('sponsored');
  await update({ standard: 'ERC20', address: erc20, minimum: '2' });
  expect((await again()).verdict).toBe('notRead');
});

test('a token that an attacker may buy limits nothing', async () => {
  const { paymasterId } = dapp;
  await add({ standard: 'ERC20', address: erc20, minimum: '1' });
  expect(await world().engine.service.call('policies.worstCase', { paymasterId })).toMatchObject({
    leavesRulesOut: true,
  });
});
