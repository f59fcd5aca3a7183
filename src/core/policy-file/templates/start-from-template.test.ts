import { describe, expect, test } from 'vitest';
import { encodeExecute } from '../../../../test/support/account-call-data.ts';
import { factsWith, policyWith } from '../../../../test/support/facts.ts';
import { ITEMS, NOW, VOUCHERS, call, vouched } from '../../../../test/support/situations.ts';
import type { Address } from '../../../shared/schema/hex.ts';
import { decideVerified } from '../../decision/decide-verified.ts';
import { planOperation } from '../../decision/decide.ts';
import type { Facts } from '../../facts/facts.ts';
import { accountText } from '../../ledger/account.ts';
import { holdingKey } from '../../rules/token-holding.ts';
import { draftPolicy } from '../draft-policy.ts';
import { parsePolicyFile } from '../parse-file.ts';
import { policyFileText } from '../write-file.ts';
import { templates } from './registry.ts';
import { startFromTemplate } from './start-from-template.ts';
import type { TypedValues } from '../../rules/field.ts';
import { type Template, defaultValues } from './template.ts';

const EMPTY = policyFileText(policyWith());
const GAME = `# Reviewed by the game's team.
version: 1
contracts:
  - name: Items
    address: "${ITEMS}"
    methods: [mint, burn] # both, for now
    active: false
    abi: [mint(uint256 amount), burn(uint256 id)]
  - {name: Shop, address: "0x${'27'.repeat(20)}", methods: [buy], abi: [buy(uint256 amount)]}
rules: []
webhooks: []
allowedOrigins: []
tests: # They stay.
  - {name: minting, operation: {calls: [{to: Items, method: mint, args: [1]}]}, expect: sponsored}
`;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PRICE: Facts['price'] = { usd: '3000', source: 'static' };
const NFT = `0x${'0f'.repeat(20)}`;
const [ANN, BOB, EVE]: Address[] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`, `0x${'ee'.repeat(20)}`];

const templateOf = (name: string): Template => templates.find((one) => one.name === name)!;

const start = (name: string, typed: TypedValues = {}, text = EMPTY) =>
  startFromTemplate(text, templateOf(name), { ...defaultValues(templateOf(name)), ...typed }, 'ETH', NOW);

const started = (...of: Parameters<typeof start>) => {
  const result = start(...of);
  if ('errors' in result) throw new Error(JSON.stringify(result.errors));
  return result;
};

interface TestOperation extends Partial<Pick<Facts, 'at' | 'context' | 'price' | 'holdings' | 'subjects'>> {
  readonly sender?: Address;
  readonly method?: string;
  readonly to?: Address;
}

/** Decides operations one after the other by a policy file, and counts what it signs. */
const deskWith = (text: string) => {
  const policy = draftPolicy(parsePolicyFile(text), policyWith(), { now: NOW, newId: (name) => name });
  const used = new Map<string, bigint>();
  return ({ sender = ANN!, method, to = ITEMS, ...asked }: TestOperation = {}): string => {
    const op = { sender, ...(method !== undefined && { callData: encodeExecute(to, 0n, call(method)) }) };
    const facts = factsWith({ price: PRICE, ...asked, op });
    const planned = planOperation(facts, policy);
    const { reservations } = planned;
    const usedOf = (key: string): bigint => (key.startsWith('limit') ? (used.get(key) ?? 0n) : 0n);
    const keys = reservations.map(({ account }) => accountText(account));
    const { reason } = decideVerified(planned, policy, keys.map(usedOf));
    if (reason !== undefined) return reason.code;
    for (const [index, key] of keys.entries()) used.set(key, (used.get(key) ?? 0n) + reservations[index]!.amount);
    return 'SPONSORED';
  };
};

const SUMMER = { name: 'Summer', id: 'summer "26"', budget: '3', currency: 'USD' };
const summer = { policyId: SUMMER.id };

test('people: three operations a month for each person, whatever their accounts', () => {
  const ask = deskWith(started('people', { signer: VOUCHERS }).text);
  const { subjects } = vouched().facts;
  expect([ANN, BOB, EVE, ANN].map((sender) => ask({ sender: sender!, subjects }))).toEqual([
    ...Array(3).fill('SPONSORED'),
    'LIMIT_REACHED',
  ]);
  const other = vouched({ source: 'VOUCHER', id: 'be'.repeat(32), expiresAt: NOW / 1000 + 1 }).facts;
  expect(ask(other)).toBe('SPONSORED');
  expect(ask(vouched({ failure: 'MISSING' }).facts)).toBe('SUBJECT_MISSING');
  expect(start('people', { signer: VOUCHERS, days: '400' })).toMatchObject({ errors: [{ field: 'days' }] });
});

describe('campaign', () => {
  test.each<[what: string, context: Record<string, unknown>, code: string]>([
    ['policyId', summer, 'SPONSORED'],
    ['sponsorshipPolicyId', { sponsorshipPolicyId: SUMMER.id }, 'SPONSORED'],
    ['both, of which one is another', { policyId: 'other', sponsorshipPolicyId: SUMMER.id }, 'SPONSORED'],
    ['a list', { policyId: ['other', SUMMER.id] }, 'SPONSORED'],
    ['a list of others', { policyId: ['other'] }, 'CONDITION_NOT_MET'],
    ['another id', { policyId: 'summer' }, 'CONDITION_NOT_MET'],
    ['the id in webhookData', { webhookData: { policyId: SUMMER.id } }, 'SPONSORED'],
    ['nothing', {}, 'CONDITION_NOT_MET'],
  ])('alone: %s', (_, context, code) => {
    expect(deskWith(started('campaign', SUMMER).text)({ context })).toBe(code);
  });

  test('its budget counts what names it, and nothing else', () => {
    // An operation costs at most 0.000312 ETH, which is 0.936 dollars, so three operations fit into three dollars.
    const ask = deskWith(started('campaign', { ...SUMMER, only: 'no' }).text);
    const users = [ANN, BOB, EVE] as const;
    expect(users.map((sender) => ask({ sender: sender!, context: summer }))).toEqual(Array(3).fill('SPONSORED'));
    expect(ask({ context: { sponsorshipPolicyId: SUMMER.id } })).toBe('LIMIT_REACHED');
    expect(ask({ context: summer, at: NOW + 400 * DAY })).toBe('LIMIT_REACHED');
    expect(ask()).toBe('SPONSORED');
    expect(ask({ context: { policyId: 'other' } })).toBe('SPONSORED');
  });

  test('in dollars it denies without a price, in the coin it needs none', () => {
    const dollars = started('campaign', SUMMER);
    const coins = started('campaign', { ...SUMMER, currency: 'NATIVE_ASSET', budget: '0.0005' });
    expect([dollars.needsPrice, coins.needsPrice]).toEqual([true, false]);
    const unknown = { context: summer, price: { usd: null, error: 'the chain has no price' } };
    expect(deskWith(dollars.text)(unknown)).toBe('PRICE_UNKNOWN');
    const ask = deskWith(coins.text);
    expect([ask(unknown), ask(unknown)]).toEqual(['SPONSORED', 'LIMIT_REACHED']);
  });

  test('each user has an allowance of operations and of gas', () => {
    const ask = deskWith(started('campaign', { ...SUMMER, budget: '100', operationsPerUser: '2' }).text);
    expect([1, 2, 3].map(() => ask({ context: summer }))).toEqual(['SPONSORED', 'SPONSORED', 'LIMIT_REACHED']);
    expect(ask({ context: summer, sender: BOB! })).toBe('SPONSORED');
    const byGas = deskWith(started('campaign', { ...SUMMER, budget: '100', amountPerUser: '1' }).text);
    expect([1, 2].map(() => byGas({ context: summer }))).toEqual(['SPONSORED', 'LIMIT_REACHED']);
  });

  test('before and after its dates it is denied, and never sponsored without its budget', () => {
    const times = { from: '2026-11-23', until: '2026-11-25T12:00+02:00' };
    const ask = deskWith(started('campaign', { ...SUMMER, ...times, budget: '100', only: 'no' }).text);
    const [from, until] = [Date.UTC(2026, 10, 23), Date.UTC(2026, 10, 25, 10)];
    const at = (when: number) => ask({ at: when, context: summer });
    expect([at(from - 1), at(from), at(until - 1), at(until)]).toEqual(
      ['CONDITION_NOT_MET', 'SPONSORED', 'SPONSORED', 'CONDITION_NOT_MET'], //
    );
    expect(ask({ at: until })).toBe('SPONSORED');
  });

  test('says what it does by the sentences of its rules', () => {
    const binds = `Applies only to operations with the id "${SUMMER.id}".`;
    const { does } = started('campaign', { ...SUMMER, operationsPerUser: '2', until: '2026-12-01' });
    expect(does.map(({ name }) => name)).toEqual(
      ['Summer: dates', 'Summer: budget', 'Summer: operations per user', 'Summer: no others'], //
    );
    expect(does[0]!.sentence).toContain('The campaign "Summer" runs until 2026-12-01 00:00 UTC.');
    expect(does[1]!.sentence).toBe(`All users together may have gas for $3 sponsored in total. ${binds}`);
    expect(does[2]!.sentence).toBe(`Each user may have 2 operations sponsored in total. ${binds}`);
  });

  test('a second one has names of its own; one that could never be sponsored is refused', () => {
    const once = started('campaign', SUMMER).text;
    expect(started('campaign', SUMMER, once).does.map(({ name }) => name)).toEqual(
      ['Summer: budget 2', 'Summer: no others 2'], //
    );
    expect(start('campaign', { ...SUMMER, id: 'winter' }, once)).toEqual({
      errors: [{ field: 'id', message: expect.stringContaining('the rule "Summer: no others" sponsors only "summer') }],
    });
    const open = started('campaign', { ...SUMMER, only: 'no' }).text;
    expect(start('campaign', { ...SUMMER, id: 'winter' }, open)).toHaveProperty('text');
  });

  test('operations without the id are mentioned, if others are not refused', () => {
    const values = { ...defaultValues(templateOf('campaign')), ...SUMMER };
    const leaves = (typed: TypedValues) => templateOf('campaign').leaves(typed);
    expect(leaves({ ...values, only: 'no' })[0]).toContain(
      'Only your other rules and the gas tank limit anyone who leaves out the id',
    );
    expect(leaves(values)[0]).toContain('operations without its id are denied');
  });
});

describe('onboarding', () => {
  test('five operations of each user, each within its cost, until the budget is spent', () => {
    const { text, does, needsPrice } = started('onboarding', { perOperation: '1', budget: '7' });
    expect(needsPrice).toBe(true);
    expect(does.map(({ sentence }) => sentence)).toEqual([
      'Each user may have 5 operations sponsored in total.',
      'Each operation may cost at most $1.',
      'All users together may have gas for $7 sponsored in total.',
    ]);
    const ask = deskWith(text);
    const six = Array.from({ length: 6 }, () => ask());
    expect(six).toEqual([...Array<string>(5).fill('SPONSORED'), 'LIMIT_REACHED']);
    expect(ask({ at: NOW + 400 * DAY })).toBe('LIMIT_REACHED');
    // New accounts are free. Only the budget, of which 4.68 dollars are used, stops them.
    expect([BOB, EVE, `0x${'c0'.repeat(20)}` as const].map((sender) => ask({ sender: sender! }))).toEqual(
      ['SPONSORED', 'SPONSORED', 'LIMIT_REACHED'], //
    );
  });

  test('as it is offered: 5 operations, 0.50 dollars each, 500 in all', () => {
    const { text, does } = started('onboarding');
    expect(does.map(({ sentence }) => sentence).join(' ')).toMatch(/5 operations .* at most \$0\.50\. .* \$500 /);
    expect(deskWith(text)()).toBe('LIMIT_TOO_SMALL');
    expect(deskWith(text)({ price: { usd: '1000', source: 'static' } })).toBe('SPONSORED');
  });
});

describe('one contract, one method', () => {
  test('that call alone is sponsored; comments and tests stay', () => {
    const { text, does } = started('one-method', { contract: 'Items', method: 'mint' }, GAME);
    const ask = deskWith(text);
    expect(ask({ method: 'mint' })).toBe('SPONSORED');
    expect(ask({ method: 'burn' })).toBe('METHOD_NOT_WHITELISTED');
    expect(ask({ method: 'buy', to: `0x${'27'.repeat(20)}` })).toBe('CONTRACT_PAUSED');
    expect(ask({ method: 'mint', to: `0x${'37'.repeat(20)}` })).toBe('CONTRACT_NOT_REGISTERED');
    expect(does.map(({ sentence }) => sentence)).toEqual([
      'Only mint on Items is sponsored.',
      'Shop is paused: calls to it are denied.',
    ]);
    expect(text).toContain("# Reviewed by the game's team.\n");
    expect(text).toContain('methods: [mint] # both, for now\n');
    expect(text).toContain('# They stay.\n  - {name: minting');
    expect(parsePolicyFile(text).contracts.find(({ name }) => name === 'Shop')?.methods).toEqual(['buy']);
  });

  test.each([
    [{ contract: 'Nothing', method: 'mint' }, 'contract', 'must be a registered contract: Items, Shop'],
    [{ contract: 'Items', method: 'steal' }, 'method', 'must be a method of Items: mint, burn'],
    [{}, 'contract', 'must be given'],
  ])('%j is refused', (typed, field, message) => {
    const { errors } = start('one-method', typed, GAME) as { errors: readonly object[] };
    expect(errors[0]).toEqual({ field, message });
  });
});

describe('members of an NFT', () => {
  test('who holds one is sponsored, within the budget', () => {
    const { text, does } = started('nft-members', { collection: NFT.toUpperCase().replace('0X', '0x'), budget: '1' });
    expect(does[0]!.sentence).toBe(`Sponsored only if the sender holds at least 1 NFT of ${NFT} (ERC-721).`);
    const ask = deskWith(text);
    const key = holdingKey({ standard: 'ERC721', address: NFT as Address });
    const holding = (held: string) => ({ holdings: { [key]: { held } } });
    expect(ask(holding('0'))).toBe('TOKEN_HOLDING_TOO_LOW');
    expect(ask()).toBe('TOKEN_HOLDING_NOT_READ');
    expect([ask(holding('1')), ask(holding('1'))]).toEqual(['SPONSORED', 'LIMIT_REACHED']);
    expect(started('nft-members', { collection: NFT }).does).toHaveLength(1);
  });
});

describe('weekend', () => {
  // The weekend runs from Saturday to the end of Sunday.
  const [saturday, monday] = [Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 23)];
  test.each([
    [saturday - 1, 'CONDITION_NOT_MET', 'SPONSORED'],
    [saturday, 'SPONSORED', 'CONDITION_NOT_MET'],
    [monday - 1, 'SPONSORED', 'CONDITION_NOT_MET'],
    [monday, 'CONDITION_NOT_MET', 'SPONSORED'],
  ])('at %d', (at, on, off) => {
    expect(deskWith(started('weekend').text)({ at })).toBe(on);
    expect(deskWith(started('weekend', { sponsored: 'off' }).text)({ at })).toBe(off);
  });

  test('says UTC, and shows the user the given message', () => {
    expect(started('weekend').does[0]!.sentence).toMatch(
      /Otherwise: "Sponsored only on Saturdays and Sundays \(UTC\)\."$/,
    );
    expect(started('weekend', { message: 'See you on Saturday.' }).does[0]!.sentence).toContain(
      '"See you on Saturday."',
    );
  });
});

test.each<[string, string, string, string]>([
  ['campaign', 'budget', '', 'must be given'],
  ['campaign', 'budget', '0', 'must be a positive amount such as 0.5, below 10^15 and with at most 18 decimals'],
  [
    'campaign',
    'budget',
    '1.0000000000000000001',
    'must be a positive amount such as 0.5, below 10^15 and with at most 18 decimals',
  ],
  ['campaign', 'currency', 'EUR', 'must be one of: USD, NATIVE_ASSET'],
  ['campaign', 'operationsPerUser', '1.5', 'must be a whole number of at least 1'],
  [
    'campaign',
    'from',
    '2026-12-24T18:00',
    'must be a date such as 2026-12-24, or a time with its zone such as 2026-12-24T18:00Z',
  ],
  [
    'campaign',
    'until',
    '2026-13-24',
    'must be a date such as 2026-12-24, or a time with its zone such as 2026-12-24T18:00Z',
  ],
  [
    'campaign',
    'until',
    '2027-02-30',
    'must be a date such as 2026-12-24, or a time with its zone such as 2026-12-24T18:00Z',
  ],
  ['campaign', 'only', 'perhaps', 'must be yes or no'],
  ['campaign', 'id', 'a\nb', 'must have at most 200 characters, and no control characters'],
  ['campaign', 'name', 'x'.repeat(61), 'must have at most 60 characters'],
  ['nft-members', 'collection', '0x12', 'must be an address: 0x and 40 hex digits'],
])('%s refuses the %s "%s"', (name, field, text, message) => {
  const right = name === 'campaign' ? SUMMER : { collection: NFT };
  expect(start(name, { ...right, [field]: text })).toEqual({ errors: [{ field, message }] });
});

test('an end before the start is refused', () => {
  expect(start('campaign', { ...SUMMER, from: '2026-12-02', until: '2026-12-02' })).toEqual({
    errors: [{ field: 'until', message: 'must be after the start' }],
  });
});

test('an end in the past is refused, because every operation of the campaign would be denied', () => {
  const past =
    'ends the campaign at 2026-11-22 12:00 UTC, which is in the past. Choose a later time, or leave it empty';
  const ending = (until: string) => start('campaign', { ...SUMMER, until });
  expect(ending('2026-11-22T12:00Z')).toEqual({ errors: [{ field: 'until', message: past }] });
  expect(ending('2026-11-22T12:01Z')).not.toHaveProperty('errors');
});

test.each(templates)('$name is explained, and says what it leaves open', (template) => {
  const { purpose, fields } = template;
  expect(purpose).toMatch(/^[A-Z].*\.$/);
  const sentences = template.leaves(Object.fromEntries(Object.keys(fields).map((field) => [field, ''])));
  expect(sentences.length).toBeGreaterThan(0);
  for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/);
});
