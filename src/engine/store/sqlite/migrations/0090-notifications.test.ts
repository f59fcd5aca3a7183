import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { migrate } from '../migrate.ts';
import { notificationStore } from '../notifications.ts';
import { initial } from './0010-initial.ts';
import { notifications } from './0090-notifications.ts';

const tempFolder = useTempFolders();

it('an older desk has no notification, and sends none', async () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  migrate(database, [initial]);
  migrate(database, [initial, notifications]);
  const store = notificationStore(database);
  expect(await store.listNotifications(9)).toEqual([]);
  expect(await store.findNotificationWebhook()).toBeUndefined();
  database.close();
});
