import { expect, it } from 'vitest';
import { hostileSuffixes } from '../../../test/support/hostile-suffixes.ts';
import { operationOf, vectorCases } from '../../../test/support/vectors.ts';
import { entryPoints } from '../entry-points/registry.ts';
import { endsInMagic, splitSuffix } from '../user-operation/paymaster-signature.ts';
import { withPaymasterAndData } from '../user-operation/paymaster-fields.ts';
import { parallel09 } from './parallel-0.9.ts';
import { singleton09 } from './singleton-0.9.ts';

const vectors = vectorCases('paymaster-layouts');
const [vector] = vectors.filter(({ id }) => id === 'parallel-paymaster-v0.9/2');
if (vector === undefined) throw new Error('no vector');
const { address: entryPoint, hash } = entryPoints['0.9'];

it.each(hostileSuffixes(vector.paymasterAndData))('data with %s is not read as its own', (_, data) => {
  expect(parallel09.read(data)).toEqual({ misfit: expect.stringMatching(/too (?:short|long)|length of|magic/) });
});

it('a later signature in another window leaves the hash as the owner signed it', () => {
  const op = operationOf(vector);
  const later = parallel09.encode(
    op,
    { chainId: 31_337, paymaster: vector.contractAddress, validAfter: 5, validUntil: 6 },
    `0x${'17'.repeat(65)}`,
  );
  expect(later).not.toBe(vector.paymasterAndData);
  expect(hash(withPaymasterAndData(op, later), { chainId: 31_337, entryPoint })).toBe(vector.userOpHash);
});

it('splits into what the owner signs and what the desk signs later', () => {
  const { signed, signature } = splitSuffix(vector.paymasterAndData, 52);
  expect(signed).toBe(vector.paymasterAndData.slice(0, 2 + 2 * 52));
  expect(signature).toHaveLength(2 + 2 * 77);
});

it('what the singleton signs never ends in the magic, so that its signature is part of the hash', () => {
  const op = operationOf(vector);
  const terms = { chainId: 31_337, paymaster: vector.contractAddress, validAfter: 5, validUntil: 6 };
  for (const recovery of ['1b', '1c']) {
    const data = singleton09.encode(op, terms, `0x${'22e325a297439656'.repeat(8)}${recovery}`);
    expect(endsInMagic(data)).toBe(false);
  }
});
