import { describe, expect, test } from 'vitest';
import { EngineError } from '../errors.ts';
import { feeTokenDefinition } from './fee-token.ts';
import { parse } from './parse.ts';

const ADDRESS = `0x${'a0'.repeat(20)}`;
const usdc = {
  chainId: 1,
  address: ADDRESS,
  symbol: 'USDC',
  decimals: 6,
  premium: '13',
  rate: { source: 'static', tokensPerCoin: '3000.5' },
};
const read = (fields: object) => parse(feeTokenDefinition, { ...usdc, ...fields });
const error = (fields: object): unknown => {
  try {
    return read(fields);
  } catch (error) {
    return error instanceof EngineError ? error.message : error;
  }
};

describe('the premium is kept as it was meant', () => {
  test.each([
    ['0', '0'],
    ['13', '13'],
    ['2.5', '2.5'],
    ['2.50', '2.5'],
    ['10', '10'],
    ['10.0', '10'],
    ['0.0001', '0.0001'],
    ['100', '100'],
    ['100.0', '100'],
  ])('%s', (written, kept) => expect(read({ premium: written }).premium).toBe(kept));

  test.each(['', '-1', '013', '1e1', '100.1', '101', '0.00001', '.5', '5.', '13%', 13])('%s is refused', (premium) =>
    expect(error({ premium })).toBe('premium must be a percentage from 0 to 100 with at most 4 decimals'),
  );
});

describe('a rate', () => {
  const rate = (tokensPerCoin: unknown) => ({ rate: { source: 'static', tokensPerCoin } });

  test.each([
    ['3000.5', '3000.5'],
    ['3000.50', '3000.5'],
    ['0.000001', '0.000001'],
    ['1e-6', '0.000001'],
  ])('of %s is kept by its digits', (written, kept) =>
    expect(read(rate(written)).rate).toEqual({ source: 'static', tokensPerCoin: kept }),
  );

  test.each(['0', '-1', '', 'three', '0x10', 3000.5, null])(
    'of %s is refused, or every operation would be free',
    (given) =>
      expect(error(rate(given))).toBe('rate.tokensPerCoin must be a positive number of whole tokens per native coin'),
  );

  test('finer than the token is refused, and not rounded', () => {
    expect(error(rate('0.0000001'))).toBe('rate.tokensPerCoin must have at most 6 decimals, as the token has');
  });

  test('of feeds is as old as a day and an hour at most, unless something else is said', () => {
    const feeds = { source: 'chainlink', nativeFeed: ADDRESS, tokenFeed: ADDRESS };
    expect(read({ rate: feeds }).rate).toEqual({ ...feeds, maxAge: 90_000 });
    expect(error({ rate: { ...feeds, maxAge: 59 } })).toBe(
      'rate.maxAge must be a whole number of seconds from 60 to 604800',
    );
    expect(error({ rate: { ...feeds, tokenFeed: '0x12' } })).toBe('rate.tokenFeed must be an EVM address');
  });
});

test.each([-1, 37, 6.5, '6'])('%s decimals are refused', (decimals) =>
  expect(error({ decimals })).toBe('decimals must be a whole number from 0 to 36'),
);
