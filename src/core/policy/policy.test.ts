import { expect, test } from 'vitest';
import { policyWith } from '../../../test/support/facts.ts';
import { breaker, items, limit, hook } from '../../../test/support/situations.ts';
import { type Policy, policyHash, policySchema } from './policy.ts';

/** A hand-written revision with every field that a policy can have. */
const written = `{
  "v": 1, "outstandingSharePercent": 25, "resumes": {"desk": 2, "dapp": 1},
  "pause": {"since": 1795348800000, "reason": "Schlüsselwechsel 🔑", "dapp": "Game"},
  "treasury": null, "signer": "0x5151515151515151515151515151515151515151",
  "paymasterContracts": [{"version": "1.1.0", "address": "0xcccccccccccccccccccccccccccccccccccccccc"}],
  "chain": {"name": "Home", "symbol": "ETH", "unreachableBudgetWei": null, "maxOperationCostWei": "1",
            "breaker": {"seconds": 3600, "amountWei": "1000000000000000000"}},
  "lowBalanceThresholdWei": "0",
  "webhooks": [{"webhookId": "w", "webhookUrl": "https://hooks.example/", "requestType": "GET", "active": true}],
  "rules": [{"ruleId": "r", "name": "New wallets", "policyType": "WALLET_DEPLOYMENT", "policyData": {"b": 1, "a": [true, null]},
             "active": false, "cycle": 3}],
  "contracts": [{"ruleId": "c", "name": "Items", "address": "0x1717171717171717171717171717171717171717",
                 "abi": "[]", "methods": ["mint(uint256)"], "whitelistedMethods": [], "active": true}],
  "dapp": {"paymasterId": "dapp-1", "name": "Game", "chainId": 31337, "version": "1.1.0",
           "fundingWallet": "0xfefefefefefefefefefefefefefefefefefefefe", "allowedOrigins": ["https://b", "https://a"],
           "maxExpirySeconds": 3600, "tokenMode": false}
}`;

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversed(part)]),
  );
};

test('a revision is named by its canonical JSON, whatever its author and order', () => {
  const name = 'sha256:7a45e5ef4ea1e2eeebcfdc65de06474d3aee008adcfccc94d2e73e2641e285bd';
  const policy = JSON.parse(written) as Policy;
  expect(policyHash(policy)).toBe(name);
  expect(policyHash(reversed(policy) as Policy)).toBe(name);
  expect(policyHash(policySchema.parse(policy))).toBe(name);
});

test.each<[string, Partial<Policy>]>([
  ['a contract', { contracts: [items()] }],
  ['a contract that is paused', { contracts: [items({ active: false })] }],
  ['a rule', { rules: [limit()] }],
  ['a rule that was updated', { rules: [{ ...limit(), cycle: 1 }] }],
  ['a webhook', { webhooks: [hook] }],
  ['when a tank is low', { lowBalanceThresholdWei: '1' }],
  ['an allowed origin', { dapp: { ...policyWith().dapp, allowedOrigins: ['https://game.example'] } }],
  ['the breaker', { chain: { ...policyWith().chain!, ...breaker(1n).settings } }],
  ['a pause', { pause: { since: 0, reason: null } }],
  ['its end', { resumes: { desk: 1, dapp: 0 } }],
  ['the paymaster contract', { paymasterContracts: [] }],
  ['the signer', { signer: null }],
  ['the share of a gas tank', { outstandingSharePercent: 24 }],
])('%s makes another revision', (_, changes) => {
  expect(policyHash(policyWith(changes))).not.toBe(policyHash(policyWith()));
});

test('the order in which rules are listed is part of a revision', () => {
  const [one, other] = [limit({}, 'one'), limit({}, 'other')];
  expect(policyHash(policyWith({ rules: [one, other] }))).not.toBe(policyHash(policyWith({ rules: [other, one] })));
});
