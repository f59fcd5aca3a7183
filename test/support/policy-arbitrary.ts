import fc from 'fast-check';
import { hideCredentials, needsMark } from '../../src/core/webhooks/hidden-credentials.ts';
import { stateChangingMethods } from '../../src/core/contract-abi/methods.ts';
import { abiOfLines } from '../../src/core/policy-file/abi-lines.ts';
import type { Policy, PolicyContract, PolicyRule, PolicyWebhook } from '../../src/core/policy/policy.ts';
import { ruleTypes } from '../../src/core/decision/rule-words.ts';
import { policyWith } from './facts.ts';

/** When the rules of the policies were set, epoch ms. */
const SET_AT = Date.UTC(2026, 10, 1);

/** Names as operators give them, including those that YAML could read as another type. */
const name = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    '5',
    '0x12',
    '- a',
    'a: b',
    '# no comment',
    '*all',
    '&x',
    '!y',
    '"',
    "'",
    '~',
    'a\u2028b',
    '🔑 ',
  ),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .filter((text) => text.trim() !== '' && !/[\p{Cc}\p{Cs}]/u.test(text)),
);

const address = fc.stringMatching(/^0x[0-9a-fA-F]{40}$/) as fc.Arbitrary<`0x${string}`>;

const methodLine = fc
  .tuple(
    fc.stringMatching(/^[a-z][A-Za-z]{0,8}$/),
    fc.constantFrom('', 'uint256', 'uint256 id, address[] to', '(bool a, bytes) t'),
  )
  .map(([method, inputs]) => `${method}_(${inputs})`);

const abi = fc.uniqueArray(methodLine, { maxLength: 4, selector: (line) => line.split('(')[0] }).chain((lines) => {
  const compact = abiOfLines(lines);
  return fc.constantFrom(compact, JSON.stringify(JSON.parse(compact), null, 2));
});

const contract: fc.Arbitrary<PolicyContract> = fc
  .record({ ruleId: fc.uuid(), name, address, abi, active: fc.boolean(), listed: fc.nat() })
  .map(({ listed, ...rest }) => {
    const methods = stateChangingMethods(rest.abi);
    return {
      ...rest,
      methods: methods.map(({ label }) => label),
      whitelistedMethods: methods
        .slice(0, listed % 5)
        .map(({ name: plain, signature }) => (listed % 2 ? plain : signature)),
    };
  });

const url = fc.webUrl({ withQueryParameters: true }).map((text) => text.replaceAll("'", ''));
/** As the desk stores it, with its credentials in the vault or without any. */
const keptUrl = fc.tuple(url, fc.boolean()).map(([text, hides]) => {
  const shown = hideCredentials(hides ? text.replace('//', '//user@') : text);
  return needsMark(shown) ? `${shown}#01234567` : shown;
});

const counting = fc.record({
  thresholdType: fc.constant('COUNT'),
  threshold: fc.integer({ min: 1, max: 1e9 }).map(String),
});
const paying = fc.record({
  thresholdType: fc.constantFrom('NATIVE_ASSET', 'USD'),
  threshold: fc.tuple(fc.nat(1000), fc.stringMatching(/^\d{0,17}[1-9]$/)).map(([whole, part]) => `${whole}.${part}`),
});
const cycleDuration = fc.oneof(
  fc.record({ value: fc.integer({ min: 1, max: 300 }), unit: fc.constantFrom('hour', 'day') }),
  fc.constantFrom({ value: 2, unit: 'week' }, { value: 1, unit: 'lifetime' }),
);
const limitData = fc.oneof(
  fc
    .record({
      type: fc.constantFrom('PAYMASTER', 'SMART_ACCOUNT', 'SUBJECT'),
      cycleDuration,
      amount: fc.oneof(counting, paying),
    })
    .map(({ amount, ...data }) => ({ ...data, ...amount })),
  paying.map((amount) => ({ type: 'OPERATION', ...amount })),
);

const ed25519 = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) };
/** Keys as an object, and as JSON with members that are not stored. */
const KEY_SETS = [
  { keys: [ed25519, { kty: 'RSA', kid: 'a: b', n: 'B'.repeat(342), e: 'AQAB' }] },
  JSON.stringify({ keys: [{ ...ed25519, alg: 'EdDSA', use: 'sig' }] }),
] as const;

/** Data that operators send, by kind of rule. */
const sent: Readonly<Record<string, fc.Arbitrary<object>>> = {
  PAYMASTER_SA_LIMIT: limitData,
  WEBHOOK: fc.record({ url: keptUrl, failOpen: fc.boolean() }, { requiredKeys: ['url'] }),
  SENDERS: fc.record({
    mode: fc.constantFrom('ALLOW', 'DENY'),
    addresses: fc.array(address, { minLength: 1, maxLength: 4 }),
  }),
  CONDITION: fc.record({
    expression: fc.constantFrom('op.nonce < 5', 'context.tier == "gold"', 'size(calls) == 1'),
    message: fc.constantFrom('Not now.', '5', 'null'),
  }),
  TOKEN_HOLDING: fc.record({
    standard: fc.constantFrom('ERC20', 'ERC721'),
    address,
    minimum: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }).map(String),
  }),
  IDENTITY: fc.oneof(
    fc.record({ source: fc.constant('VOUCHER'), signer: address }),
    fc.record({
      source: fc.constant('OIDC'),
      issuer: url,
      audience: name,
      claim: name,
      jwksUrl: fc.constant('https://login.example/keys'),
    }),
    fc.record(
      {
        source: fc.constant('OIDC'),
        issuer: name,
        audience: name,
        claim: name,
        senderClaim: name,
        jwks: fc.constantFrom(...KEY_SETS),
      },
      { requiredKeys: ['source', 'issuer', 'audience', 'claim', 'jwks'] },
    ),
  ),
  WALLET_DEPLOYMENT: fc.record({ factories: fc.array(address, { maxLength: 3 }) }, { requiredKeys: [] }),
};

const sentBy = (policyType: string): fc.Arbitrary<object> => {
  const data = sent[policyType];
  if (data === undefined)
    throw new Error(`No policy of a test has a rule of the type ${policyType}: add its data here`);
  return data;
};

const binding = fc
  .record(
    { activeFrom: fc.nat(), spanMs: fc.integer({ min: 1, max: 1e9 }), enforcement: fc.constant('shadow' as const) },
    { requiredKeys: [] },
  )
  .map(({ spanMs, ...rest }) => ({
    ...rest,
    ...(spanMs !== undefined && { activeUntil: (rest.activeFrom ?? 0) + spanMs }),
  }));

const unbound = fc
  .constantFrom(...ruleTypes)
  .chain(({ setup }) =>
    fc.record({
      ruleId: fc.uuid(),
      name,
      policyType: fc.constant(setup.policyType),
      active: fc.boolean(),
      cycle: fc.nat(9),
      policyData: sentBy(setup.policyType).map(
        (data): unknown =>
          JSON.parse(JSON.stringify(setup.keep(data, { now: SET_AT, keepUrl: (kept) => kept }))) as unknown,
      ),
    }),
  );

const rule: fc.Arbitrary<PolicyRule> = fc.tuple(unbound, binding).map(([one, when]) => ({ ...one, ...when }));

const webhook: fc.Arbitrary<PolicyWebhook> = fc.record({
  webhookId: fc.uuid(),
  webhookUrl: keptUrl,
  requestType: fc.constantFrom('GET', 'POST'),
  active: fc.boolean(),
});

const lists = fc.record({
  contracts: fc.uniqueArray(contract, { maxLength: 3, selector: (one) => one.name, comparator: 'IsStrictlyEqual' }),
  rules: fc.uniqueArray(rule, { maxLength: 5, selector: (one) => one.name }),
  webhooks: fc.array(webhook, { maxLength: 3 }),
  lowBalanceThresholdWei: fc.option(fc.bigInt({ min: 0n, max: 10n ** 24n }).map(String)),
});

const dapp = fc.record({
  allowedOrigins: fc.array(
    fc.constantFrom('*', 'https://app.example', 'chrome-extension://abc', 'http://localhost:3000'),
    { maxLength: 3 },
  ),
  maxExpirySeconds: fc.integer({ min: 300, max: 86_400 }),
  tokenMode: fc.boolean(),
});

/** Any policy that an operator can set up. */
export const anyPolicy: fc.Arbitrary<Policy> = fc
  .tuple(lists, dapp)
  .map(([changes, settings]) => policyWith({ ...changes, dapp: { ...policyWith().dapp, ...settings } }));
