import { type Socket, connect } from 'node:net';

/**
 * A stranger who floods a desk, in a process of its own: `node flood-process.ts URL CHAIN KEY`, the key being a DApp's, which
 * every user of the DApp knows. Prints one line when everything it holds open is open, goes on every half second, and
 * ends by itself. It stays on this machine.
 */

const [url = '', chain = '', publicKey = ''] = process.argv.slice(2);
const { hostname, port } = new URL(url);
if (hostname !== '127.0.0.1') throw new Error('Only this machine is flooded');

const MIB = 1024 * 1024;
const ROUND_MS = 500;
/** Five minutes: longer than whoever started it wants it to. */
const ROUNDS = 600;

const NUMBERS = `[${'1e9,'.repeat(MIB / 4 - 1)}1]`;
const BODIES_PER_ROUND = 30;
const GUESSES_PER_ROUND = 100;
const IDLE = 1_100;
const UNFINISHED = 600;
const SLOW_HEADS = 100;
/** Connections that the desk ended are opened anew. */
const OPENED_PER_ROUND = 200;

/** How many answers came, by their HTTP status. */
const answers: Record<string, number> = {};

const start = (onEnd: () => void): Socket => {
  const socket = connect(Number(port), hostname);
  // What becomes of it is seen by its end.
  socket.on('error', () => undefined);
  socket.on('data', (answer: Buffer) => {
    const status = /^HTTP\/1\.1 (\d+)/.exec(answer.toString('latin1', 0, 20))?.[1];
    if (status !== undefined) answers[status] = (answers[status] ?? 0) + 1;
  });
  socket.on('close', onEnd);
  return socket;
};

let guesses = 0;
const guess = (): string => `/api/v1/${chain}/guessed-${(guesses += 1)}`;
const head = (path: string, length: number, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`;

const sendOnce = (path: string, body: string): void => {
  start(() => undefined).write(head(path, body.length, 'Connection: close\r\n') + body);
};

/** Holds so many connections open, each with what is written on it at first. */
const holding = (most: number, first: () => string): ((atOnce: number) => void) => {
  let held = 0;
  return (atOnce) => {
    for (let opened = 0; held < most && opened < atOnce; opened += 1) {
      held += 1;
      start(() => (held -= 1)).write(first());
    }
  };
};

const unread = 'x'.repeat(MIB - 1);
const kept = 'x'.repeat(MIB / 8 - 1);
const holds = [
  holding(IDLE, () => ''),
  holding(UNFINISHED / 2, () => head(guess(), MIB) + unread),
  holding(UNFINISHED / 2, () => head(`/api/v1/${chain}/${publicKey}`, MIB / 8) + kept),
  holding(SLOW_HEADS, () => `POST ${guess()} HTTP/1.1\r\nHost: localhost\r\nX-Slow: `),
];

const round = (number: number): void => {
  for (const hold of holds) hold(number === 0 ? Infinity : OPENED_PER_ROUND);
  for (let sent = 0; sent < BODIES_PER_ROUND; sent += 1) sendOnce(guess(), NUMBERS);
  for (let sent = 0; sent < GUESSES_PER_ROUND; sent += 1) sendOnce(guess(), '{}');
  if (number === 1) console.log(JSON.stringify({ event: 'flooding' }));
  if (number < ROUNDS) setTimeout(() => round(number + 1), ROUND_MS).unref();
};

round(0);
process.stdin.once('data', () => {
  console.log(JSON.stringify(answers));
  process.exit();
});
process.stdin.once('end', () => process.exit());
