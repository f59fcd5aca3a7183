import { expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import type { FeedPage } from '../../src/shared/schema/decision.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { RESERVED_WEI, gameCall, gameItems, operation } from '../support/operations.ts';

const offline = useOfflineDesk();
const ITEMS = `0x${'1f'.repeat(20)}` as const;
const mint = () => operation({ to: ITEMS, data: gameCall('mint', 3n) });

test('the overview counts what was decided, and what it may cost, by time', async () => {
  const desk = offline();
  const dapp = await desk.dapp();
  await desk.limit(dapp, { thresholdType: 'COUNT', threshold: 2 });
  const before = await desk.call<ProcedureOutput<'decisions.summary'>>('decisions.summary', { hours: 1, steps: 2 });
  for (let i = 0; i < 3; i += 1) await dapp.sponsor(mint());
  const { outcomes, rules, spent, from, stepMs } = await desk.call<typeof before>('decisions.summary', {
    hours: 1,
    steps: 2,
  });
  expect({ from, stepMs }).toEqual({ from: desk.clock.now() - 3_600_000, stepMs: 1_800_000 });
  expect(outcomes).toEqual([
    { sponsored: 0, denied: 0, error: 0 },
    {
      sponsored: before.outcomes[1]!.sponsored + 2,
      denied: before.outcomes[1]!.denied + 1,
      error: before.outcomes[1]!.error,
    },
  ]);
  expect(rules).toContainEqual({ rule: 'spendingLimit', name: 'Spending limit', count: 1 });
  const newWei = BigInt(spent[0]!.wei[1]!) - BigInt(before.spent[0]?.wei[1] ?? '0');
  expect([spent[0]!.chainId, newWei]).toEqual([31337, 2n * RESERVED_WEI]);
});

test('what is older than the time asked for is not counted', async () => {
  const desk = offline();
  const dapp = await desk.dapp();
  await dapp.sponsor(mint());
  await desk.clock.advance(2 * 3_600_000);
  const { outcomes } = await desk.call<ProcedureOutput<'decisions.summary'>>('decisions.summary', {
    hours: 1,
    steps: 1,
  });
  expect(outcomes).toEqual([{ sponsored: 0, denied: 0, error: 0 }]);
});

test('the calls of an operation are shown by the registered ABI, with their arguments', async () => {
  const desk = offline();
  const dapp = await desk.dapp();
  const { paymasterId } = dapp;
  const told = async () => {
    const [decision] = await dapp.decisions();
    return desk.call<ProcedureOutput<'decisions.calls'>>('decisions.calls', { decisionId: decision!.id });
  };
  await dapp.sponsor(mint());
  expect(await told()).toMatchObject({
    error: null,
    calls: [{ target: ITEMS, contract: null, method: null, args: null }],
  });

  const contract = { paymasterId, name: 'Items', address: ITEMS, abi: gameItems.formatJson() };
  await desk.call('contracts.create', { ...contract, whitelistedMethods: ['mint'] });
  expect(await told()).toMatchObject({ calls: [{ contract: 'Items', method: 'mint(uint256)', args: ['3'] }] });

  await dapp.sponsor({ ...mint(), callData: encodeExecute(ITEMS, 0n, '0xa0712d6800') });
  expect(await told()).toMatchObject({ calls: [{ method: 'mint(uint256)', args: null }] });
  await dapp.sponsor({ ...mint(), callData: '0x12345678' });
  expect(await told()).toEqual({ calls: [], error: expect.stringContaining('0x12345678') });
});

test('who waits for the feed gets rows of what is made, and an empty page when nothing is', async () => {
  const desk = offline();
  const dapp = await desk.dapp();
  const follow = (input: object): Promise<FeedPage> => desk.call('decisions.follow', input);
  const { upTo, rows } = await follow({ wait: false });
  expect(rows).toEqual([]);

  const waiting = follow({ after: upTo });
  await dapp.sponsor(mint());
  const [decision] = await dapp.decisions();
  const { seq, id, message } = decision!;
  expect((await waiting).rows).toEqual([expect.objectContaining({ seq, id, message, isNew: true })]);
  expect((await waiting).rows[0]).not.toHaveProperty('trace');

  await dapp.sponsor(mint());
  const missed = await follow({ after: upTo });
  expect(missed.rows.map((row) => row.seq)).toEqual([seq, seq + 1]);
  // A page that remembers more than a restored backup holds begins where that ends.
  let ahead: FeedPage | undefined;
  void follow({ after: upTo + 1000 }).then((page) => (ahead = page));
  while (ahead === undefined) await desk.clock.advance(20_000);
  expect(ahead).toEqual({ rows: [], upTo: missed.upTo, more: false });
});

test('settlement reaches followers when it happens, and others when they return', async () => {
  const desk = offline();
  const dapp = await desk.dapp();
  const { service } = desk.engine();
  const pages: FeedPage[] = [];
  const subscription = service.follow(undefined, (page) => void pages.push(page));
  await dapp.sponsor(mint(), { expiryDuration: 60 });
  await expect.poll(() => pages.length).toBe(2);
  const [start, made] = pages as [FeedPage, FeedPage];
  expect([start.rows, made.rows.map(({ settlement, isNew }) => [settlement, isNew])]).toEqual([
    [],
    [['reserved', true]],
  ]);
  // No chain can be asked: the reservation ends as unconfirmed. Nothing is decided meanwhile.
  while ((await dapp.decisions())[0]?.settlement === 'reserved') await desk.clock.advance(600_000);
  // Those of other tests end too.
  const settled = { ...made.rows[0], isNew: false, settlement: 'unconfirmed' };
  await expect.poll(() => pages.flatMap(({ rows }) => rows)).toContainEqual(settled);
  subscription.cancel();
  await subscription.ended;
  const missed = await desk.call<FeedPage>('decisions.follow', { after: made.upTo });
  expect(missed.rows).toContainEqual(settled);
});

test('the form can offer the methods of an ABI before it is registered', async () => {
  const desk = offline();
  const abi = gameItems.formatJson();
  expect(await desk.call('contracts.methods', { abi })).toEqual({ methods: ['mint', 'burn'] });
  await expect(desk.call('contracts.methods', { abi: '<script>' })).rejects.toMatchObject({ code: 'VALIDATION' });
});
