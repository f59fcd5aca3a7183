import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { DAPPS, START, sender, storeDecisions } from '../export/stored-decisions.ts';
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

test('a review gives the same answers to the same filters as the desk the export is from', async () => {
  const folder = openDataFolder(tempFolder());
  await storeDecisions(folder, 2_000);
  const file = join(tempFolder(), 'decisions.jsonl');
  await exportTo(folder, file);
  const { service } = await openReview(file);
  await withDecisions(folder, async (_store, list) => {
    for (const filter of filters) {
      const input = { ...filter, limit: 200 };
      expect(await service.call('decisions.list', input), JSON.stringify(filter)).toEqual(await list(input));
    }
  });
  expect((await service.call('system.info', {})).decisions).toBe(2_000);
});
