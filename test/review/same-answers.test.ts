import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type DataFolder, openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { createDecisionImport } from '../../src/engine/store/sqlite/decision-import.ts';
import { DAPPS, START, draft, sender, storeDecisions } from '../export/stored-decisions.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { exportTo, openReview, withDecisions } from './open-review.ts';

const tempFolder = useTempFolders();

const filters = [
  {},
  { paymasterId: DAPPS[1] },
  { sender: sender(3) },
  { outcome: 'denied' as const },
  { outcome: 'error' as const },
  { rule: 'spendingLimit' as const },
  { from: START + 600_000, to: START + 1_200_000 },
  { paymasterId: DAPPS[0], outcome: 'denied' as const, sender: sender(0), rule: 'contracts' as const },
  { paymasterId: 'nobody' },
  { before: 500 },
];

/** Exports the decisions of a folder, opens the export and compares. @returns how long opening took, ms */
const compare = async (folder: DataFolder, count: number): Promise<number> => {
  const file = join(tempFolder(), 'decisions.jsonl');
  await exportTo(folder, file);
  const start = performance.now();
  const { service } = await openReview(file);
  const took = performance.now() - start;
  await withDecisions(folder, async (_store, list) => {
    for (const filter of filters) {
      const input = { ...filter, limit: 200 };
      expect(await service.call('decisions.list', input), JSON.stringify(filter)).toEqual(await list(input));
    }
  });
  expect((await service.call('system.info', {})).decisions).toBe(count);
  return took;
};

test('a review gives the same answers to the same filters as the desk the export is from', async () => {
  const folder = openDataFolder(tempFolder());
  await storeDecisions(folder, 2_000);
  await compare(folder, 2_000);
});

test('an export of 100,000 decisions opens within seconds, and gives the same answers', async () => {
  const folder = openDataFolder(tempFolder());
  // Stored one by one they would take minutes.
  const target = createDecisionImport(folder.database);
  for (let n = 1; n <= 100_000; n += 1) target.add({ ...draft(n), seq: n });
  target.finish();
  // 5 s of CPU; machines that run the tests are busy.
  expect(await compare(folder, 100_000)).toBeLessThan(40_000);
}, 180_000);
