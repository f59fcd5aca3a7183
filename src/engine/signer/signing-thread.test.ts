import { spawnSync } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { createLog } from '../base/log.ts';
import { sha256Hex } from '../base/sha256.ts';
import { turn } from '../store/rows.ts';
import { nativeSignDigest, portableSignDigest } from './sign-digest.ts';
import { toBytes } from './sign.ts';
import { SLOTS, type SigningSlots, createSlotMemory, slotsIn } from './signing-slots.ts';
import { type SigningThread, createSigningThread } from './signing-thread.ts';

const KEY: Hex = `0x${'42'.repeat(32)}`;
const NO_KEY: Hex = `0x${'ff'.repeat(32)}`;
const digestOf = (index: number): Hex => `0x${sha256Hex(String(index))}`;
const signatureOf = (index: number): Hex => portableSignDigest(toBytes(KEY), toBytes(digestOf(index)));
const indices = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('signing in a second thread', () => {
  const log = createLog({ level: 'silent' });
  let thread: SigningThread;
  let clock: ManualClock;
  let memory: SharedArrayBuffer;
  const holdsKey = (): boolean => Buffer.from(memory).includes(Buffer.from(toBytes(KEY)));
  beforeEach(() => {
    clock = new ManualClock();
    memory = createSlotMemory();
    thread = createSigningThread({ log, clock, memory });
  });
  const beginToSign = (index: number): (() => Hex) => thread.begin(KEY, digestOf(index));
  afterEach(() => thread.end());

  it('gives every digest its own signature, wherever it was made', async () => {
    const expected = indices(50).map(signatureOf);
    for (let round = 0; round < 30; round += 1) {
      const signatures = indices(50).map(beginToSign);
      // The thread may be anywhere in its work by now.
      for (let turns = 0; turns < round; turns += 1) await turn();
      expect(signatures.map((signature) => signature())).toEqual(expected);
    }
  });

  it('gives each of more digests than fit its own signature, in any order', async () => {
    const signatures = indices(SLOTS + 20).map(beginToSign);
    await turn();
    for (const index of [SLOTS + 19, 19, 0, SLOTS, SLOTS - 1]) expect(signatures[index]?.()).toBe(signatureOf(index));
  });

  it('refuses an invalid key as the engine does, and then signs on', () => {
    const signatures = indices(10).map((index) =>
      index === 3 ? thread.begin(NO_KEY, digestOf(3)) : beginToSign(index),
    );
    for (const [index, signature] of signatures.entries()) {
      if (index === 3) expect(signature).toThrow();
      else expect(signature()).toBe(signatureOf(index));
    }
  });

  it.runIf(nativeSignDigest)('ends its thread while it signs, without ending the process', async () => {
    for (let round = 0; round < 8; round += 1) {
      memory = createSlotMemory();
      thread = createSigningThread({ log, clock, memory });
      const signatures = indices(SLOTS).map(beginToSign);
      while (!slotsIn(memory).change(1, 'signed', 'signed')) await turn();
      await thread.end();
      expect(signatures[0]?.()).toBe(signatureOf(0));
    }
  });

  it.runIf(nativeSignDigest)('lets a process exit while it signs, with the exit code of the process', () => {
    const program = `
      import { createSigningThread } from ${JSON.stringify(new URL('signing-thread.ts', import.meta.url).href)};
      import { createSlotMemory, slotsIn } from ${JSON.stringify(new URL('signing-slots.ts', import.meta.url).href)};
      const memory = createSlotMemory();
      const thread = createSigningThread({ log: console, clock: { setTimer: () => () => undefined }, memory });
      for (let count = 0; count < ${SLOTS}; count += 1) thread.begin('${KEY}', '${digestOf(0)}');
      while (!slotsIn(memory).change(1, 'signed', 'signed')) await new Promise(setImmediate);
      setImmediate(() => {
        throw new Error('uncaught');
      });`;
    for (let round = 0; round < 4; round += 1) {
      const { status, stderr } = spawnSync(process.execPath, ['--eval', program], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('Error: uncaught') });
    }
  });

  it('signs when the thread has ended', async () => {
    const signatures = indices(10).map(beginToSign);
    await thread.end();
    expect([...signatures, beginToSign(10)].map((signature) => signature())).toEqual(indices(11).map(signatureOf));
    expect([holdsKey(), clock.pending]).toEqual([false, 0]);
  });

  it('removes each key with its signature', () => {
    const signatures = indices(SLOTS + 20).map(beginToSign);
    expect(holdsKey()).toBe(true);
    for (const signature of signatures) signature();
    expect(holdsKey()).toBe(false);
  });

  it('removes the keys of a commit that has failed, after a second, and signs even then', async () => {
    const signatures = indices(10).map(beginToSign);
    await clock.advance(999);
    expect(holdsKey()).toBe(true);
    await clock.advance(1);
    expect([holdsKey(), clock.pending]).toEqual([false, 0]);
    expect([...signatures, beginToSign(10)].map((signature) => signature())).toEqual(indices(11).map(signatureOf));
  });

  it('uses no signature that the thread was making when its key was removed', async () => {
    const slots = slotsIn(memory);
    const signature = beginToSign(0);
    expect(slots.change(1, 'waiting', 'signing')).toBe(true);
    await clock.advance(1_000);
    expect(slots.change(1, 'signing', 'signed')).toBe(false);
    expect(signature()).toBe(signatureOf(0));
  });

  it('signs without a thread if none can be started', () => {
    const program = `
      import { createSigningThread } from ${JSON.stringify(new URL('signing-thread.ts', import.meta.url).href)};
      const warnings = [];
      const log = { warn: (event, { err }) => warnings.push(event, err.code) };
      const thread = createSigningThread({ log, clock: { setTimer: () => () => undefined } });
      const signatures = ${JSON.stringify(indices(5).map(digestOf))}.map((digest) => thread.begin('${KEY}', digest));
      console.log(JSON.stringify([...signatures.map((signature) => signature()), ...warnings]));`;
    const flags = ['--permission', '--allow-fs-read=*', '--allow-addons', '--input-type=module', '--eval', program];
    const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
    expect(stdout, stderr).not.toBe('');
    const expected = indices(5).map(signatureOf);
    expect(JSON.parse(stdout)).toEqual([
      ...expected,
      ...(nativeSignDigest ? ['signer.thread', 'ERR_ACCESS_DENIED'] : []),
    ]);
  });
});

describe.runIf(nativeSignDigest)('the thread', () => {
  let worker: Worker;
  let slots: SigningSlots;
  const start = (): void => {
    const memory = createSlotMemory();
    slots = slotsIn(memory);
    worker = new Worker(new URL('signing-worker.ts', import.meta.url), { workerData: memory });
  };
  afterEach(() => worker.terminate());

  const put = (number: number, key: Hex = KEY): void => slots.put(number, toBytes(key), toBytes(digestOf(number)));
  const signed = async (number: number): Promise<Hex> => {
    while (!slots.change(number, 'signed', 'taken')) await turn();
    return `0x${Buffer.from(slots.slot(number).signature).toString('hex')}`;
  };

  it('signs all digests that are put, and waits for more', async () => {
    start();
    for (const numbers of [[1, 2, 3], [4], [5, 6]]) {
      numbers.forEach((number) => put(number));
      slots.wake();
      for (const number of numbers) expect(await signed(number)).toBe(signatureOf(number));
    }
  });

  it('leaves what the engine signs itself, and invalid keys', async () => {
    start();
    put(1);
    expect(slots.change(1, 'waiting', 'taken')).toBe(true);
    put(2, NO_KEY);
    put(3);
    slots.wake();
    expect(await signed(3)).toBe(signatureOf(3));
    expect([slots.change(1, 'signed', 'taken'), slots.change(2, 'signed', 'taken')]).toEqual([false, false]);
  });

  it('continues where the numbers begin again', async () => {
    start();
    const last = 2 ** 31 - 1;
    put(last);
    slots.wake();
    expect(await signed(last)).toBe(signatureOf(last));
    const next = (last + 1) | 0;
    put(next);
    slots.wake();
    expect(await signed(next)).toBe(signatureOf(next));
  });
});

describe('a slot', () => {
  it('belongs to its newest digest only', () => {
    const slots = slotsIn(createSlotMemory());
    slots.put(1, toBytes(KEY), toBytes(digestOf(1)));
    slots.put(1 + SLOTS, toBytes(KEY), toBytes(digestOf(2)));
    expect(slots.change(1, 'waiting', 'signing')).toBe(false);
    expect(slots.change(1 + SLOTS, 'waiting', 'signing')).toBe(true);
    expect(slots.change(1 + SLOTS, 'waiting', 'taken')).toBe(false);
  });
});
