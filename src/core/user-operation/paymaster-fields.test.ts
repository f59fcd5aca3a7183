import { describe, expect, it } from 'vitest';
import { operationOf, vectorCases } from '../../../test/support/vectors.ts';
import { splitPaymasterAndData, withPaymasterAndData } from './paymaster-fields.ts';

const cases = vectorCases('paymaster-layouts');

describe('paymasterAndData', () => {
  it.each(cases.filter(({ entryPointVersion }) => entryPointVersion !== '0.6'))(
    'reaches clients of v0.7 and v0.8 in the fields they send on: $id',
    (vector) => {
      const op = operationOf(vector);
      const fields = splitPaymasterAndData(vector.paymasterAndData);
      expect({ ...op, ...fields }).toEqual({ ...op, paymaster: vector.contractAddress.toLowerCase() });
      expect(withPaymasterAndData(op, vector.paymasterAndData)).toEqual({ ...op, ...fields });
    },
  );

  it.each(cases.filter(({ entryPointVersion }) => entryPointVersion === '0.6'))(
    'reaches clients of v0.6 whole: $id',
    (vector) => {
      const bare = { ...operationOf(vector), paymasterAndData: '0x' } as const;
      expect(withPaymasterAndData(bare, vector.paymasterAndData)).toEqual(operationOf(vector));
    },
  );
});
