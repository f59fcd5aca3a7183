import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { onTestFinished } from 'vitest';
import { exportDecisions } from '../../src/cli/export-decisions.ts';
import { systemClock } from '../../src/engine/base/clock.ts';
import type { DataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { type Review, createReview } from '../../src/engine/review/review.ts';
import { decisionHandlers } from '../../src/engine/service/decisions.ts';
import type { Caller } from '../../src/api/index.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import type { ProcedureInput } from '../../src/api/index.ts';
import { procedures } from '../../src/api/index.ts';
import type { DecisionRow } from '../../src/shared/schema/decision.ts';
import type { Store } from '../../src/engine/store/store.ts';

const log = createLog({ level: 'silent' });

/** Opens an export for review until the test is over. */
export const openReview = async (file: string): Promise<Review> => {
  const review = await createReview({ file, log });
  onTestFinished(() => review.stop());
  return review;
};

/** Lists decisions, as the desk or its review does. */
export type List = (input: ProcedureInput<'decisions.list'>) => Promise<DecisionRow[]>;

/** Uses the decisions of a data folder as its engine would. */
export const withDecisions = async <T>(
  folder: DataFolder,
  use: (store: Store, list: List) => Promise<T>,
): Promise<T> => {
  const store = openSqliteStore(folder.database, { clock: systemClock, log });
  const never = () => ({ cancel: () => undefined, ended: new Promise<void>(() => undefined) });
  const handlers = decisionHandlers({ store, clock: systemClock }, never);
  try {
    return await use(store, (input) => handlers['decisions.list'](procedures['decisions.list'].input.parse(input)));
  } finally {
    await store.close();
  }
};

/** Writes all decisions of a data folder as `decisions export` does. */
export const exportTo = (folder: DataFolder, file: string): Promise<void> =>
  withDecisions(folder, async (store) => {
    const page = (_name: string, { after = 0, limit = 100 }: ProcedureInput<'decisions.page'>) =>
      store.pageDecisions({ after, limit });
    const out = createWriteStream(file);
    await exportDecisions(page as Caller, {}, out);
    out.end();
    await once(out, 'close');
  });
