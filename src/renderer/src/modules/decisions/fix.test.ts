import { expect, test } from 'vitest';
import type { DecisionRecord } from '../../../../shared/schema/decision.ts';
import { fixOf } from './fix.ts';

const ITEMS = `0x${'17'.repeat(20)}`;
const deniedBy = (code: string, evidence: Record<string, unknown>): DecisionRecord =>
  ({
    id: 'd',
    code,
    paymasterId: 'p',
    outcome: 'denied',
    trace: [
      { rule: 'gas', outcome: 'pass', code: 'GAS_GIVEN', evidence: {}, micros: 1 },
      { rule: 'r', outcome: 'deny', code, evidence, micros: 1 },
    ],
  }) as unknown as DecisionRecord;

test.each([
  [
    'METHOD_NOT_WHITELISTED',
    { target: ITEMS, contract: 'Items', method: 'burn(uint256)' },
    'Add burn(uint256) to Items',
    { form: 'contracts', of: ITEMS, add: 'burn(uint256)', decision: 'd' },
  ],
  [
    'CONTRACT_NOT_REGISTERED',
    { target: ITEMS },
    'Register 0x1717…1717',
    { form: 'contracts', add: ITEMS, decision: 'd' },
  ],
  ['CONTRACT_PAUSED', { target: ITEMS, contract: 'Items' }, 'Resume Items', { at: ITEMS, decision: 'd' }],
  [
    'LIMIT_REACHED',
    { name: 'Five a day' },
    'Raise "Five a day"',
    { form: 'spendingLimit', of: 'Five a day', decision: 'd' },
  ],
  [
    'WALLET_DEPLOYMENT_NOT_SPONSORED',
    { paused: false },
    'Sponsor deployments',
    { form: 'walletDeployment', decision: 'd' },
  ],
  [
    'WALLET_DEPLOYMENT_NOT_SPONSORED',
    { paused: true },
    'Resume the deployment rule',
    { at: 'walletDeployment', decision: 'd' },
  ],
  ['DAPP_PAUSED', { dapp: 'Bazaar' }, 'Resume Bazaar', { at: 'pause', decision: 'd' }],
  [
    'GAS_TANK_EMPTY',
    { balanceWei: '5', reservedWei: '3', requiredWei: '10', pendingWithdrawalsWei: '1' },
    'Top up the gas tank',
    { deposit: '9' },
  ],
])('a denial by %s leads to its change, filled in', (code, evidence, verb, query) => {
  expect(fixOf(deniedBy(code, evidence))).toMatchObject({ verb, to: { params: { id: 'p' }, query } });
});

test('what no change of the policy lifts has no button', () => {
  expect(fixOf(deniedBy('NONCE_USED', { nonce: '1' }))).toBeUndefined();
  expect(fixOf(deniedBy('DELEGATECALL_NOT_ALLOWED', { target: ITEMS }))).toBeUndefined();
});

test('a price that is missing is set where the chain is', () => {
  const denied = { ...deniedBy('PRICE_UNKNOWN', { name: 'Twenty dollars' }), chainId: 10 };
  expect(fixOf(denied)).toEqual({
    verb: 'Set a price',
    to: { path: '/settings', query: { at: 'coin-price', chain: '10' } },
  });
});
