import Papa from 'papaparse';
import { expect, test } from 'vitest';
import type { DecisionRecord } from '../shared/schema/decision.ts';
import { exportText } from './decision-export.ts';

const record = (rest: Partial<DecisionRecord>): DecisionRecord => ({
  id: 'a1',
  seq: 1,
  at: Date.UTC(2026, 10, 22, 9, 30),
  method: 'pm_sponsorUserOperation',
  mode: 'SPONSORED',
  chainId: 8453,
  entryPoint: '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
  paymasterId: 'b2',
  dapp: 'Items',
  sender: `0x${'ab'.repeat(20)}`,
  nonce: '340282366920938463463374607431768211456',
  userOpHash: null,
  outcome: 'sponsored',
  code: 'SPONSORED',
  rule: null,
  message: 'Sponsored: no rule denies this operation.',
  hint: '',
  paymasterAndData: '0x',
  validAfter: null,
  validUntil: null,
  maxCostWei: '1000000000000000001',
  actualCostWei: null,
  settlement: 'reserved',
  request: {},
  trace: [],
  ...rest,
});

const csvOf = async (...pages: DecisionRecord[][]): Promise<string> => {
  const source = async function* () {
    for (const page of pages) yield await Promise.resolve(page);
  };
  let text = '';
  for await (const piece of exportText(source(), 'csv')) text += piece;
  return text;
};

test('a table has one head and a row for each decision, amounts to the wei', async () => {
  const text = await csvOf([record({})], [], [record({ seq: 2, actualCostWei: '1' })]);
  const { data, errors } = Papa.parse<Record<string, string>>(text.trimEnd(), { header: true });
  expect(errors).toEqual([]);
  expect(data).toHaveLength(2);
  expect(data[0]).toMatchObject({
    seq: '1',
    time: '2026-11-22T09:30:00.000Z',
    chainId: '8453',
    rule: '',
    userOpHash: '',
    maxCost: '1.000000000000000001',
    actualCost: '',
    nonce: '340282366920938463463374607431768211456',
  });
  expect(data[1]?.['actualCost']).toBe('0.000000000000000001');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=HYPERLINK("https://a.example","b")'])(
  'what a spreadsheet would take for a formula is text: %j',
  async (dapp) => {
    const text = await csvOf([record({ dapp })]);
    const [row] = Papa.parse<Record<string, string>>(text.trimEnd(), { header: true }).data;
    expect(row?.['dapp']).toBe(`'${dapp}`);
  },
);

test.each(['a,b', 'a"b', 'a\nb', 'a\r\nb', ' a '])('a name with %j stays one field', async (dapp) => {
  const text = await csvOf([record({ dapp })]);
  const [row, ...rest] = Papa.parse<Record<string, string>>(text.trimEnd(), { header: true, newline: '\r\n' }).data;
  expect([row?.['dapp'], rest]).toEqual([dapp, []]);
});
