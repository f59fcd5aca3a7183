import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { everyEntry } from './every-entry.ts';
import { createForger } from './forger.ts';
import { type Forgery, changesOf, movesOf, renamesOf } from './forgeries.ts';
import { sized } from '../support/combinations.ts';

/** What no one can see in a log whose key signed it, by the rows of docs/log-format.md that give the reasons. */
const UNSEEN: readonly (readonly [row: string, is: RegExp])[] = [
  ['operator actions', /^action/],
  ['ids of decisions', /^decision [a-z]+\.body\.id /],
  ['times of entries', /^[a-z ]+\.at /],
  ['how long steps took', /\.steps\[\] (?:changed|longer|renamed everywhere)$/],
  ['requests to webhooks', /\.webhooks\[\]\.call\.(?:request|url)/],
  ['facts from outside', /\.body\.facts\.(?:shared|chain|account|price|token|holdings|webhooks|delegate)\b/],
  [
    'blanked values',
    /\.(?:request\.received|sponsorshipInfo|webhookData|tokenInfo|userOperation\.signature|call\.response) (?!fewer)/,
  ],
  [
    'parts of a request that no method reads',
    /\.request\.received(?: doubled|\S* (?:more|removed)|\.(?:bytes|sha256|start) )/,
  ],
  ['the request of a denial', /^decision denied\.body\.request\.(?:received\[\]|userOperation)/],
  ['denials of requests that were too long', /^decision truncated/],
  ['requests that failed', /^decision error/],
  ['settlements of operations', /^settlement/],
  ['holds', /^(?:hold|release)/],
  ['starts and stops', /^(?:start|stop)/],
  ['repeated policies, and policies that no decision names', /^policy (?:doubled|dropped)/],
  ['omitted decisions', /^decision [a-z]+ dropped/],
  ['the order of independent entries', / moved behind /],
];

/** Random changes that are tried; each pattern as often as any other. */
const RUNS = sized(300, 60);
const desk = useOfflineDesk();
const blanking = useOfflineDesk({ blankWebhookData: true });

const { verify } = createForger(randomBytes(32));

/** Forgeries by what was done, those that change nothing aside. */
const forgeriesOf = (log: readonly string[]): ReadonlyMap<string, readonly Forgery[]> => {
  const all = [...changesOf(log), ...movesOf(log), ...renamesOf(log)];
  return Map.groupBy(all, ({ what }) => what);
};
const isChanged = ({ entries }: Forgery, log: readonly string[]): boolean => entries.join() !== log.join();

const expectListed = (log: readonly string[]): void => {
  expect(verify(log).faults).toEqual([]);
  const forgeries = forgeriesOf(log);
  const patterns = [...forgeries.keys()];
  fc.assert(
    fc.property(fc.nat(patterns.length - 1), fc.double({ min: 0, max: 0.999, noNaN: true }), (pattern, place) => {
      const same = forgeries.get(patterns[pattern] ?? '') ?? [];
      const forgery = same[Math.floor(place * same.length)];
      if (forgery === undefined || !isChanged(forgery, log)) return;
      const isUnseen = UNSEEN.some(([, is]) => is.test(forgery.what));
      if (!isUnseen) expect([forgery.what, verify(forgery.entries).ok]).toEqual([forgery.what, false]);
    }),
    { numRuns: RUNS },
  );
};

const rowsOf = (document: string): string[] => {
  const [, section = ''] = document.split('## What a verifier cannot see\n');
  return [...section.split('\n## ')[0]!.matchAll(/^\| ([a-z][^|]*?) +\|/gm)].map(([, row = '']) => row).slice(1);
};

test('whatever is changed, left out, doubled or moved and signed again is named, but for what is listed', async () => {
  expectListed(await everyEntry(desk()));
});

test('the same holds where what clients send is blanked', async () => {
  expectListed(await everyEntry(blanking()));
});

test('what is listed does pass, and the format gives a reason for each: a longer list would hide what comes later', async () => {
  const logs = [await everyEntry(desk()), await everyEntry(blanking())];
  // Of each pattern the last: nothing stands behind it that would tell.
  const all = logs.map((log) => ({ log, last: [...forgeriesOf(log).values()].flatMap((same) => same.slice(-1)) }));
  const passes = (is: RegExp): boolean =>
    all.some(({ log, last }) =>
      last.filter(({ what }) => is.test(what)).some((forgery) => isChanged(forgery, log) && verify(forgery.entries).ok),
    );
  const rows = UNSEEN.map(([row]) => row);
  expect(UNSEEN.filter(([, is]) => passes(is)).map(([row]) => row)).toEqual(rows);
  const document = readFileSync(join(import.meta.dirname, '../../docs/log-format.md'), 'utf8');
  expect(rowsOf(document)).toEqual(rows);
});
