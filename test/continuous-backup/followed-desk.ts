import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { Caller } from '../../src/api/index.ts';
import { restoreBackup } from '../../src/engine/backup/restore.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { systemClock } from '../../src/engine/base/clock.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import type { LogLine } from '../../src/engine/store/log-store.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import { deskClient } from '../../src/demo/desk-client.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { CHAIN, SIGNING_ENV, signableOperation } from '../support/signing-folder.ts';

const passphrase = new Secret(SIGNING_ENV.GASDESK_PASSPHRASE);

/** Environment of a `serve` under load. */
export const LOADED_ENV = {
  ...SIGNING_ENV,
  GASDESK_RATE_LIMIT_PER_KEY: '0',
  GASDESK_RATE_LIMIT_PER_SENDER: '0',
  GASDESK_RATE_LIMIT_PER_IP: '0',
};

/** The entries of the log in a data folder that no engine uses, as they are stored. */
export const entriesIn = async (dir: string): Promise<LogLine[]> => {
  const database = join(dir, 'gasdesk.db');
  expect(existsSync(database)).toBe(true);
  const store = openSqliteStore(database, { clock: systemClock, log: createLog({ level: 'silent' }) });
  try {
    const lines: LogLine[] = [];
    for (;;) {
      const next = await store.logLines({ from: lines.length, limit: 1_000 });
      if (next.length === 0) return lines;
      lines.push(...next);
    }
  } finally {
    await store.close();
  }
};

/** Restores the newest state at or before `until` into a new folder. */
export const restoreInto = (target: string, dir: string, until?: number, since?: string) =>
  restoreBackup({ file: target, passphrase, dir, until, since, now: Date.now, logN: 10 });

/** Sends operations of several clients until it is stopped. Requests that fail because the service ended are no error. */
export const startLoad = (url: string, apiKey: string, firstNonce = 1) => {
  let nonce = firstNonce;
  let isStopped = false;
  let sponsored = 0;
  const clients = Array.from({ length: 8 }, async () => {
    const client = deskClient(url);
    while (!isStopped) {
      const operation = [signableOperation(nonce++), { mode: 'SPONSORED' }];
      const reply = await client.sponsor(CHAIN, apiKey, operation).catch(() => undefined);
      if (reply === undefined) return;
      const { paymasterAndData } = reply.result as { paymasterAndData: string };
      expect(paymasterAndData).not.toBe('0x');
      sponsored += 1;
    }
  });
  return {
    sponsored: () => sponsored,
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(clients);
    },
  };
};

/** Waits until the copy contains everything up to a time. @returns the time of the state that it contains */
export const copiedUpTo = async (call: Caller, at: number): Promise<number> => {
  const copied = async (): Promise<number> => {
    const { continuous } = await call('backups.list', {});
    expect(continuous.error).toBeNull();
    expect(continuous.copiedAt).toBeGreaterThanOrEqual(at);
    return continuous.copiedAt ?? 0;
  };
  return vi.waitFor(copied, { timeout: PATIENCE_MS });
};
