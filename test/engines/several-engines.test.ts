import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { createDecisionFeed } from '../../src/engine/events/decision-feed.ts';
import { type Engine, createEngine } from '../../src/engine/index.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/engine/store/store.ts';
import { account, decision, paymaster } from '../../test/support/store-records.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { shareDatabase } from '../support/shared-database.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const log = createLog({ level: 'silent' });

let clock: ManualClock;
let store: Store;
let shared: ReturnType<typeof shareDatabase>;
const engines: Engine[] = [];
beforeEach(() => {
  clock = new ManualClock(Date.UTC(2026, 0, 1));
  store = openSqliteStore(join(tempFolder(), 'gasdesk.db'), { clock, log });
  shared = shareDatabase(store);
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop();
  await store.close();
});

/** An engine on the shared database, with a folder of its own. */
const start = async (passphrase?: string): Promise<Engine> => {
  const engine = await createEngine({
    folder: openDataFolder(tempFolder()),
    config: loadConfig({ flags: { port: 0 } }),
    log,
    clock,
    scrypt: { N: 2, r: 1, p: 1 },
    passphrase: passphrase === undefined ? undefined : new Secret(passphrase),
    openDatabase: async () => shared.join(),
  });
  engines.push(engine);
  return engine;
};

const paused = async ({ service }: Engine) => (await service.call('system.info', {})).paused?.reason;
const vaultState = async ({ service }: Engine) => (await service.call('system.info', {})).vault;
const told = async ({ service }: Engine) =>
  (await service.call('notifications.list', {})).notifications.map(({ kind, endedAt }) => [kind, endedAt !== null]);

describe('engines that share a database', () => {
  it('pause and resume together', async () => {
    const [one, other] = [await start(), await start()];
    await one.service.call('system.pause', { reason: 'an attack' });
    await expect.poll(() => paused(other)).toBe('an attack');
    await other.service.call('system.resume', {});
    await expect.poll(() => paused(one)).toBeUndefined();
  });

  it('see the vault that one of them makes, and what it sets there, without being locked meanwhile', async () => {
    const [one, other] = [await start('correct horse'), await start('correct horse')];
    expect([await vaultState(one), await vaultState(other)]).toEqual(['unlocked', 'unlocked']);
    await one.service.call('signers.create', { chainId: 1 });
    await other.service.call('signers.create', { chainId: 10 });
    const [next] = await Promise.all([
      one.service.call('signers.prepareNext', { chainId: 1 }),
      other.service.call('signers.prepareNext', { chainId: 10 }),
    ]);
    expect([await vaultState(one), await vaultState(other)]).toEqual(['unlocked', 'unlocked']);
    // Who does not know of a prepared key makes another one.
    for (const engine of [one, other, await start('correct horse')]) {
      expect(await engine.service.call('signers.prepareNext', { chainId: 1 })).toEqual(next);
    }
  });

  it('find a vault that another one has just made locked', async () => {
    const without = await start();
    expect(await vaultState(without)).toBe('absent');
    await start('correct horse');
    expect(await vaultState(without)).toBe('locked');
  });

  it('notify the operator once, by the leader, and reach every follower', async () => {
    const [one, other] = [await start(), await start()];
    const heard: [string, boolean][] = [];
    other.service.followNotifications(({ kind, endedAt }) => heard.push([kind, endedAt !== null]));
    await other.service.call('system.pause', { reason: 'an attack' });
    await expect.poll(() => told(one)).toEqual([['paused', false]]);
    await expect.poll(() => heard).toEqual([['paused', false]]);
    shared.lead(1);
    await other.service.call('system.resume', {});
    await expect
      .poll(() => heard)
      .toEqual([
        ['paused', false],
        ['paused', true],
      ]);
    expect(await told(one)).toEqual([['paused', true]]);
  });
});

describe('the decisions of engines that share a database', () => {
  const feeds = async () => {
    const all = [shared.join(), shared.join()].map(({ store: own, engines: hub }) => {
      const feed = createDecisionFeed(own, hub.isLeader);
      hub.onOthers((part) => void (part === 'decisions' && feed.othersCommitted()));
      const [counted, made, followed]: [string[], string[], string[]] = [[], [], []];
      feed.onOwn(({ id }) => counted.push(id));
      feed.onMade(({ id }) => made.push(id));
      const subscription = feed.subscribe(0, (some) => void followed.push(...some.map(({ id }) => id)));
      return { feed, counted, made, followed, subscription };
    });
    for (const { feed } of all) await feed.othersCommitted();
    return all as [(typeof all)[number], (typeof all)[number]];
  };

  beforeEach(async () => {
    await store.createAccount(account);
    await store.createDapp(paymaster());
    await store.appendDecision(decision({ id: 'before' }));
  });
  type Feeds = Awaited<ReturnType<typeof feeds>>;
  /** Has two engines decide in turns. @returns the ids of their decisions */
  const decide = async ([one, other]: Feeds, name: string): Promise<{ all: string[]; ofOne: string[] }> => {
    const all = Array.from({ length: 250 }, (_, n) => `${name}${n}`);
    const isOfOne = (_id: string, n: number): boolean => n % 3 === 0;
    await Promise.all(all.map((id, n) => (isOfOne(id, n) ? one : other).feed.store.appendDecision(decision({ id }))));
    return { all, ofOne: all.filter(isOfOne) };
  };

  it('reach every follower once, from any engine; each engine counts its own', async () => {
    const [one, other] = await feeds();
    const { all, ofOne } = await decide([one, other], 'd');
    for (const { followed, subscription } of [one, other]) {
      await expect.poll(() => followed).toEqual(['before', ...all]);
      subscription.cancel();
      await subscription.ended;
    }
    expect(one.counted).toEqual(ofOne);
    expect([...one.counted, ...other.counted].sort()).toEqual([...all].sort());
  });

  it('are reported to the leader, from the moment that it leads', async () => {
    const [one, other] = await feeds();
    const first = await decide([one, other], 'first ');
    await expect.poll(() => [...one.made].sort()).toEqual([...first.all].sort());
    shared.lead(1);
    // What is there already is read at once.
    await setImmediate();
    const next = await decide([one, other], 'next ');
    await expect.poll(() => [...other.made].sort()).toEqual([...next.all].sort());
    expect(one.made).toHaveLength(first.all.length);
    for (const { subscription } of [one, other]) {
      subscription.cancel();
      await subscription.ended;
    }
  });
});
