import { HDNodeWallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditDesk } from '../support/audit-desk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type SharedDesk, ask, canShare, promiseIn, useEngines } from '../support/several-engines.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';

const CHAIN = 900_002;
/** How far the clocks of three machines are apart, ms. */
const AHEAD_MS = [0, 1_500, -2_500] as const;
const HOUR = 3_600_000;
/** Per hour. */
const LIMIT = 40;
const ROUNDS = 12;

describe.skipIf(!canShare)('engines on one database whose clocks differ', () => {
  const engines = useEngines();
  let shared: SharedDesk & { readonly dapp: SponsoredDapp };
  const running: { readonly engine: ServingEngine; readonly clock: ManualClock }[] = [];
  beforeAll(async () => {
    shared = await engines.desk(async ({ engine, dapp, rule }) => {
      await engine.service.call('chains.set', { chainId: CHAIN, name: 'Quiet chain' });
      const [made] = [
        await dapp(CHAIN),
        await engine.dapp({ chainId: CHAIN, fundingWallet: HDNodeWallet.createRandom() }),
      ];
      const breaker = { amountWei: String(10n ** 24n), seconds: 60 };
      await engine.service.call('chains.set', { chainId: CHAIN, breaker });
      const cycleDuration = { value: 1, unit: 'hour' };
      const limit = { type: 'PAYMASTER', thresholdType: 'COUNT', threshold: LIMIT, cycleDuration };
      await rule(made, { policyType: 'PAYMASTER_SA_LIMIT', policyData: limit });
      return { dapp: made };
    });
    const now = Date.now();
    for (const aheadMs of AHEAD_MS) {
      const clock = new ManualClock(now + HOUR + aheadMs);
      running.push({
        clock,
        engine: await startEngine({ dir: engines.folder(), flags: { database: shared.database }, clock }),
      });
    }
  });
  afterAll(async () => {
    for (const { engine } of running) await engine.stop();
  });

  it('keep limits and breaker, and a log that is decided the same again', async () => {
    const { apiKey } = shared.dapp;
    let nonce = 0;
    const signed: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(
        running.flatMap(({ engine }) =>
          Array.from({ length: 6 }, async () => {
            const promise = promiseIn(await ask({ url: engine.url, chainId: CHAIN, apiKey }, (nonce += 1)));
            if (promise !== undefined) signed.push(promise);
          }),
        ),
      );
      for (const { clock } of running) await clock.advance(HOUR / 6);
    }
    const audit = await auditDesk(engines, shared);
    expect(new Set(signed)).toEqual(audit.promisesBy(() => 'all').get('all'));
    for (const held of audit.heldOfLimits()) expect(Number(held)).toBeLessThanOrEqual(LIMIT);
  });
});
