import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();
const TOKEN = `0x${'70'.repeat(20)}`;
const STRANGER = `0x${'71'.repeat(20)}`;
const ENTRY_POINT = entryPoints['0.6'].address;
const op = (changes: Record<string, unknown> = {}): Record<string, unknown> =>
  operation(
    { to: `0x${'11'.repeat(20)}`, data: '0x12345678' },
    { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00', ...changes },
  );
const paid = { mode: 'ERC20', tokenInfo: { feeTokenAddress: TOKEN } };

beforeAll(async () => {
  await desk().call('feeTokens.set', {
    chainId: 31337,
    address: TOKEN,
    symbol: 'USDT',
    decimals: 6,
    premium: '10',
    rate: { source: 'static', tokensPerCoin: '3000' },
  });
  const attached = { chainId: 31337, version: '1.1.0-token', address: `0x${'7a'.repeat(20)}` };
  await desk().call('paymasterContracts.use', attached);
});

let dapp: SponsoredDapp;
const setTokenMode = (tokenMode: boolean): Promise<unknown> =>
  desk().call('paymasters.setTokenMode', { paymasterId: dapp.paymasterId, tokenMode });
beforeEach(async () => {
  dapp = await desk().dapp();
  await setTokenMode(false);
});

const ask = async (method: string, params: readonly unknown[]) => {
  const request = { jsonrpc: '2.0', id: 1, method, params };
  return (await desk().engine().post(`/api/v2/31337/${dapp.apiKey}`, request)).body;
};

interface Trial {
  readonly done: number;
  readonly result: { readonly report: unknown } | null;
}

const requests: Readonly<Record<string, Parameters<typeof ask>>> = {
  'Biconomy, signed': ['pm_sponsorUserOperation', [op(), paid]],
  'Biconomy, to be estimated': ['pm_sponsorUserOperation', [op(), { ...paid, calculateGasLimits: true }]],
  'Biconomy, a quote': ['pm_getFeeQuoteOrData', [op(), paid]],
  Pimlico: ['pm_sponsorUserOperation', [op(), ENTRY_POINT, { token: TOKEN }]],
  "Pimlico's rates": ['pimlico_getTokenQuotes', [{ tokens: [TOKEN] }, ENTRY_POINT, '0x7a69']],
  'ERC-7677, a stub': ['pm_getPaymasterStubData', [op(), ENTRY_POINT, '0x7a69', { token: TOKEN }]],
  'ERC-7677': ['pm_getPaymasterData', [op(), ENTRY_POINT, '0x7a69', { token: TOKEN }]],
  Stackup: ['stackup_getERC20TokenQuotes', [{ userOp: op(), tokenAddress: TOKEN, entryPointAddress: ENTRY_POINT }]],
  Alchemy: [
    'alchemy_requestPaymasterAndData',
    [{ policyId: 'p', entryPoint: ENTRY_POINT, userOperation: op(), erc20Context: { tokenAddress: TOKEN } }],
  ],
};

describe('where the policy does not let users pay in tokens', () => {
  test.each(Object.entries(requests))(
    'nothing is signed or quoted, and the answer says why: %s',
    async (_, request) => {
      const { error, result } = await ask(...request);
      expect(result).toBeUndefined();
      expect(error).toMatchObject({ code: -32050, data: { code: 'TOKEN_MODE_OFF', rule: 'tokenMode' } });
      for (const decision of await dapp.decisions()) {
        expect(decision).toMatchObject({ outcome: 'denied', code: 'TOKEN_MODE_OFF', paymasterAndData: '0x' });
      }
    },
  );

  test('what is signed without a token is signed as before, and quotes are not its second choice', async () => {
    expect(codeOf(await dapp.sponsor(op()))).toBe('SPONSORED');
    await desk().call('paymasters.pause', { paymasterId: dapp.paymasterId });
    const { result } = await ask('pm_getFeeQuoteOrData', [op(), { tokenInfo: {} }]);
    expect(result?.reason?.code).toBe('DAPP_PAUSED');
  });

  test('no token is listed or supported', async () => {
    const listed = (await ask('pm_supportedERC20Tokens', [ENTRY_POINT])).result as unknown;
    expect(listed).toMatchObject({ tokens: [], paymasterMetadata: { address: `0x${'cc'.repeat(20)}` } });
    const unknown = { ...paid, tokenInfo: { feeTokenAddress: STRANGER } };
    expect((await ask('pm_sponsorUserOperation', [op(), unknown])).error).toMatchObject({
      code: -32057,
      data: { supported: [] },
    });
  });

  test('it is one switch: on again, the same request is signed', async () => {
    await setTokenMode(true);
    const { result } = await ask('pm_sponsorUserOperation', [op(), paid]);
    expect(result?.paymasterAndData).toMatch(/^0x7a7a/);
  });

  test('a draft that switches it off denies what was signed, and nothing else', async () => {
    await setTokenMode(true);
    await ask('pm_sponsorUserOperation', [op(), paid]);
    await dapp.sponsor(op({ nonce: 1 }));
    const { paymasterId } = dapp;
    const change = { name: 'paymasters.setTokenMode', input: { paymasterId, tokenMode: false } };
    const { trialId } = await desk().call<{ trialId: string }>('policies.try', { change });
    let seen = 0;
    let report: unknown;
    while (report === undefined) {
      const trial = await desk().call<Trial>('policies.trial', { trialId, seen });
      ({ done: seen } = trial);
      report = trial.result?.report;
    }
    expect(report).toMatchObject({
      decisions: 2,
      same: 1,
      nowDenied: 1,
      byRule: { tokenMode: expect.anything() as unknown },
    });
  });
});

test('a new DApp has it off unless it is asked for, and its policy file says which', async () => {
  const [account] = await desk().call<{ accountId: string }[]>('accounts.list', {});
  const made = { accountId: account?.accountId, type: 'HYBRID', chainId: 31337, version: '1.1.0' };
  for (const [name, given, tokenMode] of [
    ['Unasked', {}, false],
    ['Asked', { tokenMode: true }, true],
  ] as const) {
    const created = await desk().call<{ paymasterId: string }>('paymasters.create', { ...made, ...given, name });
    expect(created).toMatchObject({ tokenMode });
    const { text } = await desk().call<{ text: string }>('policies.export', { paymasterId: created.paymasterId });
    expect(text).toContain(`\ntokenMode: ${tokenMode}\n`);
    const other = text.replace(`tokenMode: ${tokenMode}`, `tokenMode: ${!tokenMode}`);
    const { changes } = await desk().call<{ changes: unknown }>('policies.apply', {
      paymasterId: created.paymasterId,
      text: other,
    });
    const [before, after] = tokenMode ? ['on', 'off'] : ['off', 'on'];
    expect(JSON.stringify(changes)).toContain(`token mode: ${before} → ${after}`);
  }
});

describe('a list of senders', () => {
  const [ALICE, BOB] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
  const add = (policyData: object): Promise<unknown> => {
    const rule = { name: 'List', policyType: 'SENDERS', policyData };
    return desk().call('rules.create', { paymasterId: dapp.paymasterId, rule });
  };
  const pay = async (sender: string): Promise<unknown> => {
    const { result, error } = await ask('pm_sponsorUserOperation', [op({ sender }), paid]);
    return result === undefined ? (error?.data as { code?: string } | undefined)?.code : 'SIGNED';
  };
  beforeEach(() => setTokenMode(true));

  test('does not apply to users who pay in a token, unless it says so', async () => {
    await add({ mode: 'ALLOW', addresses: [ALICE] });
    expect([await pay(ALICE), await pay(BOB)]).toEqual(['SIGNED', 'SIGNED']);
  });

  test.each([
    ['ALLOW', 'SIGNED', 'SENDER_NOT_ALLOWED'],
    ['DENY', 'SENDER_DENIED', 'SIGNED'],
  ])('applies to them if it says so: %s', async (mode, alice, bob) => {
    expect(await add({ mode, addresses: [ALICE], bindsTokenMode: true })).toMatchObject({
      policyData: { mode, addresses: [ALICE], bindsTokenMode: true },
    });
    expect([await pay(ALICE), await pay(BOB)]).toEqual([alice, bob]);
  });

  test('that applies to them does so only while its condition holds, and not in shadow', async () => {
    const rule = { policyType: 'SENDERS', policyData: { mode: 'DENY', addresses: [ALICE], bindsTokenMode: true } };
    const { paymasterId } = dapp;
    await desk().call('rules.create', { paymasterId, rule: { ...rule, name: 'Never', when: 'op.nonce == 7' } });
    await desk().call('rules.create', { paymasterId, rule: { ...rule, name: 'Watched', enforcement: 'shadow' } });
    expect(await pay(ALICE)).toBe('SIGNED');
    const [decision] = await dapp.decisions();
    expect(decision?.trace.filter((step) => step.rule === 'senders')).toMatchObject([
      { outcome: 'wouldDeny' },
      { outcome: 'skip' },
    ]);
  });

  test('no other rule of sponsorship applies to them', async () => {
    await add({ mode: 'ALLOW', addresses: [ALICE], bindsTokenMode: true });
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1 });
    expect([await pay(ALICE), await pay(ALICE)]).toEqual(['SIGNED', 'SIGNED']);
  });
});
