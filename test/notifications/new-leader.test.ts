import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../src/engine/base/log.ts';
import { systemEntropy } from '../../src/engine/base/clock.ts';
import { type DecisionWatch, watchDecisions } from '../../src/engine/notifications/decision-watch.ts';
import { type Notifications, createNotifications } from '../../src/engine/notifications/notifications.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { decision } from '../support/store-records.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const MINUTE = 60_000;
const tempFolder = useTempFolders();
const log = createLog({ level: 'silent' });

let clock: ManualClock;
let notifications: Notifications;
let watch: DecisionWatch;
beforeEach(async () => {
  clock = new ManualClock(Date.UTC(2026, 0, 1));
  const store = openSqliteStore(join(tempFolder(), 'gasdesk.db'), { clock, log });
  onTestFinished(() => store.close());
  const isLeader = () => true;
  notifications = await createNotifications({ store, isLeader, clock, entropy: systemEntropy, log });
  watch = watchDecisions(notifications, clock);
});

const make = async (code: string, times: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    watch.made({ ...decision(), seq: time, outcome: 'denied', code });
  }
  await notifications.stop();
};
const open = () => notifications.open().map(({ kind }) => kind);

describe('an engine that becomes the leader', () => {
  test('does not call a burst over that it has not heard of', async () => {
    await make('METHOD_NOT_WHITELISTED', 20);
    await clock.advance(15 * MINUTE);
    // Another engine led meanwhile.
    watch.forget();
    await watch.calm();
    expect(open()).toEqual(['denials']);
    await clock.advance(10 * MINUTE);
    await watch.calm();
    expect(open()).toEqual([]);
  });

  test('does not add to failures of a webhook that were reported before', async () => {
    await make('WEBHOOK_TIMEOUT', 2);
    watch.forget();
    await make('WEBHOOK_TIMEOUT', 2);
    expect(open()).toEqual([]);
    await make('WEBHOOK_TIMEOUT', 1);
    expect(open()).toEqual(['webhook']);
  });
});
