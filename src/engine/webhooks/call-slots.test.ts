import { expect, test } from 'vitest';
import { createCallSlots } from './call-slots.ts';

const never = new AbortController().signal;

const heldTask = (started: string[], name: string) => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const task = () => {
    started.push(name);
    return promise;
  };
  return { task, end: () => resolve(name), fail: () => reject(new Error(name)) };
};

test('calls get their turn in the order they came, also after one that failed', async () => {
  const slots = createCallSlots(1, 2);
  const started: string[] = [];
  const [a, b, c] = ['a', 'b', 'c'].map((name) => heldTask(started, name)) as [HeldTask, HeldTask, HeldTask];
  const all = [a, b, c].map(({ task }) => slots.run('h', never, task));
  const outcome = Promise.allSettled(all);
  await expect(slots.run('h', never, a.task)).rejects.toMatchObject({ code: 'WEBHOOK_BUSY', evidence: { atOnce: 1 } });
  a.fail();
  await expect(all[0]).rejects.toThrow('a');
  b.end();
  await all[1];
  c.end();
  expect((await outcome).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(started).toEqual(['a', 'b', 'c']);
});

type HeldTask = ReturnType<typeof heldTask>;

test('a call that gave up waiting neither starts late nor keeps its place', async () => {
  const slots = createCallSlots(1, 1);
  const started: string[] = [];
  const [a, b, c] = ['a', 'b', 'c'].map((name) => heldTask(started, name)) as [HeldTask, HeldTask, HeldTask];
  const first = slots.run('h', never, a.task);
  const late = new AbortController();
  const second = slots.run('h', late.signal, b.task);
  late.abort();
  await expect(second).rejects.toMatchObject({ code: 'WEBHOOK_BUSY' });
  const third = slots.run('h', never, c.task);
  a.end();
  c.end();
  expect(await Promise.all([first, third])).toEqual(['a', 'c']);
  expect(started).toEqual(['a', 'c']);
});

test('one webhook does not wait for another', async () => {
  const slots = createCallSlots(1, 0);
  const held = heldTask([], 'held');
  const slow = slots.run('slow', never, held.task);
  expect(await slots.run('quick', never, () => Promise.resolve('done'))).toBe('done');
  held.end();
  await slow;
});
