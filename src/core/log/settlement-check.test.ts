import { expect, test } from 'vitest';
import { SettlementCheck } from './settlement-check.ts';

const HASH = `0x${'a1'.repeat(32)}`;
const settled = (decision: string) => ({ decision, settlement: 'settled', actualCostWei: '7', block: 5 }) as const;

test('of two decisions about one operation one is settled at a time: the other only once the first is taken back', () => {
  const check = new SettlementCheck();
  for (const id of ['first', 'second']) check.add(id, '9', HASH);
  expect(check.settle(settled('first'))).toBeUndefined();
  expect(check.settle(settled('second'))).toBe(
    'The same operation is settled with first already, and can be mined once',
  );

  const again = new SettlementCheck();
  for (const id of ['first', 'second']) again.add(id, '9', HASH);
  again.settle(settled('first'));
  expect(again.settle({ decision: 'first', settlement: 'reserved', actualCostWei: null, block: null })).toBeUndefined();
  expect(again.settle(settled('second'))).toBeUndefined();
});
