import { beforeEach, describe, expect, test } from 'vitest';
import { createRates } from '../../src/engine/chain/rates/rates.ts';
import { createRpcClient } from '../../src/engine/chain/rpc.ts';
import type { RpcClient } from '../../src/engine/chain/rpc.ts';
import { EngineError } from '../../src/shared/errors.ts';
import type { FeeToken } from '../../src/shared/schema/fee-token.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { useTokenWorld } from '../support/token-world.ts';

const world = useTokenWorld();
const seconds = (): number => world().clock.now() / 1000;
const isoTime = (later: number): string => new Date((seconds() + later) * 1000).toISOString();
const NOBODY: Address = `0x${'99'.repeat(20)}`;

/** Rates without anything kept from earlier. */
const rates = (rpc: RpcClient | undefined = world().rpc) => createRates({ rpc: async () => rpc }, world().clock);
const rateOf = (fields?: Partial<FeeToken>) => rates().rateOf(world().feeToken(fields));
const error = (fields?: Partial<FeeToken>) =>
  rateOf(fields).then(
    () => 'usable',
    (error: unknown) => {
      expect(error).toMatchObject({ code: 'CHAIN_UNREACHABLE', rpcCode: -32053 });
      return (error as Error).message;
    },
  );

beforeEach(() => world().price(3000n, 1n));

describe('the exchange rate', () => {
  test("is the token's smallest units for one coin, whatever the decimals of the feeds", async () => {
    expect(await rateOf()).toEqual({ exchangeRate: 3_000_000_000n, usd: { price: 10n ** 18n, decimals: 18 } });
    expect((await rateOf({ decimals: 18 })).exchangeRate).toBe(3000n * 10n ** 18n);
    expect((await rateOf({ decimals: 0 })).exchangeRate).toBe(3000n);
  });

  test('is rounded up, never below the price', async () => {
    await world().price(1n, 3n);
    expect((await rateOf({ decimals: 6 })).exchangeRate).toBe(333_334n);
  });

  test('that the operator has set needs no chain, and is exact', async () => {
    const token = world().feeToken({ rate: { source: 'static', tokensPerCoin: '3000.000001' } });
    expect(await rates().rateOf(token)).toEqual({ exchangeRate: 3_000_000_001n });
  });
});

describe('no price is better than a wrong one', () => {
  test('a feed that has fallen silent is not believed', async () => {
    await world().nativeFeed.send('set', [3000n * 10n ** 8n, seconds() - 3600]);
    expect(await error()).toBe('usable');
    await world().nativeFeed.send('set', [3000n * 10n ** 8n, seconds() - 3601]);
    const { address } = world().nativeFeed;
    expect(await error()).toBe(
      `No usable rate for USDT: the native/USD feed ${address} last answered at ${isoTime(-3601)}, more than 3600 s ago.`,
    );
  });

  test.each([0n, -1n])('a price of %i is none', async (answer) => {
    await world().tokenFeed.send('set', [answer, seconds()]);
    expect(await error()).toContain(`the token/USD feed ${world().tokenFeed.address} answers ${answer}, which is no`);
  });

  test.each([
    [
      'a coin dearer than any',
      10_000_001n * 10n ** 8n,
      10n ** 18n,
      /native\/USD feed 0x\w+ answers 10000001 USD, which/,
    ],
    [
      'a coin whose feed has other decimals than it says',
      3000n,
      10n ** 18n,
      /answers 0.00003 USD, which is not between/,
    ],
    ['a token dearer than any', 3000n * 10n ** 8n, 10n ** 26n, /token\/USD feed 0x\w+ answers 100000000 USD, which/],
    ['a token worth next to nothing', 3000n * 10n ** 8n, 1n, /answers 0.000000000000000001 USD, which is not/],
  ])('%s', async (_what, native, token, message) => {
    await world().nativeFeed.send('set', [native, seconds()]);
    await world().tokenFeed.send('set', [token, seconds()]);
    expect(await error()).toMatch(message);
  });

  test('an answer from the future is an error of the feed or of our clock', async () => {
    await world().tokenFeed.send('set', [10n ** 18n, seconds() + 300]);
    expect(await error()).toBe('usable');
    await world().tokenFeed.send('set', [10n ** 18n, seconds() + 301]);
    expect(await error()).toContain(`has an answer from the future: ${isoTime(301)}`);
    await world().tokenFeed.send('set', [10n ** 18n, 2n ** 255n]);
    expect(await error()).toContain('has an answer from the future: second 5789');
  });

  test('an answer carried over from an older round is an old one', async () => {
    await world().tokenFeed.send('carryOver', []);
    expect(await error()).toContain('repeats an old answer');
  });

  test('a coin worth less than the smallest unit would make operations free', async () => {
    await world().price(1n, 2n);
    expect(await error({ decimals: 0 })).toContain('worth less than the smallest unit');
  });

  test('an address where no feed is', async () => {
    const rate = { source: 'chainlink', maxAge: 3600, tokenFeed: world().tokenFeed.address } as const;
    expect(await error({ rate: { ...rate, nativeFeed: NOBODY } })).toContain(`${NOBODY} is not a price feed`);
    const token = world().token.address;
    expect(await error({ rate: { ...rate, nativeFeed: token } })).toContain(
      `the native/USD feed ${token} did not answer`,
    );
  });

  test('a chain that cannot be reached, and one without a URL', async () => {
    const away = rates(createRpcClient('http://127.0.0.1:1', 'The node of chain 31337', 1000));
    const message = /^No usable rate for USDT: The node of chain 31337 cannot be reached\.$/;
    await expect(away.rateOf(world().feeToken())).rejects.toThrow(message);
    const none = createRates({ rpc: async () => undefined }, world().clock);
    await expect(none.rateOf(world().feeToken())).rejects.toThrow('chain 31337 has no RPC URL');
  });
});

describe('what the coin is worth', () => {
  const source = () => ({ source: 'chainlink', nativeFeed: world().nativeFeed.address, maxAge: 3_600 }) as const;

  test('is what its feed says, and when it said so', async () => {
    expect(await rates().coinPrice(31337, source())).toEqual({ usd: '3000', source: 'feed', updatedAt: seconds() });
    expect(await rates().coinPrice(31337, { source: 'static', usd: '2999.5' })).toEqual({
      usd: '2999.5',
      source: 'static',
    });
  });

  test.each([
    ['an old answer', async () => world().nativeFeed.send('set', [3000n * 10n ** 8n, seconds() - 3601]), /3600 s ago$/],
    ['an insane answer', async () => world().nativeFeed.send('set', [1n, seconds()]), /is not between 0\.0001 and/],
    ['an answer of another round', async () => world().nativeFeed.send('carryOver', []), /repeats an old answer/],
  ])('is unknown by %s', async (_what, lie, words) => {
    await lie();
    expect(await rates().coinPrice(31337, source())).toEqual({ usd: null, error: expect.stringMatching(words) });
  });

  test('is unknown without a node, if it is unreachable, and if its URL cannot be used', async () => {
    const away = createRpcClient('http://127.0.0.1:1', 'The node of chain 31337', 1000);
    expect(await rates(away).coinPrice(31337, source())).toMatchObject({ usd: null });
    const locked = { rpc: () => Promise.reject(new EngineError('VAULT_LOCKED')) };
    expect(await createRates(locked, world().clock).coinPrice(31337, source())).toMatchObject({
      error: expect.stringContaining('(VAULT_LOCKED)'),
    });
    const none = createRates({ rpc: async () => undefined }, world().clock);
    expect(await none.coinPrice(31337, source())).toMatchObject({ error: expect.stringContaining('no RPC URL') });
  });

  test('is not waited for where no rule asks for it; an error is asked for again after two seconds', async () => {
    let answer = (): void => undefined;
    const silent = new Promise<void>((resolve) => (answer = resolve));
    let calls = 0;
    const { rpc } = world();
    const slow: RpcClient = {
      ...rpc,
      async call(...args) {
        calls += 1;
        await silent;
        return rpc.call(...args);
      },
    };
    const kept = rates(slow);
    expect([kept.coinPriceNow(31337, source()), kept.coinPriceNow(31337, source())]).toEqual([undefined, undefined]);
    await world().nativeFeed.send('set', [0n, seconds()]);
    answer();
    expect(await kept.coinPrice(31337, source())).toMatchObject({ usd: null });
    expect(calls).toBe(2);
    await world().clock.advance(1_000);
    expect(kept.coinPriceNow(31337, source())).toMatchObject({ usd: null });
    await world().price(3000n, 1n);
    await world().clock.advance(1_000);
    expect(await kept.coinPrice(31337, source())).toMatchObject({ usd: '3000' });
    expect(kept.coinPriceNow(31337, source())).toMatchObject({ usd: '3000' });
  });
});

describe('rates are kept for some seconds', () => {
  const counting = () => {
    const { rpc } = world();
    let calls = 0;
    const call: RpcClient['call'] = (...args) => {
      calls += 1;
      return rpc.call(...args);
    };
    return { rates: rates({ ...rpc, call }), calls: () => calls };
  };

  test('so that a quote and its operation have one price, and a crowd is one request', async () => {
    const { rates: kept, calls } = counting();
    const token = world().feeToken();
    const [first] = await Promise.all([kept.rateOf(token), kept.rateOf(token)]);
    expect(calls()).toBe(4);
    await world().price(4000n, 1n);
    await world().clock.advance(9_999);
    expect(await kept.rateOf(token)).toEqual(first);
    await world().clock.advance(1);
    expect((await kept.rateOf(token)).exchangeRate).toBe(4_000_000_000n);
    expect(calls()).toBe(8);
  });

  test('but not for a token that was set again, and never errors', async () => {
    const { rates: kept, calls } = counting();
    await kept.rateOf(world().feeToken());
    expect((await kept.rateOf(world().feeToken({ decimals: 8 }))).exchangeRate).toBe(300_000_000_000n);
    expect(calls()).toBe(8);
    await world().tokenFeed.send('set', [0n, seconds()]);
    const other = world().feeToken({ decimals: 9 });
    await expect(kept.rateOf(other)).rejects.toThrow('not a price');
    await world().price(3000n, 1n);
    expect((await kept.rateOf(other)).exchangeRate).toBe(3_000_000_000_000n);
  });
});
