import { expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/shared/contract/index.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { RESERVED_WEI, gameCall, gameItems, operation } from '../support/sponsored-world.ts';

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
  expect(rules).toContainEqual({ rule: 'spendingLimit', count: 1 });
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

test('the calls of an operation are told by the registered ABI, with their arguments', async () => {
  const desk = offline();
  const dapp = await desk.dapp();
  const { paymasterId } = dapp;
  const told = async () => {
    const [decision] = await dapp.decisions();
    return desk.call<ProcedureOutput<'decisions.calls'>>('decisions.calls', { decisionId: decision!.id });
  };
  await dapp.sponsor(mint());
  expect(await told()).toMatchObject({
    fault: null,
    calls: [{ target: ITEMS, contract: null, method: null, args: null }],
  });

  const contract = { paymasterId, name: 'Items', address: ITEMS, abi: gameItems.formatJson() };
  await desk.call('contracts.create', { ...contract, whitelistedMethods: ['mint'] });
  expect(await told()).toMatchObject({ calls: [{ contract: 'Items', method: 'mint(uint256)', args: ['3'] }] });

  await dapp.sponsor({ ...mint(), callData: encodeExecute(ITEMS, 0n, '0xa0712d6800') });
  expect(await told()).toMatchObject({ calls: [{ method: 'mint(uint256)', args: null }] });
  await dapp.sponsor({ ...mint(), callData: '0x12345678' });
  expect(await told()).toEqual({ calls: [], fault: expect.stringContaining('0x12345678') });
});

test('who waits for decisions gets them when they are made, and an empty page when none is', async () => {
  const desk = offline();
  const dapp = await desk.dapp();
  type Page = ProcedureOutput<'decisions.next'>;
  const { upTo, decisions } = await desk.call<Page>('decisions.next', {});
  expect(decisions).toEqual([]);

  const waiting = desk.call<Page>('decisions.next', { after: upTo });
  await dapp.sponsor(mint());
  expect((await waiting).decisions.map(({ seq }) => seq)).toEqual([upTo + 1]);

  await dapp.sponsor(mint());
  const missed = await desk.call<Page>('decisions.next', { after: upTo });
  expect(missed.decisions.map(({ seq }) => seq)).toEqual([upTo + 1, upTo + 2]);
  // A page that remembers more than a restored backup holds begins where that ends.
  let ahead: Page | undefined;
  void desk.call<Page>('decisions.next', { after: upTo + 1000 }).then((page) => (ahead = page));
  while (ahead === undefined) await desk.clock.advance(20_000);
  expect(ahead).toEqual({ decisions: [], upTo: upTo + 2, more: false });
});

test('the form can offer the methods of an ABI before it is registered', async () => {
  const desk = offline();
  const abi = gameItems.formatJson();
  expect(await desk.call('contracts.methods', { abi })).toEqual({ methods: ['mint', 'burn'] });
  await expect(desk.call('contracts.methods', { abi: '<script>' })).rejects.toMatchObject({ code: 'VALIDATION' });
});
