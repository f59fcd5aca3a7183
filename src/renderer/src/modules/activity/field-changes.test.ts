import { expect, test } from 'vitest';
import type { Change } from '../../../../core/log/entry.ts';
import { fieldChanges } from './field-changes.ts';

const names = { dapp: (id: string) => (id === 'd1' ? 'Game' : undefined) };
const changesOf = (change: Change) => fieldChanges(change, names);
const rule = { dapp: 'd1', name: 'Per user', type: 'PAYMASTER_SA_LIMIT', active: 1, cycle: 0, data: { threshold: 5 } };

test('only fields that differ are listed, nested ones by their own name, in words', () => {
  const before = { ...rule, data: { threshold: 5, cycleDuration: { value: 1, unit: 'day' } } };
  const after = { ...rule, active: 0, data: { threshold: 5, cycleDuration: { value: 2, unit: 'day' } } };
  expect(changesOf({ subject: 'rule', id: 'r1', before, after })).toEqual([
    { field: 'active', before: 'yes', after: 'no' },
    { field: 'cycle duration value', before: '1', after: '2' },
  ]);
  expect(changesOf({ subject: 'setting', id: 'allowedHosts', before: [], after: ['a', 'b'] })).toEqual([
    { field: 'value', before: 'none', after: 'a, b' },
  ]);
  expect(changesOf({ subject: 'webhook', id: 'w', before: null, after: { url: 'u', requestType: 'POST' } })).toEqual([
    { field: 'URL', before: '', after: 'u' },
    { field: 'request type', before: '', after: 'POST' },
  ]);
  const list = [{ name: 'mint' }];
  expect(changesOf({ subject: 'rule', id: 'r', before: { data: {} }, after: { data: { list } } })).toEqual([
    { field: 'list', before: '', after: JSON.stringify(list, null, 2) },
  ]);
});

test('a DApp is named, as long as it exists, and an amount has its unit', () => {
  const before = { dapp: 'gone', lowBalanceThresholdWei: null };
  const after = { dapp: 'd1', lowBalanceThresholdWei: '20000000000000000' };
  expect(changesOf({ subject: 'rule', id: 'r', before, after })).toEqual([
    { field: 'DApp', before: 'gone', after: 'Game' },
    { field: 'low balance threshold', before: '', after: '20,000,000,000,000,000 wei' },
  ]);
});
