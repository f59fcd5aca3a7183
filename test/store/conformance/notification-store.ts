import { beforeEach, expect, test } from 'vitest';
import type { NewNotification } from '../../../src/engine/store/notification-store.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import { type OpenStore, useStore } from './open-store.ts';

/** What every {@link Store} does. */
export const describeNotificationStore = (open: OpenStore): void => {
  let store: Store;
  const reopen = useStore(open, (opened) => (store = opened));
  let made = 0;
  beforeEach(() => (made = 0));
  const happening = (rest: Partial<NewNotification> = {}): NewNotification => ({
    id: `n-${(made += 1)}`,
    kind: 'tankLow',
    subject: 'dapp-1',
    raisedAt: 5,
    title: 'Low',
    body: 'It is low.',
    decisionId: null,
    ...rest,
  });
  const low = { kind: 'tankLow', subject: 'dapp-1' } as const;

  test('a happening is raised once while it lasts, also over a restart, and again after its end', async () => {
    const first = happening({ decisionId: 'd-1' });
    const raised = { ...first, seq: expect.any(Number), endedAt: null, seen: false };
    expect(await store.raiseNotification(first)).toEqual(raised);
    expect(await store.raiseNotification(happening({ body: 'Lower.' }))).toBeUndefined();
    await reopen();
    expect(await store.raiseNotification(happening())).toBeUndefined();
    expect(await store.openNotifications()).toEqual([raised]);
    expect(await store.raiseNotification(happening({ subject: 'dapp-2' }))).toBeDefined();
    expect(await store.raiseNotification(happening({ kind: 'tankEmpty' }))).toBeDefined();
    expect(await store.endNotification(low, 9)).toEqual({ ...raised, endedAt: 9 });
    expect(await store.endNotification(low, 10)).toBeUndefined();
    expect(await store.raiseNotification(happening({ raisedAt: 11 }))).toMatchObject({ raisedAt: 11 });
    const all = await store.listNotifications(10);
    expect(all.map(({ kind, subject, raisedAt, endedAt }) => [kind, subject, raisedAt, endedAt])).toEqual([
      ['tankLow', 'dapp-1', 11, null],
      ['tankEmpty', 'dapp-1', 5, null],
      ['tankLow', 'dapp-2', 5, null],
      ['tankLow', 'dapp-1', 5, 9],
    ]);
    expect(await store.listNotifications(1)).toEqual(all.slice(0, 1));
  });

  test('what came after the one that was seen stays unseen', async () => {
    const first = await store.raiseNotification(happening());
    await store.raiseNotification(happening({ subject: 'dapp-2' }));
    expect(await store.countUnseenNotifications()).toBe(2);
    await store.markNotificationsSeen(first!.seq);
    expect(await store.countUnseenNotifications()).toBe(1);
    expect((await store.listNotifications(9)).map(({ seen }) => seen)).toEqual([false, true]);
  });

  test('of what is over the newest 500 are kept, and all that lasts', async () => {
    await store.raiseNotification(happening({ kind: 'paused', subject: '' }));
    for (let at = 0; at < 510; at += 1) {
      await store.raiseNotification(happening({ raisedAt: at }));
      await store.endNotification(low, at);
    }
    const kept = await store.listNotifications(1_000);
    expect([kept.length, kept[0]?.raisedAt, kept.at(-2)?.raisedAt, kept.at(-1)?.kind]).toEqual([
      501,
      509,
      10,
      'paused',
    ]);
  });

  test('the webhook gets what starts and ends from then on, in the state of that moment', async () => {
    await store.raiseNotification(happening({ kind: 'node', subject: '1' }));
    expect(await store.findNotificationWebhook()).toBeUndefined();
    await store.saveNotificationWebhook('https://example.com/a');
    expect(await store.findNotificationWebhook()).toEqual({
      url: 'https://example.com/a',
      attemptedAt: null,
      error: null,
    });
    expect(await store.dueNotifications()).toEqual([]);
    const raised = (await store.raiseNotification(happening()))!;
    expect(await store.dueNotifications()).toEqual([raised]);
    // It ended while its beginning was being sent to the webhook.
    const ended = (await store.endNotification(low, 9))!;
    await store.notificationSent(raised);
    expect(await store.dueNotifications()).toEqual([ended]);
    await store.notificationSent(ended);
    expect(await store.dueNotifications()).toEqual([]);
    await store.endNotification({ kind: 'node', subject: '1' }, 12);
    expect(await store.dueNotifications()).toHaveLength(1);
    await store.saveNotificationAttempt({ attemptedAt: 7, error: 'It is down.' });
    await reopen();
    expect(await store.findNotificationWebhook()).toMatchObject({ attemptedAt: 7, error: 'It is down.' });
    await store.saveNotificationWebhook('https://example.com/b');
    expect(await store.findNotificationWebhook()).toMatchObject({ attemptedAt: null, error: null });
    expect(await store.dueNotifications()).toEqual([]);
    await store.saveNotificationWebhook(null);
    expect(await store.findNotificationWebhook()).toBeUndefined();
    await store.raiseNotification(happening());
    expect(await store.dueNotifications()).toEqual([]);
  });
};
