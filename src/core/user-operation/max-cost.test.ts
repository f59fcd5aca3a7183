import { describe, expect, it } from 'vitest';
import { operationV06, operationV07, vectorCases } from '../../../test/support/vectors.ts';
import type { GasVector } from '../../../test/support/vectors.ts';
import { fieldOutOfBounds, maxCost, sponsoredMaxCostV06 } from './max-cost.ts';

const cases = vectorCases('gas');
const operation = (vector: GasVector) =>
  vector.entryPointVersion === '0.6' ? operationV06(vector) : operationV07(vector);

describe('maxCost', () => {
  it('has vectors of all three EntryPoints', () => {
    expect(cases).toHaveLength(59);
  });

  it.each(cases.filter((vector) => vector.outcome === 'ok'))(
    'reserves what the EntryPoint can take, to the wei: $id, $description',
    (vector) => {
      expect(maxCost(operation(vector)).toString()).toBe(vector.maxCost);
    },
  );

  it('does not reserve a third of the verification gas because the paymaster is not in the operation yet', () => {
    for (const vector of cases.filter(({ entryPointVersion }) => entryPointVersion === '0.6')) {
      const op = operationV06(vector);
      const beforeSponsoring = sponsoredMaxCostV06({ ...op, paymasterAndData: '0x' });
      expect(beforeSponsoring).toBe(maxCost({ ...op, paymasterAndData: '0x01' }));
    }
  });
});

describe('fieldOutOfBounds', () => {
  it.each(cases)('signs nothing the EntryPoint refuses with AA94: $id, $description', (vector) => {
    expect(fieldOutOfBounds(operation(vector)) !== undefined).toBe(vector.outcome === 'refused');
  });
});
