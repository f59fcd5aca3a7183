import Database from 'better-sqlite3';

/**
 * Fills the store with copies of the newest decision, one per user and nonce, as if the chain had settled them.
 * Behind the desk's back, since a million real requests would take longer than the benchmark.
 */
export const storeDecisions = (file: string, count: number): void => {
  const database = new Database(file);
  try {
    const columns = database
      .prepare<[], string>("SELECT name FROM pragma_table_info('decision') WHERE name <> 'seq'")
      .pluck()
      .all();
    const values: Readonly<Record<string, string>> = {
      id: 'lower(hex(randomblob(16)))',
      user_op_hash: "'0x' || lower(hex(randomblob(32)))",
      at: 'at - (@count - n) * 1000',
      settlement: "'settled'",
      actual_cost_wei: "'1000000000000000'",
      settled_block: 'n / 10',
    };
    const insert = database.prepare(
      `INSERT INTO decision (${columns.join(', ')})
       WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < @count)
       SELECT ${columns.map((column) => values[column] ?? column).join(', ')}
       FROM number, (SELECT * FROM decision ORDER BY seq DESC LIMIT 1)`,
    );
    const reservations = database.prepare(
      `INSERT INTO ledger_reservation SELECT seq, account_id, follows, reserved, '0', of_wei
       FROM decision, (SELECT account_id, follows, reserved, of_wei FROM ledger_reservation WHERE decision_seq = @source)
       WHERE seq > @source`,
    );
    const source = database.prepare<[], number>('SELECT max(seq) FROM decision').pluck().get();
    database.transaction(() => {
      insert.run({ count });
      reservations.run({ source });
    })();
    database.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
};
