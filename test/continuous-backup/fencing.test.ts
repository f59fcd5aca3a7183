import { kill } from 'node:process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newestLease } from '../../src/engine/continuous-backup/lease.ts';
import { openTarget } from '../../src/engine/continuous-backup/open-target.ts';
import type { S3Access, TargetPlace } from '../../src/engine/continuous-backup/target.ts';
import { deskClient } from '../../src/demo/desk-client.ts';
import { type ServingCli, useServe } from '../support/cli.ts';
import { startCuttableProxy } from '../support/cuttable-proxy.ts';
import { startObjectStore } from '../support/object-store.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { CHAIN, SIGNING_ENV, signableOperation, signingFolder } from '../support/signing-folder.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { signaturesIn } from './take-over.ts';

/*
 * Two desks never sign for one tank at once: the desk that leads is cut off from its target, paused, or has its clock set,
 * while requests arrive at both.
 */

const tempFolder = useTempFolders();
const serve = useServe();

/** What the DApp may have signed in a year. */
const LIMIT = 600;
const CLIENTS = 4;
const NO_S3: S3Access = { endpoint: '', region: 'us-east-1', accessKeyId: '', secretAccessKey: '' };

let nonce = 0;

/** Asks one desk all the time, until it is stopped or denies. */
const keepAsking = ({ url }: Pick<ServingCli, 'url'>, apiKey: string) => {
  const client = deskClient(url);
  const signed: { readonly askedAt: number; readonly signature: string }[] = [];
  let [isStopped, isDenied, refused] = [false, false, 0];
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isStopped && !isDenied) {
      const askedAt = performance.now();
      const operation = [signableOperation((nonce += 1)), { mode: 'SPONSORED' }];
      const reply = await client.sponsor(CHAIN, apiKey, operation).catch(() => undefined);
      const result = reply?.result as { paymasterAndData: string } | undefined;
      if (result === undefined) refused += 1;
      else if (result.paymasterAndData === '0x') isDenied = true;
      else signed.push({ askedAt, signature: result.paymasterAndData });
    }
  });
  return {
    signed,
    refused: () => refused,
    ended: Promise.all(clients),
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(clients);
    },
  };
};

const eventually = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: PATIENCE_MS });

const s3Env = ({ endpoint, accessKeyId, secretAccessKey }: S3Access) => ({
  GASDESK_S3_ENDPOINT: endpoint,
  GASDESK_S3_ACCESS_KEY_ID: accessKeyId,
  GASDESK_S3_SECRET_ACCESS_KEY: secretAccessKey,
});

type Envs = Readonly<Record<'desk' | 'standby', Record<string, string>>>;

/** A desk whose answers wait for its copy, under load, and a standby. */
const deskUnderLoad = async (target: string, envs: Envs) => {
  const dir = tempFolder();
  const apiKey = await signingFolder(dir, LIMIT);
  const waits = { GASDESK_CONTINUOUS_BACKUP: target, GASDESK_CONTINUOUS_BACKUP_WAIT: 'true' };
  const desk = await serve(['--data', dir], { ...SIGNING_ENV, ...waits, ...envs.desk });
  const standbyDir = join(tempFolder(), 'standby');
  const standby = serve(['--data', standbyDir, '--standby', target], { ...SIGNING_ENV, ...envs.standby });
  const load = keepAsking(desk, apiKey);
  await eventually(() => expect(load.signed.length).toBeGreaterThan(10));
  return { apiKey, desk, standby, standbyDir, load };
};

type Asking = ReturnType<typeof keepAsking>;

/**
 * Uses up the limit at the standby. It knows all that was signed before, and nothing that was asked for later was signed
 * by the first desk. Lost answers are few, and count.
 */
const expectOneLed = async (first: Asking, second: Asking, standbyDir: string) => {
  await second.ended;
  await first.stop();
  expect(first.signed.at(-1)!.askedAt).toBeLessThan(second.signed[0]!.askedAt);
  const known = signaturesIn(standbyDir);
  expect(first.signed.filter(({ signature }) => !known.has(signature))).toEqual([]);
  const signed = first.signed.length + second.signed.length;
  expect(signed).toBeLessThanOrEqual(LIMIT);
  // Each client of the first desk may have one operation that was decided and not answered, before and after a pause.
  expect(signed).toBeGreaterThanOrEqual(LIMIT - 2 * CLIENTS);
};

test('a desk that cannot reach its object store signs nothing, while and after its standby takes over', async () => {
  const store = await startObjectStore(tempFolder(), 'desks');
  onTestFinished(() => store.stop());
  const line = await startCuttableProxy(store.endpoint);
  onTestFinished(() => line.cut());
  const direct = { ...NO_S3, ...store };
  const envs = { desk: s3Env({ ...direct, endpoint: line.url }), standby: s3Env(direct) };
  const { apiKey, standby, standbyDir, load } = await deskUnderLoad('s3://desks/one', envs);

  await line.cut();
  const second = keepAsking(await standby, apiKey);
  await eventually(() => expect(second.signed.length).toBeGreaterThan(10));
  await line.mend();
  const refused = load.refused();
  await eventually(() => expect(load.refused()).toBeGreaterThan(refused + 5 * CLIENTS));
  await expectOneLed(load, second, standbyDir);
});

test('a desk that is paused under load signs nothing after its standby has taken over', async () => {
  const { apiKey, desk, standby, standbyDir, load } = await deskUnderLoad(tempFolder(), { desk: {}, standby: {} });
  kill(desk.pid, 'SIGSTOP');
  const second = keepAsking(await standby, apiKey);
  await eventually(() => expect(second.signed.length).toBeGreaterThan(10));
  kill(desk.pid, 'SIGCONT');
  await eventually(() => expect(load.refused()).toBeGreaterThan(5 * CLIENTS));
  await expectOneLed(load, second, standbyDir);
});

/** Sets the time of day of a process by the milliseconds in a file, whenever it changes. */
const settableClock = (file: string): Record<string, string> => {
  writeFileSync(file, '0');
  const script = `
    import { readFileSync } from 'node:fs';
    const { now } = Date;
    let ahead = 0;
    setInterval(() => { ahead = Number(readFileSync(${JSON.stringify(file)}, 'utf8')); }, 50).unref();
    Date.now = () => now() + ahead;`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
};

const TEN_MINUTES = '600000';

test.each([
  { what: 'forward, its standby’s back', desk: TEN_MINUTES, standby: `-${TEN_MINUTES}` },
  { what: 'back, its standby’s forward', desk: `-${TEN_MINUTES}`, standby: TEN_MINUTES },
])('a desk leads on when its clock is set $what, and the standby still takes over', async ({ desk, standby }) => {
  const [target, clocks] = [tempFolder(), tempFolder()];
  const files = { desk: join(clocks, 'desk'), standby: join(clocks, 'standby') };
  const envs = { desk: settableClock(files.desk), standby: settableClock(files.standby) };
  const { apiKey, desk: leading, standby: waiting, standbyDir, load } = await deskUnderLoad(target, envs);
  const place: TargetPlace = { target, s3: NO_S3 };
  const before = (await newestLease(openTarget(place)))!;
  await load.stop();
  writeFileSync(files.desk, desk);
  writeFileSync(files.standby, standby);
  // Longer than the standby waits for a renewal.
  await eventually(async () => {
    const { holder, number } = (await newestLease(openTarget(place)))!;
    expect(holder).toBe(before.holder);
    expect(number).toBeGreaterThan(before.number + 6);
  });
  const later = keepAsking(leading, apiKey);
  await eventually(() => expect(later.signed.length).toBeGreaterThan(10));
  leading.signal('SIGKILL');
  later.signed.unshift(...load.signed);
  await expectOneLed(later, keepAsking(await waiting, apiKey), standbyDir);
});
