import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useTempFolders } from '../../../../test/support/temp-folder.ts';
import { type GroupCommit, createGroupCommit } from './group-commit.ts';
import type { SlowLog } from './slow-log.ts';

const tempFolder = useTempFolders();
let file: string;
let database: Database.Database;
let commit: GroupCommit;
let batches: (number | undefined)[];

const counted: SlowLog = (_statement, run, count) => {
  batches.push(count);
  return run();
};

beforeEach(() => {
  file = join(tempFolder(), 'test.db');
  database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.exec(`CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE row (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED) STRICT`);
  batches = [];
  commit = createGroupCommit(database, counted);
});
afterEach(() => database.close());

const rows = (of = database): unknown[] => of.prepare('SELECT id FROM row ORDER BY id').pluck().all();
const insert = (id: number, parent: number | null = null): number => {
  database.prepare('INSERT INTO row VALUES (?, ?)').run(id, parent);
  return id;
};
const outcomes = async (writes: readonly Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(writes)).map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)));

/** What a crash now would leave: the files as they are, without the process that has them open. */
const afterCrash = (): unknown[] => {
  const copy = join(tempFolder(), 'copy.db');
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy + suffix);
  const reopened = new Database(copy);
  try {
    expect(reopened.pragma('integrity_check', { simple: true })).toBe('ok');
    return rows(reopened);
  } finally {
    reopened.close();
  }
};

describe('writes that come at the same time', () => {
  it('share one flush to disk and get each its own result, in the order in which they came', async () => {
    const ids = Array.from({ length: 100 }, (_, id) => id);
    const seen: number[] = [];
    const writes = ids.map((id) =>
      commit.run(() => {
        seen.push(id);
        return insert(id);
      }),
    );
    expect(await outcomes(writes)).toEqual(ids);
    expect(seen).toEqual(ids);
    expect(batches).toEqual([100]);
  });

  it('in two parts all begin before the first ends, except around a write that is whole', async () => {
    const seen: string[] = [];
    const inParts = (name: string) =>
      commit.runInParts(() => {
        seen.push(`${name}1`);
        return () => {
          seen.push(`${name}2`);
          return name;
        };
      });
    const whole = commit.run.bind(commit, () => seen.push('whole'));
    const writes = [inParts('a'), inParts('b'), whole(), inParts('c'), inParts('d')];
    expect(await outcomes(writes)).toEqual(['a', 'b', 5, 'c', 'd']);
    expect(seen).toEqual(['a1', 'b1', 'a2', 'b2', 'whole', 'c1', 'd1', 'c2', 'd2']);
    expect(batches).toEqual([5]);
  });

  it('in two parts undo both if the second fails, and only their own', async () => {
    const failing = commit.runInParts(() => {
      insert(1);
      return () => {
        throw new Error('no signature');
      };
    });
    const beside = commit.runInParts(() => () => insert(2));
    expect(await outcomes([commit.run(() => insert(0)), failing, beside])).toEqual([0, 'Error: no signature', 2]);
    expect(rows()).toEqual([0, 2]);
  });

  it('see what those before them wrote', async () => {
    const counts = Array.from({ length: 5 }, (_, id) =>
      commit.run(() => {
        const before = rows().length;
        insert(id);
        return before;
      }),
    );
    expect(await outcomes(counts)).toEqual([0, 1, 2, 3, 4]);
  });

  it('are undone alone: what one of them did before it threw is gone, the others stand', async () => {
    const writes = [
      commit.run(() => insert(1)),
      commit.run(() => {
        insert(2);
        throw new Error('the rule has a bug');
      }),
      commit.run(() => insert(1)),
      commit.run(() => insert(3)),
    ];
    expect(await outcomes(writes)).toEqual([
      1,
      'Error: the rule has a bug',
      expect.stringContaining('UNIQUE constraint failed'),
      3,
    ]);
    expect(rows()).toEqual([1, 3]);
    expect(batches).toEqual([4]);
  });

  it('all fail when the commit fails: no caller believes that something is stored which is not', async () => {
    // Like a full disk, the reference is only checked at commit.
    const writes = [commit.run(() => insert(1)), commit.run(() => insert(2, 99)), commit.run(() => insert(3))];
    const refused = expect.stringContaining('FOREIGN KEY constraint failed');
    expect(await outcomes(writes)).toEqual([refused, refused, refused]);
    expect([rows(), database.inTransaction]).toEqual([[], false]);
    expect(await commit.run(() => insert(4))).toBe(4);
  });

  it('all fail when one of them makes SQLite roll everything back', async () => {
    database.exec(`CREATE TRIGGER full BEFORE INSERT ON row WHEN NEW.id = 2
      BEGIN SELECT RAISE(ROLLBACK, 'disk full'); END`);
    const writes = [1, 2, 3].map((id) => commit.run(() => insert(id)));
    const refused = expect.stringContaining('disk full');
    expect(await outcomes(writes)).toEqual([refused, refused, refused]);
    expect([rows(), database.inTransaction]).toEqual([[], false]);
    expect(await commit.run(() => insert(4))).toBe(4);
  });

  it('all fail when one of them cannot be undone alone', async () => {
    let attempts = 0;
    const failing = commit.run(() => {
      insert(2);
      attempts += 1;
      // Like a disk that fails the rollback to a savepoint, in a transaction that continues.
      if (attempts === 2) database.exec('RELEASE "\t_bs3.\t"');
      throw new Error('the rule has a bug');
    });
    const writes = [commit.run(() => insert(1)), failing, commit.run(() => insert(3))];
    const refused = expect.stringContaining('no such savepoint');
    expect(await outcomes(writes)).toEqual([refused, refused, refused]);
    expect([rows(), database.inTransaction]).toEqual([[], false]);
    expect(await commit.run(() => insert(4))).toBe(4);
  });

  it('all fail when the database is closed before their turn', async () => {
    const writes = [commit.run(() => 1), commit.run(() => 2)];
    database.close();
    const refused = expect.stringContaining('not open');
    expect(await outcomes(writes)).toEqual([refused, refused]);
  });
});

describe('a write that was answered', () => {
  it('survives a crash in the next moment; one that was not answered is there whole or not at all', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ids = [1, 2, 3].map((n) => round * 3 + n);
      const writes = ids.map((id) => commit.run(() => insert(id)));
      expect(afterCrash()).toHaveLength(round * 3);
      await writes[0];
      expect(afterCrash()).toHaveLength(round * 3 + 3);
    }
  });

  it('may ask for the next one: that goes into a transaction of its own', async () => {
    expect(await commit.run(() => insert(1)).then((id) => commit.run(() => insert(id + 1)))).toBe(2);
    expect(batches).toEqual([1, 1]);
  });
});

describe('draining', () => {
  it('waits for everything that was handed in, and for nothing when nothing was', async () => {
    await commit.drain();
    let isDone = false;
    const write = commit.run(() => insert(1)).then(() => (isDone = true));
    await commit.drain();
    expect(rows()).toEqual([1]);
    await write;
    expect(isDone).toBe(true);
  });
});

describe('what a transaction keeps in memory', () => {
  /** A sum in memory, written at the end of a transaction and read again where that was undone. */
  const withSum = () => {
    database.exec('CREATE TABLE total (sum INTEGER) STRICT; INSERT INTO total VALUES (0)');
    const stored = (): number => database.prepare<[], number>('SELECT sum FROM total').pluck().get() ?? 0;
    let sum = 0;
    let written = 0;
    const memory = createGroupCommit(database, counted, {
      begin: () => undefined,
      save() {
        database.prepare('UPDATE total SET sum = ?').run(sum);
        written += 1;
      },
      undone: () => (sum = stored()),
      committed: () => undefined,
      confirm: () => undefined,
    });
    const add = (amount: number, then: () => unknown = () => undefined): Promise<unknown> =>
      memory.run(() => {
        sum += amount;
        then();
      });
    return { add, sums: () => [sum, stored()], written: () => written };
  };

  it('is written once, whatever number of writes changed it', async () => {
    const { add, sums, written } = withSum();
    await Promise.all([add(1), add(2), add(3)]);
    expect([sums(), written()]).toEqual([[6, 6], 1]);
  });

  it('loses what a failed write added, and that alone', async () => {
    const { add, sums } = withSum();
    const fails = add(2, () => {
      throw new Error('no');
    });
    expect(await outcomes([add(1), fails, add(4)])).toEqual([undefined, 'Error: no', undefined]);
    expect(sums()).toEqual([5, 5]);
  });

  it('is as before where the commit itself fails', async () => {
    const { add, sums } = withSum();
    await add(1);
    const refused = add(2, () => insert(1, 99));
    expect(await outcomes([refused])).toEqual([expect.stringContaining('FOREIGN KEY')]);
    expect(sums()).toEqual([1, 1]);
  });
});
