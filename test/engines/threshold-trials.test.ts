import { HDNodeWallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import type { ProcedureInput } from '../../src/api/index.ts';
import { prepareUnreachableChain, startEngine } from '../support/engine.ts';
import { ask, canShare, promiseIn, useEngines } from '../support/several-engines.ts';

const CHAIN = 31337;
const ALLOWED = 4;
const REQUESTS = 6;

describe.skipIf(!canShare)('a desk on PostgreSQL', () => {
  const engines = useEngines();

  it('tries the thresholds of a limit on past decisions', async () => {
    const flags = { database: await engines.server().createDatabase() };
    const engine = await startEngine({ dir: engines.folder(), flags });
    try {
      await prepareUnreachableChain(engine, CHAIN);
      const { paymasterId, apiKey } = await engine.dapp({ chainId: CHAIN, fundingWallet: HDNodeWallet.createRandom() });
      const cycleDuration = { value: 1, unit: 'day' };
      const policyData = { type: 'PAYMASTER', thresholdType: 'COUNT', threshold: String(ALLOWED), cycleDuration };
      const rule = { name: 'Together', policyType: 'PAYMASTER_SA_LIMIT', policyData };
      const { _id: ruleId } = await engine.service.call('rules.create', { paymasterId, rule });
      let signed = 0;
      for (let nonce = 1; nonce <= REQUESTS; nonce += 1) {
        const answer = await ask({ url: engine.url, chainId: CHAIN, apiKey }, nonce);
        if (promiseIn(answer) !== undefined) signed += 1;
      }
      expect(signed).toBe(ALLOWED);

      const update = { threshold: '1', thresholdType: 'COUNT', cycleDuration };
      const change = { name: 'rules.updateLimit', input: { paymasterId, ruleId, update } };
      const { trialId } = await engine.service.call('policies.tryThresholds', {
        change,
        from: 0,
      } as ProcedureInput<'policies.tryThresholds'>);
      const reportAt = async (threshold: string) => {
        for (let seen = -1; ;) {
          const counts = await engine.service.call('policies.atThreshold', { trialId, threshold, seen });
          if (counts === null) throw new Error('The trial was ended meanwhile');
          if (counts.isWhole) return counts.report;
          seen = counts.done;
        }
      };
      expect(await reportAt('1')).toMatchObject({ decisions: REQUESTS, nowDenied: ALLOWED - 1, nowSponsored: 0 });
      expect(await reportAt('5')).toMatchObject({ nowDenied: 0, nowSponsored: 1 });
      expect(await reportAt('100')).toMatchObject({ nowDenied: 0, nowSponsored: REQUESTS - ALLOWED });
    } finally {
      await engine.stop();
    }
  });
});
