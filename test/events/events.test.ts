import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { operation } from '../support/operations.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { followEvents } from './event-client.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

let dir: string;
let clock: ManualClock;
let engine: ServingEngine;
let dapp: SponsoredDapp;
let headers: { authToken: string };
let lines: string[];
beforeEach(async () => {
  dir = makeTempFolder();
  clock = new ManualClock();
  lines = [];
  engine = await startEngine({ dir, clock, writeLog: (line) => lines.push(line) });
  dapp = await engine.dapp({});
  headers = { authToken: (await engine.service.call('authTokens.create', {})).authToken };
});
afterEach(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });
/** Decisions of a DApp without a contract: each is an error, stored like any other. */
const decide = async (count: number, by = dapp, webhookData = {}): Promise<void> => {
  await Promise.all(Array.from({ length: count }, () => by.sponsor(op, { sponsorshipInfo: { webhookData } })));
};
/** The `seq` of every decision, in order. */
const allSeqs = async (): Promise<number[]> => {
  const seqs: number[] = [];
  for (let [after, more] = [0, true]; more;) {
    const page = await engine.service.call('decisions.page', { after, limit: 1_000 });
    seqs.push(...page.decisions.map(({ seq }) => seq));
    ({ upTo: after, more } = page);
  }
  return seqs;
};
/** The `seq` of the last decision so far. */
const lastSeq = async (): Promise<number> => (await allSeqs()).at(-1) ?? 0;

describe('a client of the events', () => {
  test('gets each decision as it is made, whole, and none from before it came', async () => {
    await decide(2);
    const client = await followEvents(engine.url, headers);
    expect(client.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });

    await decide(3);
    await client.received(3);

    expect(client.seqs).toEqual((await allSeqs()).slice(2));
    expect(client.decisions).toEqual((await dapp.decisions()).slice(0, 3).reverse());
  });

  test.each([
    ['Last-Event-ID', (seen: string) => ({ 'last-event-id': seen }), () => '/events'],
    ['after', () => ({}), (seen: string) => `/events?after=${seen}`],
    [
      'Last-Event-ID rather than the URL it first had',
      (seen: string) => ({ 'last-event-id': seen }),
      () => '/events?after=0',
    ],
  ])('that missed some gets them first, by %s', async (_, more, path) => {
    await decide(2);
    const seen = String(await lastSeq());
    await decide(2);
    const client = await followEvents(engine.url, { ...headers, ...more(seen) }, path(seen));
    await client.received(2);
    await decide(1);
    await client.received(3);
    expect(client.seqs).toEqual((await allSeqs()).slice(2));
  });

  test('loses and doubles nothing, however often it reconnects while decisions are made', async () => {
    const made = decide(300);
    const steady = await followEvents(engine.url, headers, '/events?after=0');
    const seen: number[] = [];
    for (let hop = 1; seen.length < 300; hop += 1) {
      const client = await followEvents(engine.url, { ...headers, 'last-event-id': String(seen.at(-1) ?? 0) });
      await client.received(Math.min(300 - seen.length, hop * 7));
      client.close();
      seen.push(...client.seqs);
    }
    await made;
    await steady.received(300);
    const all = await allSeqs();
    expect(all).toHaveLength(300);
    expect(seen).toEqual(all);
    expect(steady.seqs).toEqual(all);
  });

  test('gets the decisions of its own account only, stored and new', async () => {
    const { accountId } = await engine.service.call('accounts.create', { name: 'Other' });
    const { authToken } = await engine.service.call('authTokens.create', { accountId });
    await decide(3);
    const other = await followEvents(engine.url, { authToken }, '/events?after=0');
    const own = await followEvents(engine.url, headers, '/events?after=0');
    await decide(3);
    await own.received(6);
    const ofOwn = await allSeqs();

    const { paymasterId } = await engine.service.call('paymasters.create', {
      accountId,
      name: 'Other DApp',
      type: 'HYBRID',
      chainId: 31337,
      version: '1.1.0',
    });
    const [{ apiKey } = { apiKey: '' }] = await engine.service.call('paymasters.list', { accountId });
    await decide(1, { ...dapp, sponsor: (value) => sponsorWith(apiKey, value) });
    await other.received(1);

    expect(other.decisions.map((decision) => [decision.seq, decision.paymasterId])).toEqual([
      [await lastSeq(), paymasterId],
    ]);
    expect(ofOwn).toHaveLength(6);
    expect(own.seqs).toEqual(ofOwn);
  });

  test('gets the decisions of one DApp only, where its token is for that alone', async () => {
    const [{ paymasterId } = { paymasterId: '' }] = await engine.service.call('paymasters.list', {});
    const { authToken } = await engine.service.call('authTokens.create', { paymasterId });
    const sibling = await engine.dapp({});
    await decide(1, sibling);
    const client = await followEvents(engine.url, { authToken }, '/events?after=0');
    await decide(1);
    await client.received(1);
    expect(client.decisions.map((decision) => decision.paymasterId)).toEqual([paymasterId]);
  });

  const sponsorWith = (apiKey: string, value: Record<string, unknown>) =>
    engine.post(`/api/v1/31337/${apiKey}`, {
      jsonrpc: '2.0',
      id: 1,
      method: 'pm_sponsorUserOperation',
      params: [value, { mode: 'SPONSORED' }],
    });

  test('that has seen more than there is, after a restored backup, gets what is new', async () => {
    await decide(1);
    const client = await followEvents(engine.url, { ...headers, 'last-event-id': '1000' });
    await decide(1);
    await client.received(1);
    expect(client.seqs).toEqual((await allSeqs()).slice(1));
  });

  test.each([
    ['without a token', {}, '/events', 401, 'Auth token is required in the headers'],
    ['with an unknown token', { authToken: 'gd_unknown' }, '/events', 401, 'Invalid auth token'],
    ['that has seen nonsense', undefined, '/events?after=-1', 400, 'seq of a decision'],
  ])('%s is refused', async (_, given, path, status, message) => {
    const response = await fetch(engine.url + path, { headers: given ?? headers });
    expect(await response.json()).toEqual({ statusCode: status, message: expect.stringContaining(message) });
  });

  test('hears a heartbeat every 15 s, until its token is revoked', async () => {
    const client = await followEvents(engine.url, headers);
    await decide(1);
    await client.received(1);
    await clock.advance(14_999);
    await decide(1);
    await client.received(2);
    expect(client.comments()).toBe(0);
    await clock.advance(1);
    await decide(1);
    await client.received(3);
    expect(client.comments()).toBe(1);

    const [token] = await engine.service.call('authTokens.list', {});
    await engine.service.call('authTokens.revoke', { tokenId: token?.tokenId });
    await clock.advance(15_000);
    await client.ended();
  });

  test('gets no decision that is made after its token was revoked', async () => {
    const client = await followEvents(engine.url, headers);
    await decide(2);
    await client.received(2);
    const [token] = await engine.service.call('authTokens.list', {});
    await engine.service.call('authTokens.revoke', { tokenId: token?.tokenId });
    await decide(3);
    await client.ended();
    expect(client.seqs).toEqual((await allSeqs()).slice(0, 2));
  });

  test('that takes nothing is disconnected after 30 s, and gets the rest when it comes back', async () => {
    const slow = await followEvents(engine.url, headers);
    slow.response.pause();
    // Once something is decided, no timer of the connection's start is left to count.
    await decide(1);
    // A background loop has no timer while it is at work. Now all loops have theirs, and so does the connection.
    const before = 15;
    await expect.poll(() => clock.pending).toBe(before);
    // Beyond what sockets hold between the two.
    for (let sent = 0; clock.pending <= before; sent += 20) {
      expect(sent).toBeLessThan(2_000);
      await decide(20, dapp, { text: 'x'.repeat(100_000) });
    }
    await clock.advance(30_000);
    slow.response.resume();
    await slow.ended();

    const all = await allSeqs();
    const got = slow.seqs.length;
    expect(slow.seqs).toEqual(all.slice(0, got));
    expect(got).toBeLessThan(all.length);
    const again = await followEvents(engine.url, { ...headers, 'last-event-id': String(all[got - 1]) });
    await again.received(all.length - got);
    expect(again.seqs).toEqual(all.slice(got));
  });

  test('that disconnects before it has read what it asked for is no error in the log', async () => {
    // More than a page of them.
    await decide(300, dapp, { text: 'x'.repeat(1_000) });
    const { hostname, port } = new URL(engine.url);
    const head = `GET /events?after=0 HTTP/1.1\r\nHost: localhost\r\nauthToken: ${headers.authToken}\r\n\r\n`;
    for (let times = 0; times < 10; times += 1) {
      const socket = connect(Number(port), hostname);
      socket.end(head);
      socket.resume();
      await once(socket, 'close');
    }
    expect(lines).toEqual([]);
  });

  test('may have as many streams as the settings allow a token, and again when one has ended', async () => {
    const clients = await Promise.all(Array.from({ length: 16 }, () => followEvents(engine.url, headers)));
    const refused = await fetch(`${engine.url}/events`, { headers });
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { statusCode: 429, message: 'This token follows the events 16 times; it may 16 times' },
    ]);
    const { authToken } = await engine.service.call('authTokens.create', {});
    const other = await followEvents(engine.url, { authToken });
    expect(other.response.statusCode).toBe(200);

    clients[0]?.close();
    await expect.poll(async () => (await followEvents(engine.url, headers)).response.statusCode).toBe(200);
    await decide(1);
    await Promise.all([...clients.slice(1), other].map((client) => client.received(1)));
    expect(new Set(clients.slice(1).map(({ seqs }) => seqs.join()))).toEqual(new Set([String(await lastSeq())]));
  });

  test('does not keep the engine from stopping', async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, () => followEvents(engine.url, headers)));
    await engine.stop();
    await Promise.all(clients.map((client) => client.ended()));
    expect(clock.pending).toBe(0);
    engine = await startEngine({ dir, clock });
  });
});

describe('a subscription in the process', () => {
  test('is called in order, one at a time, and not after it was cancelled', async () => {
    await decide(150);
    const before = (await allSeqs())[99] ?? 0;
    const seqs: number[] = [];
    let running = 0;
    const subscription = engine.service.subscribe(before, async (decisions) => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      seqs.push(...decisions.map(({ seq }) => seq));
      running -= 1;
      if (seqs.length > 50) subscription.cancel();
    });
    await decide(20);
    await subscription.ended;
    await decide(1);
    expect(seqs.length).toBeLessThan(71);
    expect(seqs).toEqual((await allSeqs()).filter((seq) => seq > before).slice(0, seqs.length));
  });

  test('that reads many big decisions lets everything else have its turn after each page', async () => {
    // What is kept of a request is bounded: a page holds some thirty of these.
    const count = 100;
    await decide(count, dapp, { text: 'x'.repeat(100_000) });
    let rounds = 0;
    let next = setImmediate(function count() {
      rounds += 1;
      next = setImmediate(count);
    });
    const toldIn: number[] = [];
    const last = await lastSeq();
    const ends = Array.from({ length: 3 }, () => {
      const subscription = engine.service.subscribe(0, (decisions) => {
        toldIn.push(...decisions.map(() => rounds));
        if (decisions.at(-1)?.seq === last) subscription.cancel();
      });
      return subscription.ended;
    });
    await Promise.all(ends);
    clearImmediate(next);

    expect(toldIn).toHaveLength(3 * count);
    // Each begins at once; more pages than one for each are read in rounds of their own.
    expect(new Set(toldIn).size).toBeGreaterThan(3);
  });

  test('that sleeps ends when it is cancelled', async () => {
    const subscription = engine.service.subscribe(0, () => undefined);
    await decide(1);
    subscription.cancel();
    await subscription.ended;
  });

  test('reports what its listener threw', async () => {
    await decide(1);
    const { ended } = engine.service.subscribe(0, () => {
      throw new Error('of the listener');
    });
    await expect(ended).rejects.toThrow('of the listener');
  });

  test('gets a decision only once it can be read back', async () => {
    const read: unknown[] = [];
    const subscription = engine.service.subscribe(0, async (decisions) => {
      for (const { id } of decisions) read.push((await engine.service.call('decisions.show', { decisionId: id })).seq);
      if (read.length === 5) subscription.cancel();
    });
    await decide(5);
    await subscription.ended;
    expect(read).toEqual(await allSeqs());
  });
});
