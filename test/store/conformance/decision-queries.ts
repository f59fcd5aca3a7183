import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/engine/store/store.ts';
import { decision, limitRule, paymaster, smartContract, webhook } from '../../support/store-records.ts';
import { type OpenStore, useStore } from './open-store.ts';
import { sized } from '../../support/combinations.ts';
import { endExpired } from '../../support/end-expired.ts';

const WALLET = '0x00000000000000000000000000000000000000ff';

/** What every {@link Store} does. */
export const describeDecisionQueries = (open: OpenStore): void => {
  let store: Store;
  const reopen = useStore(open, (opened) => {
    store = opened;
  });

  describe('decisions', () => {
    const append = (fields: Parameters<typeof decision>[0]) => store.appendDecision(decision(fields));

    it('keeps a decision as it was made, trace and 256-bit numbers included', async () => {
      const stored = await append({});
      expect(stored).toEqual({ ...decision(), seq: stored.seq });
      expect(await store.findDecision('decision-1')).toEqual(stored);
      expect(await store.findDecision('decision-2')).toBeUndefined();
    });

    it('numbers decisions by their places in the log, also across a restart', async () => {
      const seqs = [await append({ id: 'a' }), await append({ id: 'b' })].map(({ seq }) => seq);
      await reopen();
      seqs.push((await append({ id: 'c' })).seq);
      const places = await Promise.all(['a', 'b', 'c'].map((id) => store.entryOfDecision(id)));
      expect(seqs).toEqual(places);
      expect(new Set(seqs).size).toBe(3);
      expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
      expect(await store.countDecisions()).toBe(3);
    });

    it('lists the newest first, filtered and page by page', async () => {
      await store.createDapp(paymaster({ paymasterId: 'dapp-2', name: 'Second' }));
      const seqs = [0];
      for (let n = 1; n <= 12; n += 1) {
        const { seq } = await append({
          id: String(n),
          paymasterId: n % 2 === 0 ? 'dapp-1' : 'dapp-2',
          outcome: n % 3 === 0 ? 'denied' : 'sponsored',
        });
        seqs.push(seq);
      }
      const ids = async (filter: Omit<Parameters<Store['listDecisions']>[0], 'limit'>, limit = 100) =>
        (await store.listDecisions({ ...filter, limit })).map(({ id }) => Number(id));

      expect(await ids({}, 3)).toEqual([12, 11, 10]);
      expect(await ids({ before: seqs[10] }, 3)).toEqual([9, 8, 7]);
      expect(await ids({ paymasterId: 'dapp-1' })).toEqual([12, 10, 8, 6, 4, 2]);
      expect(await ids({ outcome: 'denied' })).toEqual([12, 9, 6, 3]);
      expect(await ids({ outcome: 'denied', before: seqs[9] })).toEqual([6, 3]);
      expect(await ids({ paymasterId: 'dapp-1', outcome: 'denied' })).toEqual([12, 6]);
      expect(await ids({ paymasterId: 'dapp-2', outcome: 'sponsored', before: seqs[11] }, 2)).toEqual([7, 5]);
      expect(await ids({ paymasterId: undefined, outcome: undefined, before: undefined }, 1)).toEqual([12]);
      expect(await ids({ paymasterId: 'nobody' })).toEqual([]);
    });

    it('counts the decisions of one DApp, or of all, from a time on', async () => {
      await store.createDapp(paymaster({ paymasterId: 'dapp-2', name: 'Second' }));
      for (const [at, paymasterId, outcome, rule] of [
        [5, 'dapp-1', 'denied', 'fees'],
        [10, 'dapp-1', 'denied', 'fees'],
        [15, 'dapp-2', 'denied', 'contracts'],
        [25, 'dapp-1', 'sponsored', null],
      ] as const) {
        await append({ id: String(at), at, paymasterId, outcome, rule, settlement: null });
      }
      const counted = async (paymasterId?: string) => {
        const { outcomes, rules } = await store.summarizeDecisions({ paymasterId, from: 10, stepMs: 10, steps: 2 });
        return [outcomes.map(({ sponsored, denied }) => [sponsored, denied]), Object.fromEntries(rules)];
      };
      const none = [0, 0];
      expect(await counted()).toEqual([
        [
          [0, 2],
          [1, 0],
        ],
        { fees: 1, contracts: 1 },
      ]);
      expect(await counted('dapp-1')).toEqual([
        [
          [0, 1],
          [1, 0],
        ],
        { fees: 1 },
      ]);
      expect(await counted('dapp-2')).toEqual([[[0, 1], none], { contracts: 1 }]);
      expect(await counted('nobody')).toEqual([[none, none], {}]);
    });

    it('finds text in whatever letters, as it is written, however far back, and lets others work meanwhile', async () => {
      const calls = [{ target: '0xc0de', selector: '0xa0712d68', contract: 'Items 100%', method: 'mint(uint256)' }];
      await append({ id: 'old', message: 'The Limit "One a day" is reached', userOpHash: `0x${'5e'.repeat(32)}` });
      await append({ id: 'calling', request: { calls }, sender: '0x00000000000000000000000000000000000000fe' });
      await Promise.all(Array.from({ length: 1_500 }, (_, n) => append({ id: `other-${n}` })));
      const ids = async (text: string) => (await store.listDecisions({ text, limit: 9 })).map(({ id }) => id);
      for (const text of ['the limit "one a day"', '5e5e5e5e5e', 'old']) expect(await ids(text)).toEqual(['old']);
      for (const text of ['mint(uint', '0xa0712d68', 'items 100%', '00fe'])
        expect(await ids(text)).toEqual(['calling']);
      for (const text of ['%', '_________', "' or 1 = 1 --"]) expect((await ids(text)).includes('old')).toBe(false);

      let turns = 0;
      const count = (): void => {
        turns += 1;
        next = setImmediate(count);
      };
      let next = setImmediate(count);
      expect(await ids('nowhere')).toEqual([]);
      clearImmediate(next);
      expect(turns).toBeGreaterThan(2);
    });

    it('finds the same with the search index as without it, however much of that is filled or stored', async () => {
      const hex = (n: number, digits: number): string =>
        (n * 2_654_435_761).toString(16).padStart(digits, '0').slice(-digits);
      const names = ['Game “Ü”', 'İstanbul', 'shop 日本', 'plain'];
      const made = (n: number) => ({
        id: `id-${hex(n, 12)}`,
        sender: `0x${hex(n % 17, 40)}`,
        userOpHash: n % 5 === 0 ? null : `0x${hex(n, 8).repeat(8)}`,
        dapp: names[n % names.length]!,
        message: n % 100 === 7 ? `Limit ${n} is “reached”~` : 'Sponsored.',
        request: { calls: [{ target: `0x${hex(n % 29, 40)}`, method: n % 11 === 0 ? 'mint(uint256)' : undefined }] },
      });
      const appendMade = (from: number, to: number) =>
        Promise.all(Array.from({ length: to - from }, (_, n) => append(made(from + n))));
      const searched = (n: number): string[] => {
        const { id, sender, userOpHash, message } = made(n);
        return [id, id.slice(-4), sender.slice(5, 11), sender.slice(-2), userOpHash?.slice(20, 33) ?? 'ü', message];
      };
      const texts = [
        '~',
        '"',
        'zz',
        'q',
        '日',
        '日本',
        '本',
        'i̇stanbul',
        '“ü”',
        'mint(',
        '","method',
        'ab12cd34',
        '1',
        '0000000000',
      ];
      const search = async () => {
        const found: Record<string, unknown> = {};
        for (const text of [...texts, ...[0, 7, 1_234, 16_000].flatMap(searched)].map((one) => one.toLowerCase())) {
          const [first, ...rest] = await store.listDecisions({ text, limit: 40 });
          const ids = [first, ...rest].map((one) => one?.id);
          const next = first && (await store.listDecisions({ text, before: first.seq, limit: 3 })).map(({ id }) => id);
          const other = await store.listDecisions({ text, sender: made(3).sender, limit: 2 });
          found[text] = [ids, next, other.map(({ id }) => id)];
        }
        for (const n of [0, 5, 16, 17]) {
          const sender = `0x${hex(n, 40)}`;
          found[sender] = (await store.listDecisions({ sender, limit: 30 })).map(({ seq }) => seq);
        }
        return found;
      };
      const fill = async (): Promise<void> => {
        while (await store.fillSearchIndex(true));
      };
      await appendMade(0, 300);
      const few = await search();
      expect(await store.fillSearchIndex(true)).toBe(true);
      expect(await search()).toEqual(few);
      await fill();
      expect(await search()).toEqual(few);
      // Enough for a lot to be stored.
      await appendMade(300, sized(17_000, 1_000));
      const all = await search();
      await fill();
      expect(await search()).toEqual(all);
      await reopen();
      expect(await search()).toEqual(all);
    });

    it('finds an operation by its nonce, and what was signed by its bytes', async () => {
      const sender = `0x${'5e'.repeat(20)}`;
      await append({ id: 'first', sender, nonce: '1' });
      await append({ id: 'second', sender, nonce: '2', paymasterAndData: '0xabcd' });
      await append({ id: 'other', nonce: '2' });
      const ids = async (filter: object) => (await store.listDecisions({ ...filter, limit: 9 })).map(({ id }) => id);
      expect(await ids({ sender, nonce: '2' })).toEqual(['second']);
      expect(await ids({ nonce: '3' })).toEqual([]);
      expect(await ids({ paymasterAndData: '0xabcd' })).toEqual(['second']);
      expect(await ids({ paymasterAndData: '0xab' })).toEqual([]);
    });

    it('lists rows: what a list shows of a decision, without its request and trace', async () => {
      const { id, at, paymasterId, dapp, chainId, sender, mode, outcome, code, rule, ...rest } = await append({
        outcome: 'denied',
        code: 'NO',
        rule: 'contracts',
        message: 'm'.repeat(900),
        hint: 'Add it.',
        request: 'x'.repeat(700_000),
      });
      const { seq, hint, maxCostWei, actualCostWei, settlement } = rest;
      const row = { id, seq, at, paymasterId, dapp, chainId, sender, mode, outcome, code, rule, hint };
      expect(await store.listDecisions({ limit: 9 })).toEqual([
        { ...row, message: 'm'.repeat(500), maxCostWei, actualCostWei, settlement },
      ]);
    });

    it('lists as many as are asked for, however big they are', async () => {
      for (let n = 1; n <= 5; n += 1) await append({ id: String(n), request: 'x'.repeat(700_000) });
      const ids = async (filter: Parameters<Store['listDecisions']>[0]) =>
        (await store.listDecisions(filter)).map(({ id }) => Number(id));
      expect(await ids({ limit: 4 })).toEqual([5, 4, 3, 2]);
      expect(await ids({ limit: 9 })).toEqual([5, 4, 3, 2, 1]);
    });

    it('reports new decisions and changes by settlement in the order of the commits, from any position on', async () => {
      const a = await append({ id: 'a', validUntil: 20 });
      const b = await append({ id: 'b', validUntil: 90 });
      const start = await store.pageFeed({ after: 0, limit: 9 });
      expect(start).toMatchObject({ rows: [{ id: 'a', isNew: true }, { id: 'b' }], upTo: b.seq, more: false });
      expect(await store.pageFeed({ after: Number.MAX_SAFE_INTEGER, limit: 9 })).toEqual({
        rows: [],
        upTo: b.seq,
        more: false,
      });

      const expiry = { chainId: 31337, validUntilBefore: 50, to: 'released' } as const;
      const c = await append({ id: 'c' });
      await endExpired(store, expiry);
      const d = await append({ id: 'd' });
      await reopen();
      const told = [
        { id: 'c', isNew: true },
        { id: 'a', isNew: false, settlement: 'released' },
        { id: 'c', isNew: false },
        { id: 'd', isNew: true },
      ];
      const { rows, upTo } = await store.pageFeed({ after: start.upTo, limit: 9 });
      expect(rows).toMatchObject(told);
      expect(rows.map(({ seq }) => seq)).toEqual([c.seq, a.seq, c.seq, d.seq]);
      const [first, second] = [
        await store.pageFeed({ after: b.seq, limit: 3 }),
        await store.pageFeed({ after: c.seq + 2, limit: 3 }),
      ];
      expect([first.more, first.upTo, second.more, second.upTo]).toEqual([true, c.seq + 2, false, upTo]);
      expect([...first.rows, ...second.rows]).toEqual(rows);
    });

    it('lists the calls to webhooks of the newest decisions, without what was sent and answered', async () => {
      const call = { webhookId: 'w', url: `https://a.example/?${'q'.repeat(600)}`, method: 'GET' as const };
      const exchange = { ...call, request: { headers: {}, body: 'sent' }, response: 'answered' };
      const made = { rule: 'webhook', outcome: 'deny' as const, code: 'WEBHOOK_TIMEOUT', evidence: {}, micros: 84_000 };
      const { trace } = decision();
      await append({ id: 'old', trace: [{ ...made, call: exchange }] });
      await append({ id: 'none' });
      const verified = { ...made, outcome: 'pass' as const, code: 'WEBHOOK_VERIFIED' };
      await append({
        id: 'two',
        trace: [...trace, { ...made, call: exchange }, { ...verified, call: { ...exchange, status: 200 } }],
      });
      const shown = { decisionId: 'two', at: decision().at, ...call, url: call.url.slice(0, 500) };
      const outcome = { outcome: 'deny', code: 'WEBHOOK_TIMEOUT', status: null, micros: 84_000 };
      const two = [
        { ...shown, ...outcome, index: trace.length },
        { ...shown, outcome: 'pass', code: 'WEBHOOK_VERIFIED', status: 200, micros: 84_000, index: trace.length + 1 },
      ];
      expect(await store.webhookCalls({ paymasterId: 'dapp-1', decisions: 2 })).toEqual(two);
      const all = [...two, { ...shown, ...outcome, decisionId: 'old', index: 0 }];
      expect(await store.webhookCalls({ paymasterId: 'dapp-1', decisions: 100 })).toEqual(all);
      expect(await store.webhookCalls({ paymasterId: 'nobody', decisions: 100 })).toEqual([]);
    });

    it('reads the oldest first, in pages that are short where decisions are big, to the last', async () => {
      for (let n = 1; n <= 6; n += 1) {
        await append({ id: String(n), request: n > 3 ? 'x'.repeat(700_000) : '', sender: n % 2 === 0 ? WALLET : '0x' });
      }
      const pages = async (filter: Omit<Parameters<Store['pageDecisions']>[0], 'after' | 'limit'>, limit: number) => {
        const ids: number[][] = [];
        for (let [after, isLast] = [0, false]; !isLast;) {
          const { decisions, upTo, more } = await store.pageDecisions({ ...filter, after, limit });
          ids.push(decisions.map(({ id }) => Number(id)));
          [after, isLast] = [upTo, !more];
        }
        return ids;
      };

      expect(await pages({}, 100)).toEqual([[1, 2, 3, 4, 5], [6]]);
      expect(await pages({}, 2)).toEqual([[1, 2], [3, 4], [5, 6], []]);
      expect(await pages({ sender: WALLET }, 100)).toEqual([[2, 4, 6], []]);
      expect(await pages({ sender: '0xnobody' }, 100)).toEqual([[]]);
    });
  });

  it('has everything it acknowledged when it is opened again', async () => {
    await store.createContract(smartContract());
    await store.createRule(limitRule());
    await store.createWebhook(webhook());
    await store.saveFundingMessage({ paymasterId: 'dapp-1', message: 'Nonce: 1', issuedAt: 1 });
    const unset = {
      name: null,
      symbol: null,
      rpc: null,
      bundler: null,
      treasury: null,
      breaker: null,
      unreachableBudgetWei: null,
      maxOperationCostWei: null,
      forwardBundler: null,
      price: null,
      gasSchedule: null,
    };
    await store.saveChain({ chainId: 5, ...unset });
    await store.saveSigner({ chainId: 5, address: WALLET });
    await store.appendDecision(decision());
    const read = async () => ({
      accounts: await store.listAccounts(),
      dapps: await store.listDapps(),
      policy: await store.dappPolicy('dapp-1'),
      message: await store.findFundingMessage('dapp-1'),
      chains: await store.listChains(),
      signers: await store.listSigners(),
      decisions: await store.listDecisions({ limit: 10 }),
    });
    const before = await read();

    await reopen();

    expect(await read()).toEqual(before);
    expect(before.decisions).toHaveLength(1);
  });
};
