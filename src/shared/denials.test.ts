import { describe, expect, test } from 'vitest';
import { type DenialCode, type Evidence, explainDenial } from './denials.ts';

const TARGET = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const place = { call: 1, calls: 2 };
const detail = { detail: 'The array at byte 68 ends outside the data.' };

/** Every code with what its rule leaves as evidence, and what the words have to name. */
const realistic: Record<DenialCode, { evidence: Evidence; names: readonly string[] }> = {
  UNKNOWN_SELECTOR: { evidence: detail, names: [detail.detail] },
  MALFORMED_CALL_DATA: { evidence: detail, names: [detail.detail] },
  NESTED_EXECUTE_USER_OP: { evidence: detail, names: [detail.detail] },
  HIDDEN_CALLS: { evidence: detail, names: [detail.detail] },
  UNKNOWN_EXECUTION_MODE: { evidence: detail, names: [detail.detail] },
  AMBIGUOUS_TARGET: { evidence: detail, names: [detail.detail] },
  NESTED_TOO_DEEP: { evidence: detail, names: [detail.detail] },
  TOO_MANY_CALLS: { evidence: detail, names: [detail.detail] },
  DELEGATECALL_NOT_ALLOWED: { evidence: { target: TARGET, ...place }, names: [TARGET] },
  SELF_CALL_NOT_ALLOWED: { evidence: { target: TARGET, ...place }, names: [TARGET] },
  CONTRACT_NOT_REGISTERED: { evidence: { target: TARGET, ...place }, names: [TARGET] },
  CONTRACT_PAUSED: { evidence: { target: TARGET, contract: 'Game Items', ...place }, names: [TARGET, 'Game Items'] },
  METHOD_NOT_WHITELISTED: {
    evidence: { target: TARGET, contract: 'Game Items', selector: '0x42966c68', method: 'burn(uint256)', ...place },
    names: [TARGET, 'Game Items', 'burn(uint256)'],
  },
  PLAIN_TRANSFER: { evidence: { target: TARGET, valueWei: '1000000000000000001', ...place }, names: [TARGET] },
  RULE_NOT_IMPLEMENTED: {
    evidence: { name: 'Five a day', type: 'PAYMASTER_SA_LIMIT', rules: 1 },
    names: ['Five a day', 'PAYMASTER_SA_LIMIT'],
  },
  FEE_TOO_LOW: { evidence: { maxFeePerGasWei: '1', baseFeeWei: '1000000007' }, names: ['1 wei', '1000000007'] },
  GAS_TANK_EMPTY: { evidence: { balanceWei: '10', promisedWei: '4', neededWei: '9' }, names: ['0.000000000000000003'] },
};

describe.each(Object.entries(realistic))('%s', (code, { evidence, names }) => {
  const { message, hint } = explainDenial(code as DenialCode, evidence);

  test('says what happened and the smallest change that mends it', () => {
    expect(message).toMatch(/^[A-Z].+[.]$/);
    expect(hint).toMatch(/^[A-Z].+[.]$/);
    expect(`${message} ${hint}`).not.toMatch(/undefined|null|NaN|\[object/);
  });

  test('names what it is about', () => {
    for (const name of names) expect(`${message} ${hint}`).toContain(name);
  });
});

test.each([
  ['0', '0'],
  ['1', '0.000000000000000001'],
  ['1000000000000000000', '1'],
  ['1000000000000000001', '1.000000000000000001'],
  ['123456789012345678901234567890', '123456789012.34567890123456789'],
])('%s wei is told exactly, as %s coins', (valueWei, coins) => {
  const { message } = explainDenial('PLAIN_TRANSFER', { target: TARGET, valueWei });
  expect(message).toContain(`sends ${coins} of`);
});

test.each([
  // balance, promised, needed, short
  ['0', '0', '1', '0.000000000000000001'],
  ['1000000000000000000', '0', '1000000000000000001', '0.000000000000000001'],
  ['5', '7', '0', '0.000000000000000002'],
  ['0', '123456789012345678901', '1', '123.456789012345678902'],
])(
  'a tank of %s wei with %s promised and %s needed lacks exactly %s coins',
  (balanceWei, promisedWei, neededWei, lacks) => {
    const { hint } = explainDenial('GAS_TANK_EMPTY', { balanceWei, promisedWei, neededWei });
    expect(hint).toContain(`at least ${lacks} of`);
  },
);
