import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operationV06, vectorCases } from '../../../test/support/vectors.ts';
import type { PaymasterVector } from '../../../test/support/vectors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { signDigest } from '../signer/sign.ts';
import { maxCost } from '../user-operation/max-cost.ts';
import { stubPaymasterAndData } from './layout.ts';
import type { PaymasterLayout, SponsorshipTerms } from './layout.ts';
import { findLayout, layouts } from './registry.ts';

/** The contract in the vectors of each paymaster version. */
const contractOf: Record<string, string> = {
  '1.1.0': 'VerifyingSingletonPaymaster Biconomy v1.1.0',
  'verifying-0.6': 'VerifyingPaymaster eth-infinitism v0.6.0',
};

const vectorTerms = ({ chainId, contractAddress, validity, params }: PaymasterVector): SponsorshipTerms => ({
  chainId,
  paymaster: contractAddress,
  ...validity,
  ...(params.paymasterId === undefined ? {} : { fundingWallet: params.paymasterId }),
  ...(params.senderNonce === undefined ? {} : { senderNonce: BigInt(params.senderNonce) }),
});

const bytes = (constraints: fc.IntArrayConstraints): fc.Arbitrary<Hex> =>
  fc.uint8Array(constraints).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);
const address = bytes({ minLength: 20, maxLength: 20 });
const uint256 = fc.bigInt(0n, (1n << 256n) - 1n);
const uint48 = fc.maxSafeNat().map((value) => value % 2 ** 48);

const anyOperation: fc.Arbitrary<UserOperationV06> = fc.record({
  sender: address,
  nonce: uint256,
  initCode: bytes({ maxLength: 100 }),
  callData: bytes({ maxLength: 300 }),
  callGasLimit: uint256,
  verificationGasLimit: uint256,
  preVerificationGas: uint256,
  maxFeePerGas: uint256,
  maxPriorityFeePerGas: uint256,
  paymasterAndData: bytes({ maxLength: 300 }),
  signature: bytes({ maxLength: 100 }),
});
const anyTerms: fc.Arbitrary<SponsorshipTerms> = fc.record({
  chainId: fc.maxSafeNat(),
  paymaster: address,
  validUntil: uint48,
  validAfter: uint48,
  fundingWallet: address,
  senderNonce: uint256,
});
const anySignature = bytes({ minLength: 65, maxLength: 65 });

describe('the registry', () => {
  it('knows the paymaster versions by name and nothing else', () => {
    expect(layouts.map(({ version }) => version)).toEqual(Object.keys(contractOf));
    for (const layout of layouts) expect(findLayout(layout.version)).toBe(layout);
    expect(findLayout('9.9.9')).toBeUndefined();
  });
});

describe.each(layouts)('$version', (layout: PaymasterLayout) => {
  const vectors = vectorCases('paymaster-layouts').filter(
    ({ contract, contractVersion }) => `${contract} ${contractVersion}` === contractOf[layout.version],
  );

  it('is proved by four operations of the real contract', () => {
    expect(vectors).toHaveLength(4);
  });

  it.each(vectors)('signs what the contract checks: $id, $description', (vector) => {
    const op = operationV06(vector);
    const terms = vectorTerms(vector);
    const hash = layout.hash(op, terms);
    expect(hash).toBe(vector.hash);
    const signature = signDigest(vector.signerPrivateKey, hash);
    expect(signature).toBe(vector.signature);
    expect(layout.encode(op, terms, signature)).toBe(vector.paymasterAndData);
  });

  it.each(vectors)('lays out each field where the contract reads it: $id', (vector) => {
    const encoded = layout.encode(operationV06(vector), vectorTerms(vector), vector.signature);
    for (const { field, offset, length, value } of vector.layout) {
      expect(`0x${encoded.slice(2 + offset * 2, 2 + (offset + length) * 2)}`, field).toBe(value);
    }
  });

  it.each(vectors)('gives clients a stub their gas estimate can run with: $id', (vector) => {
    expect(stubPaymasterAndData(layout, operationV06(vector), vectorTerms(vector))).toBe(vector.stub.paymasterAndData);
  });

  it('promises the length it delivers, for any operation and terms', () => {
    fc.assert(
      fc.property(anyOperation, anyTerms, anySignature, (op, terms, signature) => {
        const encoded = layout.encode(op, terms, signature);
        expect(encoded).toHaveLength(stubPaymasterAndData(layout, op, terms).length);
        expect(encoded).toMatch(/^0x(?:[0-9a-f]{2})+$/);
      }),
    );
  });

  it('signs the same whatever paymaster data and signature the operation came with', () => {
    fc.assert(
      fc.property(anyOperation, anyTerms, (op, terms) => {
        const finished = { ...op, paymasterAndData: stubPaymasterAndData(layout, op, terms), signature: '0x' } as const;
        expect(layout.hash(op, terms)).toBe(layout.hash(finished, terms));
      }),
    );
  });

  it('signs for one operation only: a change of any field changes the hash', () => {
    fc.assert(
      fc.property(anyOperation, anyTerms, (op, terms) => {
        const hash = layout.hash(op, terms);
        const signed = { ...op, paymasterAndData: undefined, signature: undefined };
        for (const [field, value] of Object.entries(signed)) {
          if (value === undefined) continue;
          const changed =
            typeof value === 'bigint' ? value ^ 1n : field === 'sender' ? flipLastBit(value) : `${value}00`;
          expect(layout.hash({ ...op, [field]: changed }, terms), field).not.toBe(hash);
        }
      }),
    );
  });

  it('reserves no less than the EntryPoint can take once the paymaster is in the operation', () => {
    fc.assert(
      fc.property(anyOperation, (op) => {
        expect(layout.reservedCost(op)).toBeGreaterThanOrEqual(maxCost({ ...op, paymasterAndData: '0x01' }));
      }),
    );
  });

  it('refuses a signature of another length and times the contract would cut', () => {
    const [vector] = vectors;
    if (vector === undefined) throw new Error('no vector');
    const op = operationV06(vector);
    const terms = vectorTerms(vector);
    expect(() => layout.encode(op, terms, `0x${'11'.repeat(64)}`)).toThrow(RangeError);
    expect(() => layout.encode(op, { ...terms, validUntil: 2 ** 48 }, vector.signature)).toThrow(RangeError);
    expect(() => layout.hash(op, { ...terms, validAfter: -1 })).toThrow(RangeError);
  });
});

const flipLastBit = (value: string): string =>
  value.slice(0, -1) + (Number.parseInt(value.slice(-1), 16) ^ 1).toString(16);

describe('1.1.0', () => {
  const tankCases = vectorCases('paymaster-layouts').filter(
    ({ id, fundingIdCharge }) => id.startsWith('biconomy-verifying-singleton-v1.1.0') && fundingIdCharge !== undefined,
  );

  it.each(tankCases)('reserves what the tank was charged at most: $id', ({ fundingIdCharge, ...vector }) => {
    const reserved = findLayout('1.1.0')?.reservedCost(operationV06(vector));
    expect(reserved?.toString()).toBe(fundingIdCharge?.balanceNeededBeforehand);
    expect(reserved).toBeGreaterThanOrEqual(BigInt(fundingIdCharge?.balanceDeducted ?? -1));
  });

  it('was checked against mined charges', () => {
    expect(tankCases).toHaveLength(3);
  });
});

describe('terms', () => {
  it.each([
    ['1.1.0', 'fundingWallet'],
    ['verifying-0.6', 'senderNonce'],
  ] as const)('%s says which term is missing instead of signing without %s', (version, term) => {
    const [vector] = vectorCases('paymaster-layouts').filter(
      ({ contract, contractVersion }) => `${contract} ${contractVersion}` === contractOf[version],
    );
    if (vector === undefined) throw new Error('no vector');
    const { [term]: _left, ...terms } = vectorTerms(vector);
    expect(() => findLayout(version)?.hash(operationV06(vector), terms)).toThrow(term);
  });
});
