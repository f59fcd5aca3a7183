import { expect, test } from 'vitest';
import { codeWords, evidenceItems } from './evidence.ts';

test('a limit on operations is shown in operations, without repeating another value', () => {
  const evidence = { name: 'Two', scope: 'SMART_ACCOUNT', unit: 'operations', threshold: '2', used: '1', now: 5 };
  expect(evidenceItems(evidence)).toEqual([
    { label: 'Limit', text: 'Two', kind: 'text' },
    { label: 'Counts for', text: 'each user', kind: 'text' },
    { label: 'Allowed', text: '2 operations', kind: 'text' },
    { label: 'Already used', text: '1 operation', kind: 'text' },
  ]);
});

test('a limit on spending and a tank are shown as money', () => {
  expect(evidenceItems({ unit: 'wei', threshold: '20', requiredWei: '7' })).toEqual([
    { label: 'Allowed', text: '20', kind: 'wei' },
    { label: 'Maximum cost', text: '7', kind: 'wei' },
  ]);
});

test('a limit in US dollars is shown in dollars, and one of each operation says so', () => {
  const evidence = { scope: 'OPERATION', unit: 'usd', threshold: '500000000000000000', used: '0', windowEndsAt: null };
  expect(evidenceItems(evidence)).toEqual([
    { label: 'Counts for', text: 'each operation', kind: 'text' },
    { label: 'Allowed', text: '$0.50', kind: 'text' },
    { label: 'Already used', text: '$0', kind: 'text' },
  ]);
});

test('a DApp is shown by its name, and by its id only without one', () => {
  const dapp = { label: 'DApp', text: 'Game', kind: 'text' };
  expect(evidenceItems({ dapp: 'Game', paymasterId: 'p-1' })).toEqual([dapp]);
  expect(evidenceItems({ paymasterId: 'p-1' })).toEqual([{ label: 'DApp id', text: 'p-1', kind: 'text' }]);
});

test('a price of gas is shown in gwei, exactly', () => {
  expect(evidenceItems({ maxFeePerGasWei: '1500000001' })).toEqual([
    { label: 'Offered fee per gas', text: '1.500000001 gwei', kind: 'text' },
  ]);
});

test('digits of gas and of operations are grouped', () => {
  const evidence = { unit: 'operations', threshold: '1000', callGasLimit: '200000', preVerificationGas: 60000 };
  expect(evidenceItems(evidence).map(({ text }) => text)).toEqual(['1,000 operations', '200,000', '60,000']);
});

test('an unforeseen value is shown by its own name', () => {
  expect(evidenceItems({ someNewThing: { a: 1 } })).toEqual([
    { label: 'Some new thing', text: '{"a":1}', kind: 'text' },
  ]);
});

test('codes read as words', () => {
  expect(codeWords('CALLS_WHITELISTED')).toBe('Calls whitelisted');
  expect(codeWords('DAPP_PAUSED')).toBe('DApp paused');
});
