import type { AlertAttempt, AlertChannel, DueAlert, UsedAlertChannel } from '../alert-store.ts';
import type { Access } from '../access.ts';
import type { StepRows, Steps } from '../rows.ts';
import { listOfNotifications } from './notification-rows.ts';
import { storedAs } from './stored-as.ts';

const CHANNEL = 'channel_id, account_id, kind, host, recipient, sender, quiet, active, created_at';
const ATTEMPT = 'attempts, next_at, attempted_at, error';

const LIST = `SELECT ${CHANNEL}, ${ATTEMPT} FROM alert_channel JOIN alert_attempt USING (channel_id)
  ORDER BY created_at, place`;

const DUE = `INSERT INTO alert_due SELECT channel_id, $1, $2 FROM alert_channel WHERE active = 1
  ON CONFLICT (channel_id, notification) DO UPDATE SET is_end = excluded.is_end`;

/** Makes the start or end of a notification due for each active channel, in the transaction that stores it. */
export const alertDue = function* (tx: StepRows, notification: number, isEnd: boolean): Steps<void> {
  yield* tx.run(DUE, [notification, Number(isEnd)]);
};

const channels = storedAs<UsedAlertChannel>({ json: ['quiet'], flags: ['active'] });

/**
 * Alerts. The transaction in which a notification starts or ends makes it due for each active channel. If it ends before
 * its start is sent, only the end is due.
 */
export const alertStore = ({ rows, write, writeShared }: Access) => ({
  createAlertChannel: (channel: AlertChannel): Promise<void> =>
    write(function* (tx) {
      yield* tx.insert('alert_channel', CHANNEL, channels.write(channel));
      const attempt = { attempts: 0, nextAt: 0, attemptedAt: null, error: null };
      yield* tx.insert('alert_attempt', `channel_id, ${ATTEMPT}`, { channelId: channel.channelId, ...attempt });
    }),
  /** Oldest first. */
  async listAlertChannels(): Promise<UsedAlertChannel[]> {
    return (await rows.all<object>(LIST)).map(channels.read);
  },
  /** Alerts that are due for an inactive channel are dropped. */
  saveAlertChannel: (channel: Omit<AlertChannel, 'accountId' | 'kind' | 'createdAt'>): Promise<void> =>
    write(function* (tx) {
      const { channelId, host, recipient, sender, quiet, active } = channel;
      yield* tx.update('alert_channel', { channelId }, channels.write({ host, recipient, sender, quiet, active }));
      if (!active) yield* tx.remove('alert_due', { channelId });
    }),
  deleteAlertChannel: (channelId: string): Promise<void> =>
    write(function* (tx) {
      for (const table of ['alert_due', 'alert_attempt', 'alert_channel']) yield* tx.remove(table, { channelId });
    }),
  /** Oldest first. */
  async dueAlerts(channelId: string, limit: number): Promise<DueAlert[]> {
    const due = await rows.all<{ notification: number; isEnd: number }>(
      'SELECT notification, is_end FROM alert_due WHERE channel_id = $1 ORDER BY notification LIMIT $2',
      [channelId, limit],
    );
    const found = await listOfNotifications(rows, 'WHERE seq = ANY($1::bigint[])', [
      due.map(({ notification }) => notification),
    ]);
    const bySeq = new Map(found.map((one) => [one.seq, one]));
    return due.flatMap(({ notification: seq, isEnd }) => {
      const notification = bySeq.get(seq);
      return notification === undefined ? [] : [{ notification, isEnd: isEnd === 1 }];
    });
  },
  /** The alert has been sent, or need not be sent any more. */
  async alertSent(channelId: string, { notification, isEnd }: DueAlert): Promise<void> {
    const alert = { channelId, notification: notification.seq, isEnd: Number(isEnd) };
    await writeShared((tx) => tx.remove('alert_due', alert));
  },
  async saveAlertAttempt(channelId: string, attempt: AlertAttempt): Promise<void> {
    const { attempts, nextAt, attemptedAt, error } = attempt;
    await writeShared((tx) => tx.update('alert_attempt', { channelId }, { attempts, nextAt, attemptedAt, error }));
  },
});
