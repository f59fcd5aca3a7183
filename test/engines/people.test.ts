import { describe, expect, it } from 'vitest';
import { requestSponsorship } from '../../src/demo/sponsor-rpc.ts';
import { auditDesk } from '../support/audit-desk.ts';
import { accountOf, backend, voucherFor } from '../support/people.ts';
import { canShare, promiseIn, useEngines } from '../support/several-engines.ts';
import { signableOperation } from '../support/signing-folder.ts';

const ENGINES = 3;
const REQUESTS = 1_000;
const PEOPLE = 50;
const EACH = 3;
const CHAIN = 31337;

describe.skipIf(!canShare)('people at three engines on one database', () => {
  const engines = useEngines();

  it('get exactly what a person may have, over a thousand accounts, through a restart', async () => {
    const desk = await engines.desk(async ({ dapp, rule }) => {
      const made = await dapp(CHAIN);
      await rule(made, { policyType: 'IDENTITY', policyData: { source: 'VOUCHER', signer: backend.address } });
      const cycleDuration = { value: 1, unit: 'lifetime' };
      const policyData = { type: 'SUBJECT', thresholdType: 'COUNT', threshold: EACH, cycleDuration };
      await rule(made, { policyType: 'PAYMASTER_SA_LIMIT', policyData });
      return made;
    });
    const { paymasterId, apiKey } = desk;
    const expiresAt = Math.floor(Date.now() / 1000) + 3_600;
    const vouched = await Promise.all(
      Array.from({ length: REQUESTS }, async (_, index) => {
        const sender = accountOf(index);
        return {
          sender,
          voucher: await voucherFor({ paymasterId, sender, subject: `person ${index % PEOPLE}`, expiresAt }),
        };
      }),
    );
    /** Sends every request to one of the engines, all at once. */
    const flood = async (): Promise<string[]> => {
      const running = await Promise.all(Array.from({ length: ENGINES }, () => engines.start(desk.database)));
      const replies = await Promise.all(
        vouched.map(({ sender, voucher }, index) => {
          const url = running[index % ENGINES]?.url ?? '';
          const op = { ...signableOperation(index), sender };
          return requestSponsorship({ url, chainId: CHAIN, apiKey }, [op, { mode: 'SPONSORED', voucher }]);
        }),
      );
      expect(replies.flatMap(({ error }) => error ?? [])).toEqual([]);
      for (const engine of running) engine.signal('SIGTERM');
      for (const { ended } of running) await ended;
      return replies.flatMap((reply) => promiseIn(reply) ?? []);
    };
    const given = await flood();
    expect(given).toHaveLength(PEOPLE * EACH);
    // The vault is shared, so engines that start later know the same people.
    expect(await flood()).toEqual([]);
    const audit = await auditDesk(engines, desk);
    expect(audit.promisesBy(() => 'all').get('all')).toEqual(new Set(given));
    expect(audit.heldOfLimits()).toEqual(Array<string>(PEOPLE).fill(String(EACH)));
  });
});
