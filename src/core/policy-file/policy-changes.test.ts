import fc from 'fast-check';
import { expect, test } from 'vitest';
import { policyWith } from '../../../test/support/facts.ts';
import { anyPolicy } from '../../../test/support/policy-arbitrary.ts';
import { breaker, hook, inWei, items, limit, rule } from '../../../test/support/situations.ts';
import { type Policy, policyHash } from '../policy/policy.ts';
import { policyChanges } from './policy-changes.ts';

const signs = { added: '+', changed: '~', removed: '-' };
const lines = (before: Partial<Policy>, after: Partial<Policy>): string[] =>
  policyChanges(policyWith(before), policyWith(after)).map(({ change, text }) => `${signs[change]} ${text}`);

const perUser = limit({ type: 'SMART_ACCOUNT' }, 'Per user');
const { dapp, chain } = policyWith();
const bounded: Policy['chain'] = { ...chain!, ...breaker(10n ** 18n).settings };

test.each<[string, Partial<Policy>, Partial<Policy>, string]>([
  [
    'a rule',
    {},
    { rules: [perUser] },
    '+ spending limit "Per user": Each user may have 5 operations sponsored per day.',
  ],
  [
    'a limit',
    { rules: [perUser] },
    { rules: [{ ...limit({ type: 'SMART_ACCOUNT', ...inWei(10n ** 17n) }, 'Per user'), cycle: 1 }] },
    '~ spending limit "Per user": Each user may have gas for 0.1 ETH sponsored per day. Before: Each user may have 5 operations sponsored per day.',
  ],
  [
    'what a limit does, when it applies and whether it is paused',
    { rules: [perUser] },
    {
      rules: [
        {
          ...limit({ type: 'SMART_ACCOUNT', ...inWei(10n ** 17n) }, 'Per user'),
          cycle: 1,
          when: 'op.deploys',
          active: false,
        },
      ],
    },
    '~ spending limit "Per user": paused; Each user may have gas for 0.1 ETH sponsored per day. Before: Each user may have 5 operations sponsored per day. Applies always. → Applies when op.deploys.',
  ],
  [
    'a limit that is the same',
    { rules: [perUser] },
    { rules: [{ ...perUser, cycle: 1 }] },
    '~ spending limit "Per user": restarted',
  ],
  [
    'a pause of a rule',
    { rules: [perUser] },
    { rules: [{ ...perUser, active: false }] },
    '~ spending limit "Per user": paused',
  ],
  [
    'a rule of a newer Gasdesk',
    { rules: [rule('Tomorrow', 'TOMORROW')] },
    {},
    '- TOMORROW "Tomorrow": a type that this Gasdesk does not know.',
  ],
  [
    'the order of rules',
    { rules: [perUser, limit()] },
    { rules: [limit(), perUser] },
    '~ order of rules: spending limit "Five a day", spending limit "Per user"',
  ],
  [
    'a contract',
    {},
    { contracts: [items()] },
    '+ contract Items: methods mint(uint256) on 0x1717171717171717171717171717171717171717',
  ],
  [
    'methods',
    { contracts: [items()] },
    { contracts: [items({ whitelistedMethods: ['mint', 'burn'] })] },
    '~ contract Items: methods mint(uint256) → mint, burn',
  ],
  ['an ABI', { contracts: [items()] }, { contracts: [items({ abi: '[]' })] }, '~ contract Items: another ABI'],
  ['a webhook', { webhooks: [hook] }, {}, '- webhook POST https://hooks.example/ask: It must verify each operation.'],
  [
    'low balance',
    {},
    { lowBalanceThresholdWei: '500000000000000000' },
    '~ low balance: the cost of twenty operations → 0.5 ETH',
  ],
  ['origins', {}, { dapp: { ...dapp, allowedOrigins: ['*'] } }, '~ allowed origins: none → *'],
  ['the breaker', {}, { chain: bounded }, '~ burn-rate breaker: none → 1 ETH per 1 hour'],
  ['a pause', {}, { pause: { since: 1, reason: 'Keys' } }, '~ pause: none → all sponsorship (Keys)'],
  ['the signer', {}, { signer: null }, `~ signer: ${policyWith().signer!} → none`],
])('%s is shown by its name', (_, before, after, line) => {
  expect(lines(before, after)).toEqual([line]);
});

test('every difference between two policies is listed, and equal policies have none', () => {
  fc.assert(
    fc.property(anyPolicy, anyPolicy, (before, after) => {
      expect(policyChanges(before, before)).toEqual([]);
      expect(policyChanges(before, after).length > 0).toBe(policyHash(before) !== policyHash(after));
    }),
  );
});
