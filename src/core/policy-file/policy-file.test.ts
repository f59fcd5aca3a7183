import { describe, expect, test } from 'vitest';
import { policyWith } from '../../../test/support/facts.ts';
import { hook, items, limit, rule } from '../../../test/support/situations.ts';
import { abiOfLines } from './abi-lines.ts';
import { draftPolicy } from './draft-policy.ts';
import { parsePolicyFile } from './parse-file.ts';
import { policyFileText } from './write-file.ts';

const LATER = Date.UTC(2026, 10, 23);
const drafting = { now: LATER, newId: (name: string) => `new:${name}` };

const game = policyWith({
  contracts: [
    items({ abi: abiOfLines(['mint(uint256 amount)', 'burn(uint256 id) payable']) }),
    items({ ruleId: 'c2', name: 'Shop', address: `0x${'2b'.repeat(20)}`, active: false }),
  ],
  rules: [
    limit({}, 'Per user'),
    rule('Hook', 'WEBHOOK', { url: 'https://[secret]@hooks.example/rule', failOpen: true }),
    rule('New wallets', 'WALLET_DEPLOYMENT', { operator: 'walletDeployment' }, false),
  ],
  webhooks: [hook, { ...hook, webhookId: 'hook-2', webhookUrl: 'https://[secret]@other.example/' }],
  lowBalanceThresholdWei: '500000000000000000',
});
const exported = policyFileText(game);
const applied = (text: string) => draftPolicy(parsePolicyFile(text), game, drafting);

test('an export is text that a person reads, and shows no credentials', () => {
  expect(exported).toBe(`# The policy of Game. Apply it with "gasdesk policy apply".

version: 1

contracts:
  - name: Items
    address: "0x1717171717171717171717171717171717171717"
    methods:
      - mint(uint256)
    abi:
      - mint(uint256 amount)
      - burn(uint256 id) payable
  - name: Shop
    address: "0x2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b"
    methods:
      - mint(uint256)
    active: false
    abi: '${items().abi}'

rules:
  - name: Per user
    type: PAYMASTER_SA_LIMIT
    data:
      type: PAYMASTER
      cycleDuration:
        value: 1
        unit: day
      threshold: "5"
      thresholdType: COUNT
  - name: Hook
    type: WEBHOOK
    data:
      url: https://hooks.example/rule
      failOpen: true
  - name: New wallets
    type: WALLET_DEPLOYMENT
    active: false
    data: {}

webhooks:
  - url: https://hooks.example/ask
    method: POST
  - url: https://other.example/
    method: POST

lowBalance: "0.5"

allowedOrigins: []

tokenMode: true

maxExpirySeconds: 3600
`);
});

describe('a file that is applied', () => {
  test('with nothing changed in it changes nothing', () => {
    expect(applied(exported)).toEqual(game);
  });

  test('keeps the windows of a limit that it pauses', () => {
    const { rules } = applied(
      exported.replace('    data:\n      type: PAYMASTER', '    active: false\n    data:\n      type: PAYMASTER'),
    );
    expect(rules[0]).toEqual({ ...game.rules[0], active: false });
  });

  test('restarts a limit that it changes, under its id', () => {
    const { rules } = applied(exported.replace('threshold: "5"', 'threshold: 6'));
    expect(rules[0]).toMatchObject({
      ruleId: 'Per user',
      cycle: 1,
      policyData: { threshold: '6', startTimeInEpoch: LATER },
    });
    expect(rules.slice(1)).toEqual(game.rules.slice(1));
  });

  test('leaves credentials of a webhook as they are, unless its URL changes', () => {
    const closed = applied(exported.replace('failOpen: true', 'failOpen: false'));
    expect(closed.rules[1]?.policyData).toEqual({ url: 'https://[secret]@hooks.example/rule', failOpen: false });
    const moved = applied(exported.replace('hooks.example/rule', 'hooks.example/new'));
    expect(moved.rules[1]).toMatchObject({ ruleId: 'Hook', policyData: { url: 'https://hooks.example/new' } });
  });

  test('makes another rule of one that has another name', () => {
    const { rules } = applied(exported.replace('name: Per user', 'name: Each user'));
    expect(rules[0]).toMatchObject({ ruleId: 'new:Each user', name: 'Each user', cycle: 0 });
  });

  test('keeps what no file holds: the part of the chain, and rules that a newer Gasdesk made', () => {
    const strange = rule('Tomorrow', 'TOMORROW', { x: 1 }, false);
    const current = { ...game, rules: [...game.rules, strange], pause: { since: 1, reason: null } };
    expect(draftPolicy(parsePolicyFile(policyFileText(current)), current, drafting)).toEqual(current);
  });
});
