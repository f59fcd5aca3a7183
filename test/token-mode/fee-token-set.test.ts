import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../src/engine/index.ts';
import { quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { useTokenWorld } from '../support/token-world.ts';

const world = useTokenWorld();
const tempFolder = useTempFolders();
let engine: Engine;
beforeAll(async () => {
  engine = await quickEngine(tempFolder());
  await engine.service.call('chains.set', { chainId: world().chainId, rpc: world().url });
});
afterAll(() => engine.stop());

const fixed = { source: 'static', tokensPerCoin: '3000' } as const;
const set = (fields: Parameters<ReturnType<typeof world>['feeToken']>[0]) =>
  engine.service.call('feeTokens.set', world().feeToken({ rate: fixed, ...fields }));
const list = () => engine.service.call('feeTokens.list', {});

test('decimals that the contract denies are refused, and nothing is stored: every price would be off', async () => {
  const before = await list();
  await expect(set({ decimals: 18 })).rejects.toMatchObject({
    code: 'FEE_TOKEN_MISMATCH',
    message: 'The contract of USDT has 6 decimals, not 18. Use --decimals 6.',
    data: { given: 18, contract: 6 },
  });
  expect(await list()).toEqual(before);
});

test('an address where no token is, is refused', async () => {
  const before = await list();
  const address = `0x${'99'.repeat(20)}` as const;
  await expect(set({ address })).rejects.toMatchObject({ code: 'FEE_TOKEN_MISMATCH' });
  expect(await list()).toEqual(before);
});

test('a token that agrees is stored without a word; another symbol is reported', async () => {
  expect(await set({})).toMatchObject({ decimals: 6, note: 'One native coin is worth 3000 USDT.' });
  expect((await set({ symbol: 'USDC' })).note).toMatch(/^The symbol in the contract is USDT\./);
});

test('feeds are asked once, so that a wrong address shows at once', async () => {
  const rate = {
    source: 'chainlink',
    nativeFeed: world().token.address,
    tokenFeed: world().token.address,
    maxAge: 60,
  } as const;
  expect((await set({ rate })).note).toMatch(
    /^No usable rate for USDT: the (native|token)\/USD feed 0x\w+ did not answer\.$/,
  );
});

test('a token that is set again has the price of now: what the operator sees is what users are charged', async () => {
  const { tokenFeed, nativeFeed } = world();
  const feeds = { nativeFeed: nativeFeed.address, tokenFeed: tokenFeed.address };
  const now = Math.floor(Date.now() / 1000);
  const price = (usd: bigint) => nativeFeed.send('set', [usd * 10n ** 8n, now]);
  await tokenFeed.send('set', [10n ** 18n, now]);
  const setByFeeds = () => set({ rate: { source: 'chainlink', ...feeds, maxAge: 3600 } });
  await price(3000n);
  expect((await setByFeeds()).note).toBe('One native coin is worth 3000 USDT.');
  await price(2000n);
  expect((await setByFeeds()).note).toBe('One native coin is worth 2000 USDT.');
});

test('an unreachable chain, and an unknown one', async () => {
  await engine.service.call('chains.set', { chainId: 777, rpc: 'http://127.0.0.1:1' });
  expect((await set({ chainId: 777, decimals: 18 })).note).toMatch(/^The node of chain 777 cannot be reached/);
  expect((await set({ chainId: 1 })).note).toMatch(/^Not checked against its contract: chain 1 has no RPC URL\./);
  await expect(set({ chainId: 4_242 })).rejects.toMatchObject({ code: 'CHAIN_NOT_SUPPORTED' });
});
