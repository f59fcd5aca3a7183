import type { StoredNotification } from '../notification-store.ts';
import type { Reads, Value } from '../rows.ts';
import { storedAs } from './stored-as.ts';

/** The columns of a notification. */
export const NOTIFICATION = 'seq, id, kind, subject, raised_at, ended_at, seen, title, body, decision_id';

export const notifications = storedAs<StoredNotification>({ flags: ['seen'] });

/** The notifications that the rest of a statement selects. */
export const listOfNotifications = async (
  rows: Reads,
  rest: string,
  values: readonly Value[] = [],
): Promise<StoredNotification[]> =>
  (await rows.all<object>(`SELECT ${NOTIFICATION} FROM notification ${rest}`, values)).map(notifications.read);
