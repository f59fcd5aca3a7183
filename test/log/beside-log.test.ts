import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { exportedLog } from '../../src/api/log-export.ts';
import type { Caller, ProcedureOutput } from '../../src/api/index.ts';
import { logWords } from '../../src/core/log/report-words.ts';
import { verifyDesk, verifyLogFile } from '../../src/engine/log/verify-log.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const desk = useOfflineDesk();
const other = useOfflineDesk();
const tempFolder = useTempFolders();
const call: Caller = (name, input) => desk().call(name, input);
const check = { withSignatures: false };
const op = (nonce: number) =>
  operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { nonce: `0x${nonce.toString(16)}` });

let dapp: SponsoredDapp;
/** One more than a tile of hashes holds. */
const ENTRIES = 257;

beforeAll(async () => {
  dapp = await desk().dapp();
  for (const type of ['PAYMASTER', 'SMART_ACCOUNT']) {
    const limit = { type, cycleDuration: { value: 1, unit: 'day' }, threshold: 1_000, thresholdType: 'COUNT' };
    const rule = { name: type, policyType: 'PAYMASTER_SA_LIMIT', policyData: limit };
    await call('rules.create', { paymasterId: dapp.paymasterId, rule });
  }
  for (let nonce = 0; nonce < 3; nonce += 1) expect(codeOf(await dapp.sponsor(op(nonce)))).toBe('SPONSORED');
  const { paymasterId } = dapp;
  for (let size = 0; size < ENTRIES; size = (await call('log.state', {})).entries) {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => call('paymasters.rename', { paymasterId, name: `${size} ${index}` })),
    );
  }
  await call('log.checkpoint', {});
});

const file = (text: string): string => {
  const path = join(tempFolder(), 'kept');
  writeFileSync(path, text);
  return path;
};

test('a desk that decides meanwhile verifies', async () => {
  const busy = await desk().dapp();
  let [signed, isOver] = [0, false];
  const traffic = async (): Promise<void> => {
    for (; signed < 30; signed += 1) expect(codeOf(await busy.sponsor(op(1_000 + signed)))).toBe('SPONSORED');
  };
  const signing = traffic().finally(() => (isOver = true));
  while (!isOver) {
    const before = signed;
    expect((await verifyDesk(call, check)).faults).toEqual([]);
    // Not so fast that nothing is signed in between.
    while (signed === before && !isOver) await new Promise(setImmediate);
  }
  await signing;
});

/** SQL of the first decision that reserved. */
const FIRST_SPONSORED = '(SELECT min(seq) FROM decision WHERE settlement IS NOT NULL)';

describe('the database outside the log is compared with it:', () => {
  const meddle = (sql: string): void => {
    const database = new Database(join(desk().dir, 'gasdesk.db'));
    database.pragma('foreign_keys = OFF');
    try {
      database.exec(sql);
    } finally {
      database.close();
    }
  };
  /** Changes the database behind the engine's back, and puts it back after the test. */
  const faultsAfter = async (sql: string, back: string): Promise<string[]> => {
    expect((await verifyDesk(call, check)).faults).toEqual([]);
    onTestFinished(() => meddle(back));
    meddle(sql);
    return (await verifyDesk(call, check)).faults.map(({ fault, detail }) => `${fault}: ${detail}`);
  };
  const logCheck = async (): Promise<ProcedureOutput<'system.doctor'>['checks'][number] | undefined> =>
    (await call('system.doctor', {})).checks.find(({ name }) => name === 'log');

  test('decisions that are no entries', async () => {
    const copy = `INSERT INTO decision SELECT seq + 1000, 'copy-' || id, at, paymaster_id, sender, outcome, user_op_hash,
      settlement, actual_cost_wei, record, chain_id, valid_until, settled_block, rule FROM decision LIMIT 1`;
    const columns = `(seq, id, at, paymaster_id, sender, outcome, user_op_hash, settlement, actual_cost_wei, record,
      chain_id, valid_until, settled_block, rule)`;
    const sql = copy.replace('INTO decision SELECT', `INTO decision ${columns} SELECT`);
    const faults = await faultsAfter(sql, `DELETE FROM decision WHERE id LIKE 'copy-%'`);
    expect(faults).toEqual(expect.arrayContaining([expect.stringContaining('a decision without a log entry: copy-')]));
  });

  test('what became of a decision', async () => {
    const set = (state: string) => `UPDATE decision SET settlement = '${state}' WHERE seq = ${FIRST_SPONSORED}`;
    expect(await faultsAfter(set('released'), set('reserved'))).toEqual([
      'STORED_DIFFERS: The database has it released, and the log otherwise',
    ]);
  });

  test('what an account holds', async () => {
    const where = `WHERE kind NOT IN ('breaker', 'dappBreaker', 'unreachable')`;
    const faults = await faultsAfter(
      `UPDATE ledger_account SET held = '7' || held ${where}`,
      `UPDATE ledger_account SET held = substr(held, 2) ${where}`,
    );
    expect(faults.length).toBeGreaterThan(0);
    for (const fault of faults)
      expect(fault).toMatch(/^STORED_DIFFERS: In the database \S+ holds 7(\d+), and \1 by the/);
  });

  test('what the account of a limit holds', async () => {
    const faults = await faultsAfter(
      `UPDATE limit_row SET held = '7' || held`,
      `UPDATE limit_row SET held = substr(held, 2)`,
    );
    expect(faults).toHaveLength(2);
    for (const fault of faults)
      expect(fault).toMatch(/^STORED_DIFFERS: In the database limit:\S+ holds 7(\d+), and \1 by the/);
  });

  test.each([
    [
      'is counted for another DApp',
      `name = 'x' || name`,
      'name = substr(name, 2)',
      /is in the group x(\S+) .*, and in \1 /,
    ],
    [
      'is counted in an amount that is new',
      `limits = json_insert(limits, '$[#]', limits ->> 0)`,
      `limits = json_remove(limits, '$[#-1]')`,
      /limit:slot 0:0\S* holds \d+, and 0 by/,
    ],
  ])('a limit that %s, so that it would start again', async (_, change, back, expected) => {
    const faults = await faultsAfter(`UPDATE limit_group SET ${change}`, `UPDATE limit_group SET ${back}`);
    expect(faults).toEqual(expect.arrayContaining([expect.stringMatching(expected)]));
  });

  test('a column that says something else than the record', async () => {
    const swap = (from: string, to: string) =>
      `UPDATE decision SET outcome = '${to}' WHERE outcome = '${from}' AND seq = ${FIRST_SPONSORED}`;
    expect(await faultsAfter(swap('sponsored', 'denied'), swap('denied', 'sponsored'))).toEqual([
      'STORED_DIFFERS: Its column outcome differs from its record',
    ]);
  });

  test('the text of a policy, which is not shown under its name', async () => {
    const [revision] = await call('policies.history', { paymasterId: dapp.paymasterId });
    const hash = revision?.revision ?? '';
    const swap = (from: string, to: string) =>
      `UPDATE policy_revision SET policy = replace(policy, '"maxExpirySeconds":${from}', '"maxExpirySeconds":${to}')
       WHERE hash = '${hash}'`;
    const stored = await call('policies.show', { paymasterId: dapp.paymasterId, revision: hash });
    const seconds = /"maxExpirySeconds":(\d+)/.exec(JSON.stringify(stored))?.[1] ?? '';
    const faults = await faultsAfter(swap(seconds, '1'), swap('1', seconds));
    expect(faults).toEqual([`STORED_DIFFERS: The stored policy revision ${hash} has another hash`]);
    await expect(call('policies.show', { paymasterId: dapp.paymasterId, revision: hash })).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
    });
    expect(await logCheck()).toMatchObject({ ok: false, detail: expect.stringContaining(hash) as string });
  });

  test('a bit of the tree: no receipt is given that does not verify', async () => {
    const database = new Database(join(desk().dir, 'gasdesk.db'));
    const tile = database.prepare<[], Buffer>('SELECT hashes FROM log_tile WHERE level = 0 AND tile = 0').pluck();
    const hashes = tile.get() ?? Buffer.alloc(0);
    database.close();
    const flipped = Buffer.from(hashes);
    flipped[3] = (flipped[3] ?? 0) ^ 1;
    const set = (to: Buffer) => `UPDATE log_tile SET hashes = x'${to.toString('hex')}' WHERE level = 0 AND tile = 0`;
    expect(await faultsAfter(set(flipped), set(hashes))).toEqual([
      "STORED_DIFFERS: Tile 0 of level 0 of the log's tree does not contain the hashes below it",
    ]);
    expect(await logCheck()).toMatchObject({ ok: false, detail: expect.stringContaining('Tile 0') as string });
    const receipts = (await dapp.decisions()).map(({ id: decisionId }) => call('log.receipt', { decisionId }));
    const results = await Promise.allSettled(receipts);
    const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused.map(({ reason }) => (reason as { code: string }).code)).toContain('LOG_INCONSISTENT');
  });
});

describe('with earlier evidence, the log is shown to continue it:', () => {
  const exported = async (from: Caller, range = {}): Promise<string> => {
    let text = '';
    for await (const part of exportedLog(from, range)) text += part;
    return text;
  };

  test('a checkpoint, a receipt or an export of it', async () => {
    const { note, size } = await call('log.checkpoint', {});
    const [decision] = await dapp.decisions();
    const { receipt } = await call('log.receipt', { decisionId: decision?.id ?? '' });
    const before = await exported(call);
    await call('paymasters.rename', { paymasterId: dapp.paymasterId, name: 'Later' });
    for (const text of [note, receipt, before]) {
      const report = await verifyDesk(call, { ...check, since: file(text) });
      expect(report).toMatchObject({ ok: true, since: { size } });
      expect(logWords(report)).toContain(`the earlier log of ${size} entries`);
    }
    const whole = file(await exported(call));
    expect(await verifyLogFile(whole, { ...check, since: file(note) })).toMatchObject({ ok: true, since: { size } });
    const part = file(await exported(call, { from: size + 1 }));
    expect(await verifyLogFile(part, { ...check, since: file(note) })).toMatchObject({
      ok: false,
      faults: [{ fault: 'NOT_CONTINUED' }],
    });
  });

  test('not where entries were removed at its end, in another log, or by another key', async () => {
    const shorter = file(await exported(call));
    await call('paymasters.rename', { paymasterId: dapp.paymasterId, name: 'Last' });
    const { note } = await call('log.checkpoint', {});
    expect(await verifyLogFile(shorter, check)).toMatchObject({ ok: true });
    const cut = await verifyLogFile(shorter, { ...check, since: file(note) });
    expect(cut).toMatchObject({ ok: false, since: null, faults: [{ fault: 'NOT_CONTINUED' }] });
    const foreign = await other().call<{ note: string }>('log.checkpoint', {});
    expect(await verifyDesk(call, { ...check, since: file(foreign.note) })).toMatchObject({
      ok: false,
      faults: [{ fault: 'NOT_CONTINUED' }],
    });
    await expect(verifyDesk(call, { ...check, since: file('nothing') })).rejects.toMatchObject({
      code: 'EXPORT_INVALID',
    });
  });
});

test('an unsigned tail is reported', async () => {
  await call('log.checkpoint', {});
  await call('paymasters.rename', { paymasterId: dapp.paymasterId, name: 'Tail' });
  const report = await verifyDesk(call, check);
  expect(report).toMatchObject({ ok: true });
  expect(report.checked.unsignedTail).toBeGreaterThan(0);
  expect(logWords(report)).toMatch(
    /entries, signed by gasdesk\/\w+\. The last (?:\d+ entries are|entry is|1 entry is) not/,
  );
});
