import fc from 'fast-check';
import { expect, test } from 'vitest';
import { policyWith } from '../../../test/support/facts.ts';
import { anyPolicy } from '../../../test/support/policy-arbitrary.ts';
import { hook, limit } from '../../../test/support/situations.ts';
import type { Policy } from '../policy/policy.ts';
import { draftPolicy } from './draft-policy.ts';
import { parsePolicyFile } from './parse-file.ts';
import { updatePolicyFile } from './update-file.ts';
import { policyFileText } from './write-file.ts';

const drafting = { now: Date.UTC(2026, 10, 23), newId: (name: string) => `new:${name}` };
const example = `# Reviewed by the game's team.
version: 1
tests:
  # These stay, wherever they are.
  - {name: minting, operation: {calls: [{to: Items, method: mint, args: [1]}]}, expect: sponsored}
contracts:
  - name: Items
    address: "0x1717171717171717171717171717171717171717"
    methods: [mint] # burning stays with the players
    abi: [mint(uint256 amount), burn(uint256 id)]
rules:
  # For everybody.
  - name: Per user
    type: PAYMASTER_SA_LIMIT
    data: {type: SMART_ACCOUNT, cycleDuration: {value: 1, unit: day}, threshold: 5, thresholdType: COUNT}
  - name: New wallets
    type: WALLET_DEPLOYMENT
  - name: Budget
    type: PAYMASTER_SA_LIMIT
    data:
      type: PAYMASTER
      threshold: 0.030 # ETH
      thresholdType: NATIVE_ASSET
      cycleDuration: {value: 1, unit: day}
webhooks: []
lowBalance: 0.5 # ETH
allowedOrigins: ['*']
tokenMode: false
maxExpirySeconds: 600
`;
const game: Policy = draftPolicy(parsePolicyFile(example), policyWith(), drafting);

test('a file in which nothing has changed is the same text', () => {
  expect(updatePolicyFile(example, game)).toBe(example);
});

test('what has changed on the desk is changed in the file; comments, order and tests stay', () => {
  const [items] = game.contracts;
  const [perUser, wallets, budget] = game.rules;
  const doubled = { ...budget!, policyData: { ...(budget!.policyData as object), threshold: '0.06' } };
  const changed: Policy = {
    ...game,
    contracts: [{ ...items!, whitelistedMethods: ['mint', 'burn'] }],
    rules: [{ ...perUser!, active: false }, limit({}, '5'), wallets!, doubled],
    webhooks: [hook],
    lowBalanceThresholdWei: '250000000000000000',
  };
  const text = updatePolicyFile(example, changed);
  expect(draftPolicy(parsePolicyFile(text), changed, drafting)).toEqual(changed);
  expect(text).toBe(
    example
      .replace('[mint] #', '[mint, burn] #')
      .replace(
        'thresholdType: COUNT}\n',
        `thresholdType: COUNT}
    active: false
  - name: "5"
    type: PAYMASTER_SA_LIMIT
    data:
      type: PAYMASTER
      cycleDuration:
        value: 1
        unit: day
      threshold: "5"
      thresholdType: COUNT
`,
      )
      .replace('0.030 #', '"0.06" #')
      .replace('webhooks: []', 'webhooks:\n  - url: https://hooks.example/ask\n    method: POST')
      .replace('0.5 #', '"0.25" #'),
  );
});

test('an empty list in the data of a rule is written, so that the rule does not count as changed', () => {
  const [, wallets] = game.rules;
  const none: Policy = {
    ...game,
    rules: [{ ...wallets!, policyData: { ...(wallets!.policyData as object), factories: [] } }],
  };
  const text = updatePolicyFile(policyFileText(game), none);
  expect(draftPolicy(parsePolicyFile(text), none, drafting)).toEqual(none);
});

test('any policy can be brought into the file of any other', () => {
  fc.assert(
    fc.property(anyPolicy, anyPolicy, (before, after) => {
      const text = updatePolicyFile(`# Kept\n${policyFileText(before)}`, after);
      expect(draftPolicy(parsePolicyFile(text), after, drafting)).toEqual(after);
      expect(text).toContain('# Kept\n');
    }),
  );
});
