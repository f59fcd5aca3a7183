import { describe, expect, it } from 'vitest';
import { eventOf } from '../event-webhooks/desk-events.ts';
import { auditDesk } from '../support/audit-desk.ts';
import { ask, canShare, promiseIn, useEngines } from '../support/several-engines.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const CHAIN = 31337;
const EVENTS = 60;

describe.skipIf(!canShare)('of several engines on one database', () => {
  const engines = useEngines();

  it('another one delivers events when the one that did was killed: none is lost, and their order stays', async () => {
    const receiver = await startReceiver((_call, response) => void response.writeHead(204).end());
    const shared = await engines.desk(async ({ dapp, engine }) => {
      const { apiKey, paymasterId } = await dapp(CHAIN);
      await engine.service.call('eventWebhooks.create', { paymasterId, url: receiver.url });
      return { apiKey };
    });
    const running = [await engines.start(shared.database), await engines.start(shared.database)];
    const [leader, other] = running as [(typeof running)[0], (typeof running)[0]];
    let nonce = 0;
    const sponsor = async (url: string, count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        nonce += 1;
        expect(promiseIn(await ask({ url, chainId: CHAIN, apiKey: shared.apiKey }, nonce))).toBeDefined();
      }
    };
    await sponsor(leader.url, EVENTS / 3);
    await expect.poll(() => receiver.calls.length).toBeGreaterThan(0);
    // The other engine decides while the first one delivers, and is killed in the middle of it.
    await Promise.all([
      sponsor(other.url, EVENTS / 3),
      expect
        .poll(() => receiver.calls.length)
        .toBeGreaterThan(EVENTS / 3)
        .then(() => leader.signal('SIGKILL')),
    ]);
    await leader.ended;
    await sponsor(other.url, EVENTS / 3);

    const name = new URL(shared.database).pathname.slice(1);
    const inLog = (await engines.server().query('SELECT id FROM decision ORDER BY seq', name)) as { id: string }[];
    expect(inLog).toHaveLength(EVENTS);
    const received = (): unknown[] => {
      const firsts = new Map(receiver.calls.map((call) => [call.headers['webhook-id'], call] as const).toReversed());
      return [...firsts.values()].toReversed().map((call) => eventOf(call).data['id']);
    };
    await expect.poll(received).toHaveLength(EVENTS);
    const seen = new Set<unknown>();
    const inOrder = receiver.calls.filter(({ headers }) => seen.size < seen.add(headers['webhook-id']).size);
    expect(inOrder.map((call) => eventOf(call).data['id'])).toEqual(inLog.map(({ id }) => id));
    // Only what was sent in the second before the kill may come twice.
    expect(receiver.calls.length).toBeLessThan(2 * EVENTS);
    other.signal('SIGTERM');
    await other.ended;
    await auditDesk(engines, shared);
  });
});
