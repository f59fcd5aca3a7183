import type { Facts, VerifiedSubject } from '../../src/core/facts/facts.ts';
import type { PolicyContract, PolicyRule, PolicyWebhook } from '../../src/core/policy/policy.ts';
import type { SpendingLimit } from '../../src/core/rules/spending-limit/index.ts';
import type { WebhookResponse } from '../../src/core/webhooks/webhook-response.ts';
import { weiToDecimal } from '../../src/shared/schema/decimal.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { ZERO_ADDRESS, encodeFunction } from './account-call-data.ts';
import { GWEI, factsWith } from './facts.ts';
import type { Situation } from './situation.ts';

/** Maximum cost of the builders' operation, wei: 100,000 + 3 * 50,000 + 50,000 gas, and 12,000 of overhead. */
export const COST = 312_000n * GWEI;
/** Balance of the builders' gas tank, wei. */
export const COIN = 10n ** 18n;
/** Time of the builders' decision, epoch ms. */
export const NOW = factsWith().at;
export const HOUR_MS = 3_600_000;

export const ITEMS: Address = `0x${'17'.repeat(20)}`;
const FACTORY_ADDRESS: Address = `0x${'fa'.repeat(20)}`;
export const factoryCalled = (data: Hex): Hex => `${FACTORY_ADDRESS}${data.slice(2)}`;
/** `initCode` of a factory for accounts of a known kind. */
export const FACTORY = factoryCalled(
  encodeFunction('createAccount(address,uint256)', ['address', 'uint256'], [FACTORY_ADDRESS, 0n]),
);
/** `initCode` of a Safe whose setup runs `to` with delegatecall. */
export const safeCreated = (to: Address, data: Hex): Hex => {
  const types = ['address[]', 'uint256', 'address', 'bytes', 'address', 'address', 'uint256', 'address'];
  const values = [[FACTORY_ADDRESS], 1n, to, data, FACTORY_ADDRESS, ZERO_ADDRESS, 0n, ZERO_ADDRESS];
  const setup = encodeFunction(`setup(${types.join(',')})`, types, values);
  const create = 'createProxyWithNonce(address,bytes,uint256)';
  return factoryCalled(encodeFunction(create, ['address', 'bytes', 'uint256'], [FACTORY_ADDRESS, setup, 0n]));
};

export const call = (name: string): Hex => encodeFunction(`${name}(uint256)`, ['uint256'], [1n]);

/** The registered contract with the methods mint and burn, of which mint is sponsored. */
export const items = (changes: Partial<PolicyContract> = {}): PolicyContract => ({
  ruleId: 'rule-1',
  name: 'Items',
  address: ITEMS,
  active: true,
  abi: JSON.stringify(
    ['mint', 'burn'].map((name) => ({
      type: 'function',
      name,
      stateMutability: 'nonpayable',
      inputs: [{ type: 'uint256' }],
      outputs: [],
    })),
  ),
  methods: ['mint(uint256)', 'burn(uint256)'],
  whitelistedMethods: ['mint(uint256)'],
  ...changes,
});

/** A rule of a policy, named by its id. */
export const rule = (ruleId: string, policyType: string, policyData: unknown = {}, active = true): PolicyRule => ({
  ruleId,
  name: ruleId,
  policyType,
  policyData,
  active,
  cycle: 0,
});

/** The operation makes its account, of a DApp that says what it sponsors. */
export const deploying = (
  rules: PolicyRule[],
  { contracts = [items()], initCode = FACTORY }: { contracts?: PolicyContract[]; initCode?: Hex } = {},
): Situation => ({
  facts: { account: { hasCode: false, nextNonce: '0' } },
  policy: { rules, contracts },
  op: { initCode },
});

/** The same by that `initCode`, where deployments are allowed, and some factories trusted. */
export const makingBy = (initCode: Hex, factories: Address[] = []): Situation =>
  deploying(
    [
      rule('New wallets', 'WALLET_DEPLOYMENT', {
        operator: 'walletDeployment',
        ...(factories.length > 0 && { factories }),
      }),
    ],
    { initCode },
  );

/** A limit of five operations a day, of which one hour is past. */
export const limit = (changes: Partial<SpendingLimit> = {}, ruleId = 'Five a day'): PolicyRule =>
  rule(ruleId, 'PAYMASTER_SA_LIMIT', {
    type: 'PAYMASTER',
    thresholdType: 'COUNT',
    threshold: '5',
    cycleDuration: { value: 1, unit: 'day' },
    startTimeInEpoch: NOW - HOUR_MS,
    durationInMs: 24 * HOUR_MS,
    ...changes,
  });

export const inWei = (wei: bigint): Partial<SpendingLimit> => ({
  thresholdType: 'NATIVE_ASSET',
  threshold: weiToDecimal(wei),
});

/** No node answers, and the operator's budget allows two operations meanwhile. */
export const unreachable: Situation = { facts: { chain: null }, settings: { unreachableBudgetWei: String(2n * COST) } };

export const breaker = (amountWei: bigint): Situation => ({
  settings: { breaker: { amountWei: String(amountWei), seconds: 3600 } },
});

export const shared = (by: Partial<Facts['shared']>): Situation => ({
  facts: { shared: { ...factsWith().shared, ...by } },
});

/**
 * Maximum charge of {@link paying}: 300,000 gas of the operation and 45,000 of the token transfer, at 3000 tokens a
 * coin.
 */
export const MAX_UNITS = 1_035_000n;
/** A fee token and a user who has twice the operation's maximum cost. */
export const usdc = {
  address: `0x${'dc'.repeat(20)}`,
  symbol: 'USDC',
  decimals: 6,
  premium: '0',
  preFund: false,
  treasury: `0x${'7e'.repeat(20)}`,
  exchangeRate: '3000000000',
  transferGas: { prefund: '0', afterwards: '0' },
  isTaken: true,
  holdings: { allowance: String(2n * MAX_UNITS), balance: String(2n * MAX_UNITS) },
} satisfies Facts['token'];

/** The user pays in a token, through Biconomy's contract for it. */
export const paying = (
  token: Partial<NonNullable<Facts['token']>> = {},
  version = '1.1.0-token',
): Required<Pick<Situation, 'facts'>> => {
  const { fundingWallet: _none, ...contract } = factsWith().contract;
  return { facts: { contract: { ...contract, version }, token: { ...usdc, ...token } } };
};

export const hook: PolicyWebhook = {
  webhookId: 'hook-1',
  webhookUrl: 'https://hooks.example/ask',
  requestType: 'POST',
  active: true,
};

const VERIFIED = '{"arePoliciesVerified": true}';

export const responseWith = (
  changes: Partial<WebhookResponse> = {},
  { response = VERIFIED, status = 200, webhookId = hook.webhookId } = {},
): WebhookResponse => {
  const request = { headers: { 'content-type': 'application/json' }, body: '{}' };
  const exchange = { webhookId, url: hook.webhookUrl, method: 'POST', request, status, response } as const;
  return { call: exchange, host: 'hooks.example', failOpen: false, headers: {}, micros: 700, ...changes };
};

export const withResponse = (response: WebhookResponse): Situation => ({
  policy: { webhooks: [hook] },
  facts: { webhooks: [response] },
});

/** In 10^-18 US dollars. */
export const inUsd = (units: bigint): Partial<SpendingLimit> => ({ ...inWei(units), thresholdType: 'USD' });
/** A coin is worth 3 dollars. */
export const PRICED: Situation = { facts: { price: { usd: '3', source: 'static' } } };
export const LIFETIME = { cycleDuration: { value: 1, unit: 'lifetime' }, durationInMs: undefined } as const;
export const EACH = { type: 'OPERATION', cycleDuration: undefined, durationInMs: undefined } as const;

/** The address that signs vouchers. */
export const VOUCHERS: Address = `0x${'0c'.repeat(20)}`;
/** The keyed hash of a person. */
export const PERSON = 'ad'.repeat(32);
/** A rule that requires a voucher. */
export const people = (changes: Partial<PolicyRule> = {}): PolicyRule => ({
  ...rule('People', 'IDENTITY', { source: 'VOUCHER', signer: VOUCHERS }),
  ...changes,
});
/** What Gasdesk found about the voucher; by default, that it is a person's. */
export const vouched = (
  found: VerifiedSubject = { source: 'VOUCHER', id: PERSON, expiresAt: NOW / 1000 + 172_800 },
): Required<Pick<Situation, 'facts'>> => ({ facts: { subjects: { [`VOUCHER:${VOUCHERS}`]: found } } });
