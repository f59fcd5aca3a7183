import { describe, expect, it } from 'vitest';
import { auditDesk } from '../support/audit-desk.ts';
import type { ServingCli } from '../support/cli.ts';
import { type SharedDesk, ask, canShare, promiseIn, useEngines } from '../support/several-engines.ts';

const CHAIN = 31337;
const KILLS = 51;
const ENGINES = 3;
/** To an engine that is killed at the latest when it has answered them all. */
const REQUESTS = 20;

describe.skipIf(!canShare)('three engines on one database', () => {
  const engines = useEngines({ durable: true });

  const desk = (threshold: number) =>
    engines.desk(async ({ engine, dapp, rule }) => {
      const made = await dapp(CHAIN);
      const cycleDuration = { value: 1, unit: 'lifetime' };
      const limit = { type: 'PAYMASTER', thresholdType: 'COUNT', threshold, cycleDuration };
      await rule(made, { policyType: 'PAYMASTER_SA_LIMIT', policyData: limit });
      const [account] = await engine.service.call('accounts.list', {});
      const { authToken } = await engine.service.run('authTokens.create', { accountId: account?.accountId ?? '' });
      return { apiKey: made.apiKey, authToken };
    });
  let nonce = 0;

  /** Everything that was promised is stored, within the limit; answers how much is stored. */
  const stored = async (shared: SharedDesk, promised: readonly string[]): Promise<number> => {
    const audit = await auditDesk(engines, shared);
    const kept = audit.promisesBy(() => 'all').get('all') ?? new Set();
    expect(promised.filter((promise) => !kept.has(promise))).toEqual([]);
    expect(audit.heldOfLimits()).toEqual([String(kept.size)]);
    return kept.size;
  };

  it('keep what clients were promised, and no limit is exceeded, however often one of them is killed', async () => {
    const threshold = (KILLS * REQUESTS) / 3;
    const shared = await desk(threshold);
    const promised: string[] = [];
    let kills = 0;
    const killAgainAndAgain = async (): Promise<void> => {
      const folder = engines.folder();
      while (kills < KILLS) {
        kills += 1;
        const killAfter = kills % REQUESTS;
        const engine = await engines.start(shared.database, { folder });
        let answered = 0;
        await Promise.all(
          Array.from({ length: REQUESTS }, async () => {
            const asking = { url: engine.url, chainId: CHAIN, apiKey: shared.apiKey };
            const reply = await ask(asking, (nonce += 1)).catch(() => undefined);
            const promise = reply && promiseIn(reply);
            if (promise !== undefined) promised.push(promise);
            answered += 1;
            if (answered > killAfter) engine.signal('SIGKILL');
          }),
        );
        await engine.ended;
      }
    };
    await Promise.all(Array.from({ length: ENGINES }, killAgainAndAgain));
    expect(promised.length).toBeGreaterThan(threshold / 2);
    expect(await stored(shared, promised)).toBeLessThanOrEqual(threshold);
  });

  it('sign nothing while the database is away, and continue by themselves, with all reservations', async () => {
    const shared = await desk(1_000_000);
    const running = await Promise.all(Array.from({ length: ENGINES }, () => engines.start(shared.database)));
    const promised: string[] = [];
    const errors = new Map<string, number>();
    let isOver = false;
    const askOne = async ({ url }: ServingCli) => {
      const reply = await ask({ url, chainId: CHAIN, apiKey: shared.apiKey }, (nonce += 1));
      const promise = promiseIn(reply);
      if (promise !== undefined) promised.push(promise);
      else {
        const error = JSON.stringify([reply.status, reply.error?.code]);
        errors.set(error, (errors.get(error) ?? 0) + 1);
      }
      return reply;
    };
    const load = Promise.allSettled(
      running.flatMap((engine) =>
        Array.from({ length: 4 }, async () => {
          while (!isOver) await askOne(engine);
        }),
      ),
    );
    const signs = async (engine: ServingCli): Promise<void> => {
      await expect.poll(async () => promiseIn(await askOne(engine)), { interval: 200 }).toBeDefined();
    };
    for (let round = 0; round < 3; round += 1) {
      const before = promised.length;
      await expect.poll(() => promised.length).toBeGreaterThan(before + 20);
      await engines.server().kill();
      for (const engine of running) {
        await expect.poll(async () => (await askOne(engine)).error?.code).toBe(-32053);
        const managed = await fetch(`${engine.url}/api/v2/public/sdk/paymaster`, {
          headers: { authToken: shared.authToken },
        });
        expect([managed.status, await managed.json()]).toMatchObject([503, { statusCode: 503 }]);
      }
      await engines.server().start();
      await Promise.all(running.map(signs));
    }
    isOver = true;
    const ends = await load;
    expect(ends.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect([...errors.keys()]).toEqual(['[503,-32053]']);
    for (const engine of running) engine.signal('SIGTERM');
    await Promise.all(running.map(({ ended }) => ended));
    await stored(shared, promised);
  });
});
