import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { FeedPage } from '../../src/shared/schema/decision.ts';
import { auditDesk } from '../support/audit-desk.ts';
import type { ServingCli } from '../support/cli.ts';
import { ask, canShare, useEngines } from '../support/several-engines.ts';

const CHAIN = 31337;
/** That ask each engine all the time. */
const CLIENTS = 2;
/** Between two attempts of a console to reach its engine, ms. */
const AGAIN_MS = 100;

describe.skipIf(!canShare)('a console of one of three engines on one database', () => {
  const engines = useEngines({ durable: true });

  /** Follows as a browser does: where the stream ends it is asked for again, from the last page on. */
  const openConsole = (engine: () => ServingCli) => {
    const told: string[] = [];
    let upTo: string | undefined = '0';
    const closed = new AbortController();
    const take = (event: string): void => {
      const fields = new Map(event.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
      const data = fields.get('data');
      if (data === undefined) return;
      upTo = fields.get('id');
      for (const { id, isNew } of (JSON.parse(data) as FeedPage).rows) if (isNew) told.push(id);
    };
    const readOn = async (): Promise<void> => {
      const { url, console } = engine();
      const token = new URLSearchParams(new URL(console).hash.slice(1)).get('token') ?? '';
      const headers = { authorization: `Bearer ${token}`, 'last-event-id': upTo ?? '0' };
      const { body, status } = await fetch(`${url}/console/events`, { headers, signal: closed.signal });
      if (status !== 200 || body === null) return;
      let text = '';
      for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
        const events = (text + chunk).split('\n\n');
        text = events.pop() ?? '';
        events.forEach(take);
      }
    };
    const run = async (): Promise<void> => {
      while (!closed.signal.aborted) {
        await readOn().catch(() => undefined);
        await wait(AGAIN_MS, undefined, { signal: closed.signal }).catch(() => undefined);
      }
    };
    const ended = run();
    return {
      told,
      close() {
        closed.abort();
        return ended;
      },
    };
  };

  it('reports every decision of all once, in the order of the log, through any crash', async () => {
    const shared = await engines.desk(async ({ dapp }) => ({ apiKey: (await dapp(CHAIN)).apiKey }));
    const name = new URL(shared.database).pathname.slice(1);
    const folders = [engines.folder(), engines.folder(), engines.folder()];
    const running = await Promise.all(folders.map((folder) => engines.start(shared.database, { folder })));
    const console = openConsole(() => running[0]!);
    let [nonce, isOver] = [0, false];
    const load = folders.flatMap((_folder, index) =>
      Array.from({ length: CLIENTS }, async () => {
        while (!isOver) {
          const url = running[index]?.url ?? '';
          const reply = await ask({ url, chainId: CHAIN, apiKey: shared.apiKey }, (nonce += 1)).catch(() => undefined);
          if (reply?.result === undefined) await wait(AGAIN_MS);
        }
      }),
    );
    const tellsMore = async (): Promise<void> => {
      const before = console.told.length;
      await expect.poll(() => console.told.length).toBeGreaterThan(before + 20);
    };
    await tellsMore();
    for (const index of [1, 2, 0]) {
      running[index]?.signal('SIGKILL');
      await running[index]?.ended;
      if (index !== 0) await tellsMore();
      running[index] = await engines.start(shared.database, { folder: folders[index]! });
      await tellsMore();
    }
    await engines.server().kill();
    await engines.server().start();
    await tellsMore();
    isOver = true;
    await Promise.all(load);
    const inLog = (await engines.server().query('SELECT id FROM decision ORDER BY seq', name)) as { id: string }[];
    await expect.poll(() => console.told.length).toBeGreaterThanOrEqual(inLog.length);
    await console.close();
    for (const engine of running) engine.signal('SIGTERM');
    await Promise.all(running.map(({ ended }) => ended));
    expect(console.told).toEqual(inLog.map(({ id }) => id));
    await auditDesk(engines, shared);
  });
});
