import { expect, test } from 'vitest';
import { encodeExecute } from '../../../test/support/account-call-data.ts';
import { decidedLine } from '../../../test/support/decided-record.ts';
import { GWEI, factsWith, policyWith, rpcOperationV07With } from '../../../test/support/facts.ts';
import type { Facts } from '../facts/facts.ts';
import { plan } from '../decision/decide.ts';
import { pastDecision } from '../decision/past-decision.ts';
import type { Policy } from '../policy/policy.ts';
import { Rehearsal, type RehearsalReport } from './rehearse.ts';

const TARGET = `0x${'c0'.repeat(20)}` as const;
/** An operation of an account that has sent others, with so many bytes of data. */
const usual = (bytes: number, op = {}) =>
  factsWith({ op: { nonce: 7n, callData: encodeExecute(TARGET, 0n, `0x${'ab'.repeat(bytes)}`), ...op } });
const creating = (op = {}): Facts =>
  factsWith({
    op: {
      initCode: `0x${'fa'.repeat(20)}${'01'.repeat(68)}`,
      verificationGasLimit: 300_000n,
      preVerificationGas: 55_000n,
      ...op,
    },
    account: { hasCode: false, nextNonce: '0' },
    gasUsed: { validation: '250000', call: '20000' },
  });

const rehearse = (policy: Policy, ...past: readonly Facts[]): RehearsalReport => {
  const rehearsal = new Rehearsal('amsterdam');
  for (const [index, facts] of past.entries()) {
    const held = plan(facts, policy).map(() => 0n);
    rehearsal.add(pastDecision({ ...decidedLine(facts, policy, held), id: `d-${index}` }, policy));
  }
  return rehearsal.report();
};

test('an operation with little data and no account to make costs no more under Amsterdam', () => {
  expect(rehearse(policyWith(), usual(10))).toMatchObject({
    decisions: 1,
    unknown: 0,
    refused: { operations: 0, byCode: {}, first: [] },
    moreExpensive: { operations: 0, gas: '0' },
  });
});

test('a new account costs its leaf, its code, its storage and its nonce in state gas', () => {
  const { moreExpensive, refused } = rehearse(policyWith(), creating());
  // EIP-8037: 195,600 - 32,000 for the account, 45 * 1,330 for its code, twice 97,920 - 17,100 for storage.
  const gas = 195_600n - 32_000n + 45n * 1_330n + 2n * (97_920n - 17_100n);
  expect(moreExpensive.byCause.account).toEqual({ operations: 1, gas: String(gas) });
  expect(moreExpensive.wei).toBe(String(BigInt(moreExpensive.gas) * GWEI));
  expect(refused.operations).toBe(0);
  // The transaction itself costs less, which the causes show, so that they add up.
  const { data, authorization, account } = moreExpensive.byCause;
  expect(BigInt(data.gas)).toBeLessThan(0n);
  expect(BigInt(data.gas) + BigInt(authorization.gas) + BigInt(account.gas)).toBe(BigInt(moreExpensive.gas));
});

test('a cap that was enough for a new account refuses it under Amsterdam, and names the rule', () => {
  const chain = { ...policyWith().chain!, maxOperationCostWei: String(1_500_000n * GWEI) };
  const report = rehearse(policyWith({ chain }), creating(), usual(10));
  expect(report.refused).toMatchObject({
    operations: 1,
    senders: 1,
    byCode: { OPERATION_COST_TOO_HIGH: 1 },
    first: [{ id: 'd-0', code: 'OPERATION_COST_TOO_HIGH', rule: 'fees' }],
  });
});

test('data that pays the floor costs 64 gas a byte, and an authorisation the state that it makes', () => {
  const heavy = rehearse(policyWith(), usual(30_000, { preVerificationGas: 1_050_000n, callGasLimit: 200_000n }));
  expect(BigInt(heavy.moreExpensive.byCause.data.gas)).toBeGreaterThan(600_000n);
  const eip7702Auth = { chainId: '0x1', address: TARGET, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' };
  const op = { ...rpcOperationV07With({ nonce: 7n }), eip7702Auth };
  const facts = { ...factsWith(), op, contract: { ...factsWith().contract, version: 'verifying-0.7' } };
  const policy = policyWith({ dapp: { ...policyWith().dapp, version: 'verifying-0.7' } });
  const { authorization } = rehearse(policy, facts).moreExpensive.byCause;
  expect(authorization.gas).toBe(String(7_816 + 9_000 + 143 * 1_530 - 25_000));
});
