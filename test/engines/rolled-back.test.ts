import { describe, expect, test } from 'vitest';
import { gasdesk } from '../support/cli.ts';
import { ENGINES_ENV, ask, canShare, promiseIn, useEngines } from '../support/several-engines.ts';

const CHAIN = 31337;

describe.skipIf(!canShare)('a database of PostgreSQL', () => {
  const engines = useEngines();
  const nameOf = (database: string): string => new URL(database).pathname.slice(1);
  const prepared = () => engines.desk(async ({ dapp }) => ({ dapp: await dapp(CHAIN) }));

  test('that was put back to an older state is refused by each engine that wrote more, until the operator accepts it', async () => {
    const { database, dapp } = await prepared();
    const older = `${nameOf(database)}_older`;
    await engines.server().query(`CREATE DATABASE ${older} TEMPLATE ${nameOf(database)}`);
    const folders = [engines.folder(), engines.folder()];
    let nonce = 0;
    for (const folder of folders) {
      const engine = await engines.start(database, { folder });
      const asking = { url: engine.url, chainId: CHAIN, apiKey: dapp.apiKey };
      expect(promiseIn(await ask(asking, (nonce += 1)))).toBeDefined();
      engine.signal('SIGKILL');
      await engine.ended;
    }

    const url = new URL(database);
    url.pathname = `/${older}`;
    for (const folder of folders) {
      await expect(engines.start(url.href, { folder })).rejects.toThrow(
        /The database is an older state of this desk: its log has \d+ entries, and Gasdesk wrote \d+/,
      );
    }
    const [first = '', second = ''] = folders;
    const flags = ['--database', url.href, '--json'];
    const accepted = await gasdesk(['log', 'accept-rollback', '--data', first, ...flags], ENGINES_ENV);
    expect([accepted.stderr, accepted.code]).toEqual(['', 0]);
    // The others learn of it from the log.
    for (const folder of [second, first]) {
      const engine = await engines.start(url.href, { folder });
      const asking = { url: engine.url, chainId: CHAIN, apiKey: dapp.apiKey };
      expect(promiseIn(await ask(asking, (nonce += 1)))).toBeDefined();
      engine.signal('SIGTERM');
      expect((await engine.ended).code).toBe(0);
    }
    const verified = await gasdesk(['log', 'verify', '--data', first, ...flags], ENGINES_ENV);
    expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([0, { ok: true, faults: [] }]);
  });

  test('that is put back beneath a running engine gets no more writes from it', async () => {
    const { database, dapp } = await prepared();
    const engine = await engines.start(database);
    const asking = { url: engine.url, chainId: CHAIN, apiKey: dapp.apiKey };
    expect(promiseIn(await ask(asking, 1))).toBeDefined();
    // The newest entry is a decision: without it, the log is as an older state has it.
    await engines.server().query('DELETE FROM decision WHERE seq = (SELECT max(seq) FROM decision)', nameOf(database));
    await engines.server().query('UPDATE desk_head SET log_size = log_size - 1', nameOf(database));
    const { error } = await ask(asking, 2);
    expect([error?.code, error?.message]).toEqual([
      -32053,
      expect.stringMatching(/^The database is an older state of this desk/),
    ]);
    const ready = await fetch(`${engine.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { ready: false, missing: [expect.stringContaining('older state of this desk')] },
    ]);
  });

  test.each(['XX001', 'XX002'])(
    'that PostgreSQL finds damaged (%s) is reported as such, with what to do',
    async (code) => {
      const { database, dapp } = await prepared();
      const engine = await engines.start(database);
      await engines.server().query(
        `CREATE FUNCTION damaged() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'invalid page in block 7' USING ERRCODE = '${code}'; END $$;
       CREATE TRIGGER damaged BEFORE INSERT ON decision FOR EACH ROW EXECUTE FUNCTION damaged()`,
        nameOf(database),
      );
      const { error } = await ask({ url: engine.url, chainId: CHAIN, apiKey: dapp.apiKey }, 1);
      expect([error?.code, error?.message]).toEqual([
        -32053,
        expect.stringMatching(/^PostgreSQL reports that the database is damaged, .* restore the database/),
      ]);
      const ready = await fetch(`${engine.url}/readyz`);
      expect([ready.status, await ready.json()]).toMatchObject([503, { missing: [error?.message] }]);
    },
  );
});
