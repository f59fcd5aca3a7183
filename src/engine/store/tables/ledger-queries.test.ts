import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTempFolders } from '../../../../test/support/temp-folder.ts';
import type { Access } from '../access.ts';
import { openDatabase } from '../sqlite/open.ts';
import { readsOf, statementsOf } from '../sqlite/rows.ts';
import { ledgerQueries } from './ledger-queries.ts';

const tempFolder = useTempFolders();
const LIMITS = ['first:0:0', 'second:0:0', 'third:0:0'];
const USERS = 20_000;

test('the users of many limits are read once for all limits: a page of 1,000 limits does not stop decisions', async () => {
  const database = openDatabase(join(tempFolder(), 'gasdesk.db'));
  database.prepare('INSERT INTO limit_group VALUES (1, ?, ?)').run('dapp lifetime', JSON.stringify(LIMITS));
  const insert = database.prepare('INSERT INTO limit_row VALUES (?, 1, ?, ?)');
  database.transaction(() => {
    for (let user = 1; user <= USERS; user += 1) insert.run(user + 1, `0x${user}`, `${user},${user % 2}`);
  })();
  const reads = readsOf(statementsOf(database));
  const sizes: number[] = [];
  const all: typeof reads.all = async <Row>(...query: Parameters<typeof reads.all>) => {
    const found = await reads.all<Row>(...query);
    sizes.push(found.length);
    return found;
  };
  const queries = ledgerQueries({ rows: { ...reads, all } } as unknown as Access);
  const asked = [...LIMITS, 'unused:0:0'].map((name) => ({
    place: { group: 'dapp lifetime', name },
    threshold: BigInt(USERS - 1),
    most: 2,
  }));
  const unknown = { place: { group: 'dapp 3600000 7', name: 'first:0:0' }, threshold: 1n, most: 2 };
  const none = { users: 0, atLimit: 0, nearest: [] };
  const [first, second, ...others] = await queries.windowUsers([...asked, unknown]);
  expect(first).toEqual({
    users: USERS,
    atLimit: 2,
    nearest: [USERS, USERS - 1].map((used) => ({ user: `0x${used}`, used: BigInt(used) })),
  });
  expect(second).toMatchObject({ users: USERS / 2, atLimit: 0 });
  expect(others).toEqual([none, none, none]);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(USERS);
  expect(Math.max(...sizes) * LIMITS.length).toBeLessThan(21_000);
  database.close();
});
