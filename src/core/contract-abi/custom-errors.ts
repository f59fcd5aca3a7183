import { ErrorFragment, Interface } from 'ethers';
import { z } from 'zod';
import type { Hex } from '../../shared/schema/hex.ts';
import type { Policy } from '../policy/policy.ts';
import { IDENTIFIER, abiSchema, parameter } from './methods.ts';

const errorEntry = z.object({
  type: z.literal('error'),
  name: z.string().regex(IDENTIFIER),
  inputs: z.array(parameter(16)).default([]),
});

/** The errors that an ABI declares. It was registered for its functions, so an error that cannot be read is left out. */
const readErrors = (abi: string): ErrorFragment[] =>
  (abiSchema.safeParse(JSON.parse(abi)).data ?? []).flatMap((entry) => {
    const declared = errorEntry.safeParse(entry).data;
    try {
      return declared === undefined ? [] : ErrorFragment.from(declared);
    } catch {
      return [];
    }
  });

const compiled = new WeakMap<Policy, ReadonlyMap<string, ErrorFragment>>();

const errorsOf = (policy: Policy): ReadonlyMap<string, ErrorFragment> => {
  const known = compiled.get(policy);
  if (known !== undefined) return known;
  const errors = policy.contracts.flatMap(({ abi }) => readErrors(abi));
  const bySelector = new Map(errors.map((error) => [error.selector, error]));
  compiled.set(policy, bySelector);
  return bySelector;
};

/**
 * A custom error with its arguments, such as `NotEnough(5, 3)`, as the ABI of a registered contract declares it.
 * Undefined if no ABI does, or if the data does not fit.
 */
export const customErrorWords = (policy: Policy, revertData: Hex): string | undefined => {
  const error = errorsOf(policy).get(revertData.slice(0, 10));
  if (error === undefined) return undefined;
  try {
    const values = new Interface([error]).decodeErrorResult(error, revertData).toArray(true);
    return `${error.name}(${values.map(String).join(', ')})`;
  } catch {
    return undefined;
  }
};
