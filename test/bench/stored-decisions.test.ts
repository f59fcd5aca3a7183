import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { storeDecisions } from './stored-decisions.ts';

const desk = useOfflineDesk();
const tempFolder = useTempFolders();
const COPIES = 5;

test('the decisions that a benchmark stores are decisions, and entries of the log', async () => {
  const dapp = await desk().dapp();
  await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1_000 });
  expect(codeOf(await dapp.sponsor(operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' })))).toBe('SPONSORED');
  // A copy, because the decisions of each desk are decided again, and these have the hashes of another operation.
  const copy = join(tempFolder(), 'copy.db');
  const logged = (): unknown => {
    const database = new Database(copy, { readonly: true });
    try {
      return database.prepare("SELECT count(*) FROM log WHERE kind = 'decision'").pluck().get();
    } finally {
      database.close();
    }
  };
  await desk().restart(() => copyFileSync(join(desk().dir, 'gasdesk.db'), copy));
  expect(logged()).toBe(1);
  await storeDecisions(copy, COPIES);
  expect(logged()).toBe(1 + COPIES);
});
