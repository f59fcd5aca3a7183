import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sized } from '../../../test/support/combinations.ts';
import { exampleOperationV06, exampleOperationV07 } from '../../engine/rpc/examples.ts';
import { partialUserOperation } from './partial-user-operation.ts';
import { plainSponsorshipOptions, plainUserOperation } from './plain-request.ts';
import { sponsorshipOptions } from './sponsorship.ts';

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789abcdefABCDEF')), minLength: min, maxLength: max });
const bytes = digits(0, 8).map((text) => `0x${text.slice(text.length % 2)}`);
const quantity = fc.oneof(
  { weight: 5, arbitrary: digits(1, 64).map((text) => `0x${text}`) },
  { weight: 5, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 250n }).map(String) },
  { weight: 1, arbitrary: fc.bigInt({ min: 2n ** 255n, max: 2n ** 256n + 9n }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '0',
      '00',
      '07',
      '0x',
      '9'.repeat(77),
      '9'.repeat(78),
      '1'.repeat(78),
      `0x${'f'.repeat(65)}`,
    ),
  },
);
const address = digits(40, 40).map((text) => `0x${text}`);
/** Unusual values that a client may send for any field. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, '', '0x', '0X00', '0xA', '0xAB', true, {}, [], 5, -1, 2 ** 60, '0x1\n'),
  fc.string(),
);
const mostly = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: odd });

const operation = fc.record(
  {
    sender: mostly(address),
    nonce: mostly(quantity),
    callData: mostly(bytes),
    signature: mostly(bytes),
    initCode: mostly(bytes),
    factory: mostly(fc.oneof(address, bytes)),
    factoryData: mostly(bytes),
    callGasLimit: mostly(quantity),
    verificationGasLimit: mostly(quantity),
    preVerificationGas: mostly(quantity),
    maxFeePerGas: mostly(quantity),
    maxPriorityFeePerGas: mostly(quantity),
    paymasterAndData: mostly(bytes),
    paymaster: mostly(address),
    paymasterVerificationGasLimit: mostly(quantity),
    paymasterPostOpGasLimit: mostly(quantity),
    paymasterData: mostly(bytes),
  },
  { requiredKeys: ['sender', 'nonce', 'callData'] },
);
/** Sometimes adds members that the plain format does not have. */
const withOthers = (usual: fc.Arbitrary<object>, ...names: string[]): fc.Arbitrary<object> => {
  const others = fc.oneof(
    { weight: 9, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.record(Object.fromEntries(names.map((name) => [name, odd])), { requiredKeys: [] }) },
  );
  return fc.tuple(usual, others).map(([fields, more]) => ({ ...fields, ...more }));
};

const accountInfo = fc.record(
  { name: mostly(fc.string({ maxLength: 120 })), version: mostly(fc.string()) },
  { requiredKeys: [] },
);
const sponsorshipInfo = fc.record(
  {
    webhookData: mostly(fc.dictionary(fc.string(), fc.jsonValue())),
    smartAccountInfo: mostly(withOthers(accountInfo, 'extra')),
  },
  { requiredKeys: [] },
);
const options = fc.record(
  {
    mode: fc.oneof(
      { weight: 5, arbitrary: fc.constant('SPONSORED') },
      { weight: 1, arbitrary: fc.constantFrom('sponsored', 'SPONSOR', 'ERC20', null) },
    ),
    calculateGasLimits: mostly(fc.boolean()),
    expiryDuration: mostly(fc.oneof(fc.integer({ min: 25, max: 86_405 }), fc.double({ min: 29, max: 31 }))),
    sponsorshipInfo: mostly(withOthers(sponsorshipInfo, 'extra')),
  },
  { requiredKeys: ['mode'] },
);

/** Expects that both parsers give the same result, or that the fast one leaves the value to the schema. */
const agree = <Read>(
  arbitrary: fc.Arbitrary<unknown>,
  plain: (value: unknown) => Read | undefined,
  schema: { parse: (value: unknown) => Read },
): { plain: number; all: number } => {
  const counts = { plain: 0, all: 0 };
  fc.assert(
    fc.property(arbitrary, (value) => {
      // As it arrives: JSON contains no undefined members.
      const sent: unknown = JSON.parse(JSON.stringify(value));
      const read = plain(sent);
      counts.all += 1;
      if (read === undefined) return;
      counts.plain += 1;
      expect(read).toEqual(schema.parse(sent));
    }),
    { numRuns: sized(5_000, 1_000) },
  );
  return counts;
};

describe('the plain spelling is read as the schema reads it', () => {
  test('of operations', () => {
    const { plain, all } = agree(
      withOthers(operation, 'accountGasLimits', 'eip7702Auth', 'extra'),
      plainUserOperation,
      partialUserOperation,
    );
    expect(plain / all).toBeGreaterThan(0.05);
  });

  test('of options', () => {
    const { plain, all } = agree(
      withOthers(options, 'token', 'policyId', 'meta'),
      plainSponsorshipOptions,
      sponsorshipOptions,
    );
    expect(plain / all).toBeGreaterThan(0.1);
  });
});

test.each([
  ['v0.6', exampleOperationV06],
  ['v0.7', exampleOperationV07],
])('the usual operation of %s is plain', (_, op) => {
  expect(plainUserOperation(op)).toEqual(partialUserOperation.parse(op));
});

test('the usual options are plain', () => {
  const usual = {
    mode: 'SPONSORED',
    calculateGasLimits: true,
    expiryDuration: 300,
    sponsorshipInfo: { webhookData: {}, smartAccountInfo: { name: 'BICONOMY', version: '2.0.0' } },
  };
  expect(plainSponsorshipOptions(usual)).toEqual(sponsorshipOptions.parse(usual));
});

test.each<[what: string, value: unknown]>([
  ['an array', []],
  ['null', null],
  ['a member named __proto__', JSON.parse('{"__proto__":{"sender":"0x"},"nonce":"0"}')],
])('%s is left to the schema', (_, value) => {
  expect([plainUserOperation(value), plainSponsorshipOptions(value)]).toEqual([undefined, undefined]);
});
