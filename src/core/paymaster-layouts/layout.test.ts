import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operationOf, vectorCases } from '../../../test/support/vectors.ts';
import type { PaymasterVector } from '../../../test/support/vectors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperation, UserOperationV06, UserOperationV07 } from '../../shared/schema/user-operation.ts';
import { signDigest } from '../../engine/signer/sign.ts';
import { settledCost } from '../decision/settled-cost.ts';
import { entryPoints } from '../entry-points/registry.ts';
import { maxCost } from '../user-operation/max-cost.ts';
import { packUserOperation } from '../user-operation/pack-user-operation.ts';
import { signerKind, stubPaymasterAndData } from './layout.ts';
import type { AttachableLayout, SponsorshipTerms, TokenLayout, TokenTerms } from './layout.ts';
import { withPaymasterAndData } from '../user-operation/paymaster-fields.ts';
import { findAttachable, findLayout, layouts } from './registry.ts';

type AnyTerms = SponsorshipTerms & TokenTerms;

const layoutOf = (version: string): AttachableLayout => {
  const layout = findAttachable(version);
  if (layout === undefined) throw new Error(`no layout ${version}`);
  return layout;
};
const tokenLayoutOf = (version: string): TokenLayout => {
  const token = findLayout(version)?.token;
  if (token === undefined) throw new Error(`${version} has no token mode`);
  return token;
};

/** Every contract and mode in the vectors: the prefix of its cases' ids, their number, and the layout. */
const modes = [
  { id: 'verifying-paymaster-v0.6', cases: 4, layout: layoutOf('verifying-0.6') },
  { id: 'verifying-paymaster-v0.7', cases: 4, layout: layoutOf('verifying-0.7') },
  { id: 'verifying-paymaster-v0.8', cases: 5, layout: layoutOf('verifying-0.8') },
  { id: 'biconomy-verifying-singleton-v1.0.0', cases: 4, layout: layoutOf('1.0.0') },
  { id: 'biconomy-verifying-singleton-v1.1.0', cases: 4, layout: layoutOf('1.1.0') },
  { id: 'biconomy-sponsorship-v0.7', cases: 4, layout: layoutOf('2.0.0') },
  { id: 'biconomy-token-paymaster-v0.6', cases: 4, layout: tokenLayoutOf('1.1.0') },
  { id: 'pimlico-singleton-v6-verifying', cases: 5, layout: layoutOf('singleton-0.6') },
  { id: 'pimlico-singleton-v6-erc20', cases: 7, layout: tokenLayoutOf('singleton-0.6') },
  { id: 'pimlico-singleton-v7-verifying', cases: 5, layout: layoutOf('singleton-0.7') },
  { id: 'pimlico-singleton-v7-erc20', cases: 7, layout: tokenLayoutOf('singleton-0.7') },
  { id: 'pimlico-singleton-v8-verifying', cases: 6, layout: layoutOf('singleton-0.8') },
  { id: 'pimlico-singleton-v8-erc20', cases: 7, layout: tokenLayoutOf('singleton-0.8') },
  { id: 'pimlico-singleton-v8-7702hash-verifying', cases: 6, layout: layoutOf('singleton-0.8-eip7702') },
  { id: 'pimlico-singleton-v8-7702hash-erc20', cases: 7, layout: tokenLayoutOf('singleton-0.8-eip7702') },
  { id: 'pimlico-singleton-v8-ep-v0.9-verifying', cases: 6, layout: layoutOf('singleton-0.9') },
  { id: 'pimlico-singleton-v8-ep-v0.9-erc20', cases: 3, layout: tokenLayoutOf('singleton-0.9') },
  { id: 'parallel-paymaster-v0.9', cases: 6, layout: layoutOf('parallel-0.9') },
];

const casesOf = (id: string): PaymasterVector[] =>
  vectorCases('paymaster-layouts').filter((vector) => vector.id.startsWith(`${id}/`));

const TERM_OF: Record<string, string> = { paymasterId: 'fundingWallet', feeToken: 'token' };
const DECIMAL = [
  'senderNonce',
  'exchangeRate',
  'postOpGas',
  'paymasterValidationGasLimit',
  'preFund',
  'constantFee',
] as string[];

const vectorTerms = ({ chainId, contractAddress, validity, params }: PaymasterVector): AnyTerms => {
  const { priceSource, oracleAggregator, ...plain } = params;
  const terms = Object.entries({ ...plain, ...(priceSource === 1 && { oracleAggregator }) }).map(([name, value]) => [
    TERM_OF[name] ?? name,
    DECIMAL.includes(name) ? BigInt(value as string) : value,
  ]);
  // Defaults for terms that a contract's data does not include. The layout must then ignore them.
  const unread = { token: '0x', exchangeRate: 0n, postOpGas: 45_000n, paymasterValidationGasLimit: 0n } as const;
  const read = Object.fromEntries(terms) as Partial<AnyTerms>;
  return { ...unread, ...read, chainId, paymaster: contractAddress, ...validity };
};

const bytes = (constraints: fc.IntArrayConstraints): fc.Arbitrary<Hex> =>
  fc.uint8Array(constraints).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);
const address = bytes({ minLength: 20, maxLength: 20 });
const uint = (bits: bigint): fc.Arbitrary<bigint> => fc.bigInt(0n, (1n << bits) - 1n);
const uint48 = fc.maxSafeNat().map((value) => value % 2 ** 48);

const operationFields = (gasBits: bigint) => ({
  sender: address,
  nonce: uint(256n),
  callData: bytes({ maxLength: 300 }),
  callGasLimit: uint(gasBits),
  verificationGasLimit: uint(gasBits),
  preVerificationGas: uint(256n),
  maxFeePerGas: uint(gasBits),
  maxPriorityFeePerGas: uint(gasBits),
  signature: bytes({ maxLength: 100 }),
});
const anyOperationV06: fc.Arbitrary<UserOperationV06> = fc.record({
  ...operationFields(256n),
  initCode: bytes({ maxLength: 100 }),
  paymasterAndData: bytes({ maxLength: 300 }),
});
const anyOperationV07: fc.Arbitrary<UserOperationV07> = fc.record({
  ...operationFields(128n),
  factory: address,
  factoryData: bytes({ maxLength: 100 }),
  paymaster: address,
  paymasterVerificationGasLimit: uint(128n),
  paymasterPostOpGasLimit: uint(128n),
  paymasterData: bytes({ maxLength: 300 }),
});
const anyTerms: fc.Arbitrary<AnyTerms> = fc.record({
  chainId: fc.maxSafeNat(),
  paymaster: address,
  validUntil: uint48,
  validAfter: uint48,
  fundingWallet: address,
  senderNonce: uint(256n),
  token: address,
  exchangeRate: uint(256n),
  postOpGas: uint(128n),
  paymasterValidationGasLimit: uint(128n),
  treasury: address,
});
const anySignature = bytes({ minLength: 65, maxLength: 65 });

describe('the registry', () => {
  it('knows the paymaster versions by name and nothing else', () => {
    expect(layouts.map(({ version }) => version)).toEqual([
      '1.0.0',
      '1.1.0',
      '2.0.0',
      'verifying-0.6',
      'verifying-0.7',
      'verifying-0.8',
      'singleton-0.6',
      'singleton-0.7',
      'singleton-0.8',
      'singleton-0.8-eip7702',
      'singleton-0.9',
      'parallel-0.9',
    ]);
    for (const layout of layouts) expect(findLayout(layout.version)).toBe(layout);
    expect(findLayout('9.9.9')).toBeUndefined();
  });

  it('lets a token contract be attached, but no DApp be sponsored by it', () => {
    expect(findAttachable('1.1.0-token')).toBe(findLayout('1.1.0')?.token);
    expect(findLayout('1.1.0-token')).toBeUndefined();
    expect(findAttachable('singleton-0.7')).toBe(findLayout('singleton-0.7'));
  });

  it('leaves no operation of the real contracts out of the tests', () => {
    expect(modes.reduce((sum, { cases }) => sum + cases, 0)).toBe(vectorCases('paymaster-layouts').length);
  });
});

describe.each(modes)('$id', ({ id, cases, layout }) => {
  const vectors = casesOf(id);
  const anyOperation: fc.Arbitrary<UserOperation> = entryPoints[layout.entryPointVersion].isPacked
    ? anyOperationV07
    : anyOperationV06;

  it('is proved by operations of the real contract', () => {
    expect(vectors).toHaveLength(cases);
    expect(layout.entryPointVersion).toBe(vectors[0]?.entryPointVersion);
  });

  it.each(vectors)('signs what the contract checks: $id, $description', (vector) => {
    const op = operationOf(vector);
    const terms = vectorTerms(vector);
    const hash = layout.hash(op, terms);
    expect(hash).toBe(vector.hash);
    const signature = signDigest(vector.signerPrivateKey, hash);
    expect(signature).toBe(vector.signature);
    const paymasterAndData = layout.encode(op, terms, signature);
    expect(paymasterAndData).toBe(vector.paymasterAndData);
    const finished = withPaymasterAndData(op, paymasterAndData);
    if ('initCode' in finished) expect(finished).toEqual(op);
    else expect(finished).toEqual({ ...op, paymaster: vector.contractAddress.toLowerCase() });
  });

  it.each(vectors)('lays out each field where the contract reads it: $id', (vector) => {
    const encoded = layout.encode(operationOf(vector), vectorTerms(vector), vector.signature);
    for (const { field, offset, length, value } of vector.layout) {
      expect(`0x${encoded.slice(2 + offset * 2, 2 + (offset + length) * 2)}`, field).toBe(value);
    }
  });

  it.each(vectors)('is read back field by field, with the terms it was made of: $id', (vector) => {
    const read = layout.read(vector.paymasterAndData);
    if ('misfit' in read) throw new Error(read.misfit);
    expect(read.fields.map(({ offset, length, hex }) => ({ offset, length, value: hex }))).toEqual(
      vector.layout.map(({ offset, length, value }) => ({ offset, length, value: value.toLowerCase() })),
    );
    const op = operationOf(vector);
    const unsaid = {
      senderNonce: vectorTerms(vector).senderNonce,
      eip7702Delegate: vectorTerms(vector).eip7702Delegate,
    };
    const terms = { ...read.terms, ...unsaid, chainId: vector.chainId } as AnyTerms;
    expect(layout.hash(op, terms)).toBe(vector.hash);
    expect(layout.encode(op, terms, read.signature)).toBe(vector.paymasterAndData);
  });

  it('names every byte of what it signs exactly once, for any operation and terms', () => {
    const optional = fc.record(
      {
        allowAllBundlers: fc.boolean(),
        priceMarkup: fc.nat(2 ** 32 - 1),
        oracleAggregator: address,
        recipient: address,
      },
      { requiredKeys: [] },
    );
    const amounts = fc.record({ preFund: uint(128n), constantFee: uint(128n) }, { requiredKeys: [] });
    const all = fc.tuple(anyTerms, optional, amounts).map((parts): AnyTerms => Object.assign({}, ...parts));
    fc.assert(
      fc.property(anyOperation, all, anySignature, (op, terms, signature) => {
        const encoded = layout.encode(op, terms, signature);
        const read = layout.read(encoded);
        if ('misfit' in read) throw new Error(read.misfit);
        expect(`0x${read.fields.map(({ hex }) => hex.slice(2)).join('')}`).toBe(encoded);
        let end = 0;
        for (const { offset, length, hex } of read.fields) {
          expect(offset).toBe(end);
          expect(hex).toHaveLength(2 + 2 * length);
          end += length;
        }
        expect(layout.encode(op, { ...read.terms, chainId: 0 } as AnyTerms, read.signature)).toBe(encoded);
      }),
    );
  });

  it('says why bytes are not its own, whatever they are', () => {
    const [vector] = vectors;
    if (vector === undefined) throw new Error('no vector');
    const encoded = vector.paymasterAndData;
    expect(layout.read(encoded.slice(0, -2) as Hex)).toEqual({
      misfit: expect.stringMatching(/^too short: \d+ bytes, needs \d+$/),
    });
    expect(layout.read(`${encoded}00`)).toEqual({ misfit: expect.stringMatching(/^too long: /) });
    fc.assert(
      fc.property(bytes({ maxLength: 400 }), (value) => {
        const read = layout.read(value);
        if ('misfit' in read) expect(read.misfit).toMatch(/\w{3}/);
        else expect(`0x${read.fields.map(({ hex }) => hex.slice(2)).join('')}`).toBe(value);
      }),
    );
  });

  it.each(vectors)('gives clients a stub their gas estimate can run with: $id', (vector) => {
    expect(stubPaymasterAndData(layout, operationOf(vector), vectorTerms(vector))).toBe(vector.stub.paymasterAndData);
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
        const finished = withPaymasterAndData({ ...op, signature: '0x' }, stubPaymasterAndData(layout, op, terms));
        expect(layout.hash(op, terms)).toBe(layout.hash(finished, terms));
      }),
    );
  });

  it('signs for one operation only: a change of any field changes the hash', () => {
    fc.assert(
      fc.property(anyOperation, anyTerms, (op, terms) => {
        const hash = layout.hash(op, terms);
        for (const [field, value] of Object.entries(op) as [string, bigint | Hex][]) {
          if (['paymaster', 'paymasterData', 'paymasterAndData', 'signature'].includes(field)) continue;
          const changed =
            typeof value === 'bigint' ? value ^ 1n : value.length === 42 ? flipLastBit(value) : `${value}00`;
          expect(layout.hash({ ...op, [field]: changed }, terms), field).not.toBe(hash);
        }
      }),
    );
  });

  it('reserves no less than the EntryPoint can take once the paymaster is in the operation', () => {
    fc.assert(
      fc.property(anyOperation, anyTerms, (op, terms) => {
        const finished = withPaymasterAndData(op, stubPaymasterAndData(layout, op, terms));
        expect(layout.reservedCost(op)).toBeGreaterThanOrEqual(maxCost(finished));
      }),
    );
  });

  it('refuses an operation of another EntryPoint instead of signing for half of it', () => {
    fc.assert(
      fc.property(anyOperationV06, anyOperationV07, anyTerms, anySignature, (v06, v07, terms, signature) => {
        const other = entryPoints[layout.entryPointVersion].isPacked ? v06 : v07;
        expect(() => layout.hash(other, terms)).toThrow('EntryPoint');
        expect(() => layout.getHashCall(other, terms)).toThrow('EntryPoint');
        expect(() => layout.encode(other, terms, signature)).toThrow('EntryPoint');
        expect(() => layout.reservedCost(other)).toThrow('EntryPoint');
      }),
      { numRuns: 5 },
    );
  });

  it('refuses a signature of another length and times the contract would cut', () => {
    const [vector] = vectors;
    if (vector === undefined) throw new Error('no vector');
    const op = operationOf(vector);
    const terms = vectorTerms(vector);
    expect(() => layout.encode(op, terms, `0x${'11'.repeat(64)}`)).toThrow(RangeError);
    if (layout.version === '1.0.0') return; // 1.0.0 has no validity window
    expect(() => layout.encode(op, { ...terms, validUntil: 2 ** 48 }, vector.signature)).toThrow(RangeError);
    expect(() => layout.hash(op, { ...terms, validAfter: -1 })).toThrow(RangeError);
  });
});

const flipLastBit = (value: string): string =>
  value.slice(0, -1) + (Number.parseInt(value.slice(-1), 16) ^ 1).toString(16);

describe('what a tank is charged', () => {
  const charged = modes.flatMap(({ id, layout }) =>
    casesOf(id).flatMap(({ fundingIdCharge, ...vector }) =>
      fundingIdCharge === undefined ? [] : [{ id: vector.id, layout, vector, fundingIdCharge }],
    ),
  );

  it.each(charged)('is reserved to the wei before: $id', ({ layout, vector, fundingIdCharge }) => {
    const { balanceNeededBeforehand, balanceDeducted, unaccountedGas } = fundingIdCharge;
    const op = operationOf(vector);
    const { priceMarkup = 1_000_000, ...terms } = vectorTerms(vector);
    const reserved = layout.reservedCost(op, { ...terms, priceMarkup });
    // 2.0.0 also charges gas that its owner sets. The layout reserves for Biconomy's usual value, but these deployments
    // had a lower one.
    const spared = layout.version === '2.0.0' ? 50_000n - BigInt(unaccountedGas) : 0n;
    const sparedWei = (spared * op.maxFeePerGas * BigInt(priceMarkup)) / 1_000_000n;
    expect((reserved - sparedWei).toString()).toBe(balanceNeededBeforehand);
    expect(reserved).toBeGreaterThanOrEqual(BigInt(balanceDeducted));
  });

  it.each(charged)('is counted to the wei once it is mined: $id', ({ layout, vector, fundingIdCharge }) => {
    const {
      balanceDeducted,
      keptPenalty = '0',
      nativeGasCostGivenToPostOp,
      unaccountedGas,
      feePerGas,
    } = fundingIdCharge;
    const deducted = BigInt(balanceDeducted) - BigInt(keptPenalty);
    const { priceMarkup = 1_000_000 } = vectorTerms(vector);
    const cost = BigInt(nativeGasCostGivenToPostOp) + BigInt(unaccountedGas) * BigInt(feePerGas);
    expect(deducted).toBe((cost * BigInt(priceMarkup)) / 1_000_000n);
    const { entryPoint, paymasterAndData } = vector;
    const op = operationOf(vector);
    const terms = { entryPoint, paymasterAndData, op: () => op };
    const maxCostWei = layout.reservedCost(op, vectorTerms(vector));
    const mined = { actualGasCost: 1n, deductedWei: deducted };
    expect(settledCost({ ...terms, maxCostWei }, mined)).toBe(BigInt(balanceDeducted));
    // Never more than the reservation; and the whole reservation if the contract's event is missing.
    expect(settledCost({ ...terms, maxCostWei: 5n }, mined)).toBe(5n);
    expect(settledCost({ ...terms, maxCostWei }, { actualGasCost: 1n })).toBe(maxCostWei);
  });

  it('was checked against mined charges', () => {
    expect(charged).toHaveLength(9);
  });

  it.each(modes.filter(({ layout }) => !('hasTanks' in layout && layout.hasTanks)))(
    'is what the EntryPoint took if no tank exists: $id',
    ({ id }) => {
      for (const vector of casesOf(id)) {
        const { entryPoint, paymasterAndData } = vector;
        const terms = { entryPoint, paymasterAndData, op: () => undefined, maxCostWei: 9n };
        expect(settledCost(terms, { actualGasCost: 7n })).toBe(7n);
        expect(settledCost(terms, { actualGasCost: 10n })).toBe(9n);
      }
    },
  );
});

describe('what the sender is charged', () => {
  const charged = modes.flatMap(({ id, layout }) =>
    casesOf(id).flatMap(({ tokenCharge, ...vector }) =>
      tokenCharge === undefined || !('maxTokenCost' in layout) ? [] : [{ id: vector.id, layout, vector, tokenCharge }],
    ),
  );

  it.each(charged)('is never more than was quoted: $id', ({ layout, vector, tokenCharge }) => {
    const most = layout.maxTokenCost(operationOf(vector), vectorTerms(vector));
    expect(most).toBeGreaterThanOrEqual(BigInt(tokenCharge.tokenAmountPaid));
    // Operations use only a small part of their limits, so this checks just the magnitude.
    expect(most).toBeLessThan(BigInt(tokenCharge.tokenAmountPaid) * 40n);
  });

  it('was checked against mined charges', () => {
    expect(charged).toHaveLength(30);
  });
});

describe('from v0.7 on', () => {
  const later = modes.filter(({ layout }) => entryPoints[layout.entryPointVersion].isPacked);

  it.each(later)('an operation without paymaster gas limits is signed with those of the layout: $id', ({ layout }) => {
    fc.assert(
      fc.property(anyOperationV07, anyTerms, anySignature, (op, terms, signature) => {
        const { paymasterVerificationGasLimit: _first, paymasterPostOpGasLimit: _second, ...without } = op;
        const limited = { ...without, ...layout.paymasterGas };
        expect(layout.hash(without, terms)).toBe(layout.hash(limited, terms));
        expect(layout.reservedCost(without)).toBe(layout.reservedCost(limited));
        const finished = withPaymasterAndData(without, layout.encode(without, terms, signature));
        expect(finished).toMatchObject(layout.paymasterGas ?? {});
        expect(packUserOperation(finished).paymasterAndData).toBe(layout.encode(limited, terms, signature));
      }),
      { numRuns: 20 },
    );
  });
});

describe('terms', () => {
  it.each([
    { id: 'biconomy-verifying-singleton-v1.0.0/1', term: 'fundingWallet' },
    { id: 'biconomy-verifying-singleton-v1.1.0/1', term: 'fundingWallet' },
    { id: 'biconomy-sponsorship-v0.7/1', term: 'fundingWallet' },
    { id: 'verifying-paymaster-v0.6/1', term: 'senderNonce' },
    { id: 'pimlico-singleton-v6-erc20/1', term: 'treasury' },
    { id: 'pimlico-singleton-v8-7702hash-verifying/6', term: 'eip7702Delegate' },
    { id: 'parallel-paymaster-v0.9/6', term: 'eip7702Delegate' },
  ] as const)('$id says which term is missing instead of signing without $term', ({ id, term }) => {
    const vector = vectorCases('paymaster-layouts').find((candidate) => candidate.id === id);
    const mode = modes.find((candidate) => id.startsWith(`${candidate.id}/`));
    if (vector === undefined || mode === undefined) throw new Error('no vector');
    const { [term]: _left, ...terms } = vectorTerms(vector);
    expect(() => mode.layout.hash(operationOf(vector), terms)).toThrow(term);
  });
});

it.each([
  ['one', ['1.0.0', '1.1.0', '1.1.0-token', '2.0.0']],
  ['fixed', ['verifying-0.6', 'verifying-0.7', 'verifying-0.8']],
  [
    'many',
    ['singleton-0.6', 'singleton-0.7', 'singleton-0.8', 'singleton-0.8-eip7702', 'singleton-0.9', 'parallel-0.9'],
  ],
] as const)('the steps to another signing key are those of the contract: signers %s, %j', (kind, versions) => {
  expect(versions.map((version) => signerKind(layoutOf(version)))).toEqual(versions.map(() => kind));
});
