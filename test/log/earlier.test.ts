import { logWords } from '../../src/core/log/report-words.ts';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { Caller } from '../../src/api/index.ts';
import { verifyDesk } from '../../src/engine/log/verify-log.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import { createForger } from './forger.ts';

const op = (nonce: number) =>
  operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { nonce: `0x${nonce.toString(16)}` });

/** Takes the log out of the database, as if an earlier version had written the database. */
const withoutLog = (file: string): void => {
  const database = new Database(file);
  try {
    for (const table of ['desk', 'log_entry', 'log_tile', 'log_checkpoint', 'operator_change']) {
      database.exec(`DROP TABLE ${table}`);
    }
    database.exec('ALTER TABLE rule DROP COLUMN binding; DROP TABLE shadow_result');
    database.exec('ALTER TABLE chain DROP COLUMN price; ALTER TABLE ledger_reservation DROP COLUMN of_wei');
    database.exec('DROP TABLE api_key; DROP TABLE chain_base_fee; DROP TABLE chain_tip');
    database.exec('ALTER TABLE chain DROP COLUMN breaker_off; ALTER TABLE paymaster DROP COLUMN token_mode');
    for (const column of ['scope', 'paymaster_id', 'expires_at', 'last_used_at']) {
      database.exec(`ALTER TABLE auth_token DROP COLUMN ${column}`);
    }
    database.pragma('user_version = 95');
    rmSync(join(dirname(file), 'log-end'));
  } finally {
    database.close();
  }
};

describe('a desk older than the log', () => {
  const desk = useOfflineDesk();
  const call: Caller = (name, input) => desk().call(name, input);

  test('enters its decisions and its ledger when it is first opened', async () => {
    const dapp = await desk().dapp();
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 3 });
    for (const nonce of [0, 1]) expect(codeOf(await dapp.sponsor(op(nonce)))).toBe('SPONSORED');
    await desk().restart(() => withoutLog(join(desk().dir, 'gasdesk.db')));

    expect(codeOf(await dapp.sponsor(op(2)))).toBe('SPONSORED');
    expect(codeOf(await dapp.sponsor(op(3)))).toBe('LIMIT_REACHED');
    const entries = (await call('log.page', { from: 0 })).map(({ text }) => JSON.parse(text) as { kind: string });
    const kinds = entries.map(({ kind }) => kind);
    expect(kinds.slice(0, kinds.indexOf('ledger') + 1).filter((kind) => kind !== 'policy')).toEqual([
      'start',
      'decision',
      'decision',
      'ledger',
    ]);
    expect(entries[0]).toMatchObject({ body: { earlierDecisions: 2 } });
    await call('log.checkpoint', {});
    // What an account holds since then follows from what it held in the beginning.
    const report = await verifyDesk(call, { withSignatures: true });
    expect(report).toMatchObject({ ok: true, faults: [], checked: { earlier: 2 } });
    expect(logWords(report)).toContain(
      '2 decisions are older than the log: their policies and order were not checked.',
    );

    await desk().restart();
    expect(
      (await call('log.page', { from: 0 })).map(({ text }) => text).filter((text) => text.includes('"ledger"')),
    ).toHaveLength(1);
    expect(await verifyDesk(call, { withSignatures: true })).toMatchObject({ ok: true, faults: [] });
  });
});

describe('an opening ledger behind other entries', () => {
  const desk = useOfflineDesk();
  const call: Caller = (name, input) => desk().call(name, input);

  test('is named: it could hide what was spent', async () => {
    const dapp = await desk().dapp();
    expect(codeOf(await dapp.sponsor(op(0)))).toBe('SPONSORED');
    await desk().restart(() => withoutLog(join(desk().dir, 'gasdesk.db')));
    expect(codeOf(await dapp.sponsor(op(1)))).toBe('SPONSORED');
    const lines = (await call('log.page', { from: 0 })).map(({ text }) => text);
    const opening = JSON.parse(lines.find((line) => line.includes('"kind":"ledger"')) ?? '') as object;
    const accounts = [{ kind: 'limit', id: 'later:0', window: 0, user: '', held: '0' }];
    const later = JSON.stringify({ ...opening, body: { accounts, reservations: [] } });
    const { verify } = createForger(randomBytes(32));
    expect(verify(lines).faults).toEqual([]);
    expect(verify([...lines, later]).faults).toMatchObject([{ entry: lines.length, fault: 'MISPLACED' }]);
  });
});
