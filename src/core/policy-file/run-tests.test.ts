import { expect, test } from 'vitest';
import { policyWith } from '../../../test/support/facts.ts';
import { layouts } from '../paymaster-layouts/registry.ts';
import { parsePolicyFile } from './parse-file.ts';
import { type TestResult, runPolicyTests } from './run-tests.ts';

const AT = Date.UTC(2026, 10, 23);

const file = (tests: string) =>
  parsePolicyFile(`version: 1
contracts:
  - name: Items
    address: "0x1717171717171717171717171717171717171717"
    methods: [mint]
    abi: ["mint(uint256 id) payable", "burn(uint256 id)", "both((address to, uint256[] ids) a)"]
rules:
  - name: Small
    type: PAYMASTER_SA_LIMIT
    data: {type: SMART_ACCOUNT, thresholdType: NATIVE_ASSET, threshold: 0.01, cycleDuration: {value: 1, unit: day}}
  - name: Ask
    type: WEBHOOK
    data: {url: "https://hooks.example/"}
  - name: Members
    type: TOKEN_HOLDING
    data: {standard: ERC20, address: "0x7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e", minimum: "5"}
webhooks: [{url: "https://hooks.example/"}]
allowedOrigins: ["*"]
tests:
${tests
  .trim()
  .split('\n')
  .map((line) => `  - ${line.trim()}`)
  .join('\n')}
`);

const failed = (results: readonly TestResult[]): unknown[] => results.filter(({ passed }) => !passed);

const TESTS = `
{name: one, operation: {calls: [{to: Items, method: mint(uint256), args: [1]}]}, expect: sponsored}
{name: by its name, operation: {calls: [{to: Items, method: mint, args: [1], value: 1}]}, expect: sponsored}
{name: exact, operation: {calls: [{to: Items, method: mint, args: [115792089237316195423570985008687907853269984665640564039457584007913129639935]}]}, expect: sponsored}
{name: another method, operation: {calls: [{to: Items, method: burn, args: [1]}]}, expect: {denied: METHOD_NOT_WHITELISTED}}
{name: a tuple, operation: {calls: [{to: Items, method: both, args: [["0x1717171717171717171717171717171717171717", [1, 2]]]}]}, expect: {denied: METHOD_NOT_WHITELISTED}}
{name: a batch, operation: {calls: [{to: Items, method: mint, args: [1]}, {to: Items, method: burn, args: [1]}]}, expect: {denied: METHOD_NOT_WHITELISTED}}
{name: a transfer, operation: {calls: [{to: Items, value: 1}]}, expect: {denied: PLAIN_TRANSFER}}
{name: elsewhere, operation: {calls: [{to: "0x2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b", method: mint(uint256), args: [1]}]}, expect: {denied: CONTRACT_NOT_REGISTERED}}
{name: a deployment, operation: {calls: [{to: Items, method: mint, args: [1]}], deploys: true}, expect: {denied: WALLET_DEPLOYMENT_NOT_SPONSORED}}
{name: too dear, operation: {calls: [{to: Items, method: mint, args: [1]}], maxFeePerGas: 100000000000}, expect: {denied: FEE_TOO_HIGH}}
{name: too cheap, operation: {calls: [{to: Items, method: mint, args: [1]}], maxFeePerGas: 1}, expect: {denied: FEE_TOO_LOW}}
{name: too large for the limit, operation: {calls: [{to: Items, method: mint, args: [1]}], gas: {callGasLimit: 9000000}}, expect: {denied: LIMIT_TOO_SMALL}}
{name: who sends it, operation: {sender: "0x3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c", calls: [{to: Items, method: mint, args: [1]}], context: {level: 3}}, expect: sponsored}
`;

test('tests decide as the desk would, without a desk', () => {
  const results = runPolicyTests(file(TESTS), AT);
  expect(failed(results)).toEqual([]);
  expect(results).toHaveLength(13);
});

test('a test can send an operation of no one, and people have budgets', () => {
  const policy = parsePolicyFile(`version: 1
contracts: []
rules:
  - name: People
    type: IDENTITY
    data: {source: VOUCHER, signer: "0x3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c"}
  - name: Three a month
    type: PAYMASTER_SA_LIMIT
    data: {type: SUBJECT, thresholdType: COUNT, threshold: 3, cycleDuration: {value: 30, unit: day}}
webhooks: []
allowedOrigins: ["*"]
tests:
  - {name: somebody, operation: {}, expect: sponsored}
  - {name: no one, operation: {identified: false}, expect: {denied: SUBJECT_MISSING}}
  - {name: no one is sponsored, operation: {identified: false}, expect: sponsored}
`);
  expect(failed(runPolicyTests(policy, AT))).toEqual([
    expect.objectContaining({ name: 'no one is sponsored', actual: 'denied: SUBJECT_MISSING' }),
  ]);
});

test.each(layouts.map(({ version }) => version))('the same operations are made for a DApp of version %s', (version) => {
  const dapp = policyWith({ dapp: { ...policyWith().dapp, version } });
  expect(failed(runPolicyTests(file(TESTS), AT, dapp))).toEqual([]);
});

test('a test that fails says what came of it, and why', () => {
  expect(runPolicyTests(file('{name: t, operation: {calls: [{to: Items}]}, expect: sponsored}'), AT)).toEqual([
    {
      name: 't',
      passed: false,
      expected: 'sponsored',
      actual: 'denied: PLAIN_TRANSFER',
      message:
        'The operation sends 0 of the native coin to 0x1717171717171717171717171717171717171717 without calling a method.',
    },
  ]);
});

test('what stands in no file makes no test fail: a pause, and the bounds of a chain', () => {
  const bounds = { breaker: { amountWei: '1', seconds: 60 }, unreachableBudgetWei: null, maxOperationCostWei: '1' };
  const dapp = policyWith({ pause: { since: 1, reason: null }, chain: { name: null, symbol: null, ...bounds } });
  expect(failed(runPolicyTests(file(TESTS), AT, dapp))).toEqual([]);
});
