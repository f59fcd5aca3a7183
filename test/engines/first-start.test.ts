import { describe, expect, it } from 'vitest';
import { auditDesk } from '../support/audit-desk.ts';
import { canShare, useEngines } from '../support/several-engines.ts';

describe.skipIf(!canShare)('three engines that start at once on an empty database', () => {
  const engines = useEngines();

  it('make one desk: one account, one vault that all of them open, one log', async () => {
    const database = await engines.server().createDatabase();
    const running = await Promise.all([0, 1, 2].map(() => engines.start(database)));
    const info = await Promise.all(
      running.map(async ({ url, console }) => {
        const token = new URLSearchParams(new URL(console).hash.slice(1)).get('token') ?? '';
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const call = async (name: string): Promise<unknown> => {
          const body = JSON.stringify({ name, input: {} });
          const response = await fetch(`${url}/console/call`, { method: 'POST', headers, body });
          return ((await response.json()) as { output: unknown }).output;
        };
        return [
          ((await call('system.info')) as { vault: string }).vault,
          (await call('accounts.list')) as unknown[],
        ] as const;
      }),
    );
    for (const engine of running) engine.signal('SIGTERM');
    for (const { ended } of running) await ended;
    expect(info.map(([vault]) => vault)).toEqual(['unlocked', 'unlocked', 'unlocked']);
    expect(info.map(([, accounts]) => accounts.length)).toEqual([1, 1, 1]);
    await auditDesk(engines, { database });
  });
});
