import { describe, expect, it, onTestFinished } from 'vitest';
import { auditDesk } from '../support/audit-desk.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { ask, canShare, promiseIn, useEngines } from '../support/several-engines.ts';

const CHAIN = 31337;
const ROUNDS = 12;
/** In flight at the same time, of each engine. */
const CLIENTS = 8;

describe.skipIf(!canShare)('an engine whose line to the database is cut in the middle of a commit', () => {
  const engines = useEngines();

  it.each(['before', 'after'] as const)(
    'answers that the database is away, and only what is stored as promised (cut %s the server has committed)',
    async (when) => {
      const shared = await engines.desk(async ({ dapp, rule }) => {
        const made = await dapp(CHAIN);
        const cycleDuration = { value: 1, unit: 'lifetime' };
        const limit = { type: 'PAYMASTER', thresholdType: 'COUNT', threshold: 1_000_000, cycleDuration };
        await rule(made, { policyType: 'PAYMASTER_SA_LIMIT', policyData: limit });
        return { apiKey: made.apiKey };
      });
      const line = await startDatabaseProxy(shared.database);
      onTestFinished(() => line.stop());
      const [cut, ...others] = await Promise.all([line.url, shared.database].map((url) => engines.start(url)));
      const promised = new Set<string>();
      const answers = { cut: new Map<string, number>(), others: new Map<string, number>() };
      let nonce = 0;
      const askSome = (url: string, of: 'cut' | 'others') =>
        Promise.all(
          Array.from({ length: CLIENTS }, async () => {
            const reply = await ask({ url, chainId: CHAIN, apiKey: shared.apiKey }, (nonce += 1));
            const promise = promiseIn(reply);
            if (promise !== undefined) promised.add(promise);
            const answer = promise === undefined ? `${reply.status} ${reply.error?.code}` : 'promised';
            answers[of].set(answer, (answers[of].get(answer) ?? 0) + 1);
          }),
        );
      for (let round = 0; round < ROUNDS; round += 1) {
        const isCut = line.cutAtCommit(when);
        await Promise.all([...others.map(({ url }) => askSome(url, 'others')), askSome(cut?.url ?? '', 'cut'), isCut]);
        // Nothing sent earlier is in flight any more.
        await askSome(cut?.url ?? '', 'cut');
      }
      const running = [cut, ...others];
      for (const engine of running) engine?.signal('SIGTERM');
      for (const engine of running) await engine?.ended;
      expect([...answers.others.keys()]).toEqual(['promised']);
      expect([...answers.cut.keys()].sort()).toEqual(['503 -32053', 'promised']);

      const stored = (await auditDesk(engines, shared)).promisesBy(() => 'all').get('all') ?? new Set();
      expect([...promised].filter((promise) => !stored.has(promise))).toEqual([]);
      // What was committed unheard counts, since it may have been signed for.
      const unheard = [...stored].filter((promise) => !promised.has(promise)).length;
      if (when === 'before') expect(unheard).toBe(0);
      else expect(unheard).toBeGreaterThan(0);
    },
  );
});
