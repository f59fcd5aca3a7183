import { FunctionFragment } from 'ethers';
import { expect, test } from 'vitest';
import { encodeExecute } from '../../../test/support/account-call-data.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { callsOf } from './described-calls.ts';

const TARGET = '0x4a7d1f5e9c3b28604f6d8a1e7b90c2d35f86e041';

/** A decision on an operation with one call of the method, whose signature is recorded as in a decision export. */
const decided = (method: string, args: string): DecisionRecord => {
  const data = `${FunctionFragment.from(`function ${method}`).selector}${args}` as Hex;
  const userOperation = { sender: `0x${'ab'.repeat(20)}`, callData: encodeExecute(TARGET, 0n, data) };
  return {
    entryPoint: '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
    request: { userOperation, calls: [{ target: TARGET, method }] },
  } as unknown as DecisionRecord;
};
const argsOf = (method: string, args: string) => callsOf(decided(method, args), []).calls[0]?.args;
const word = (value: number): string => value.toString(16).padStart(64, '0');

test('a call is shown with its arguments by the signature that was known when it was decided', () => {
  expect(argsOf('mint(uint256)', word(3))).toEqual(['3']);
  expect(argsOf('set(uint8[2],(bool,uint8)[1])', [1, 2, 1, 4].map(word).join(''))).toEqual(['[1, 2]', '[[true, 4]]']);
});

test.each(['f(uint8[999999999])', 'f(uint8[999999][999999])', 'f((uint8[99999999],bool)[999])'])(
  'a signature that claims more than the call holds takes no memory: %s',
  (method) => {
    const before = process.memoryUsage().heapUsed;
    expect(argsOf(method, word(1).repeat(64))).toBeNull();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000);
  },
);

test('the ABI of a contract is read once, however many calls go to it', () => {
  let reads = 0;
  const contract = {
    name: 'Items',
    address: TARGET,
    get abi() {
      reads += 1;
      return '[{"type":"function","name":"mint","inputs":[{"type":"uint256"}],"stateMutability":"nonpayable"}]';
    },
  } as const;
  const described = Array.from({ length: 3 }, () => callsOf(decided('mint(uint256)', word(3)), [contract]).calls[0]);
  expect(described.map((call) => call?.contract)).toEqual(['Items', 'Items', 'Items']);
  expect(described.map((call) => call?.args)).toEqual([['3'], ['3'], ['3']]);
  expect(reads).toBe(1);
});
