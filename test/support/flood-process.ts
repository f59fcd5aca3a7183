import { type Socket, connect } from 'node:net';
import type { FloodKind, FloodTarget } from './start-flood.ts';

/**
 * Floods a desk as an attacker without credentials, in a process of its own: `node flood-process.ts KIND TARGET`, the
 * target as JSON. Prints one line when every connection is open, acts every half second, and ends by itself. It never
 * leaves this machine.
 */

const kind = process.argv[2] as FloodKind;
const { url, chainId, apiKey, tokens } = JSON.parse(process.argv[3] ?? '') as FloodTarget;
const { hostname, port } = new URL(url);
if (hostname !== '127.0.0.1') throw new Error('Only this machine is flooded');

const KIB = 1024;
const MIB = 1024 * KIB;
const ROUND_MS = 500;
/** Two minutes: longer than any test needs. */
const ROUNDS = 240;
/** Reopens at most this many connections a round that the desk ended. */
const OPENED_PER_ROUND = 200;

const answers: Record<string, number> = {};

const start = (onEnd = (): void => undefined, localAddress = '127.0.0.1'): Socket => {
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  // The close event shows the result.
  socket.on('error', () => undefined);
  socket.on('close', onEnd);
  return socket;
};

const counting = (socket: Socket): Socket =>
  socket.on('data', (answer: Buffer) => {
    const status = /^HTTP\/1\.1 (\d+)/.exec(answer.toString('latin1', 0, 20))?.[1];
    if (status !== undefined) answers[status] = (answers[status] ?? 0) + 1;
  });

let guesses = 0;
const guess = (): string => `/api/v1/${chainId}/guessed-${(guesses += 1)}`;
const known = `/api/v1/${chainId}/${apiKey}`;
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
const head = (path: string, length: number, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`;
const post = (path: string, body: string, more = ''): string => head(path, body.length, more) + body;

const sendOnce = (text: string): void => {
  counting(start()).write(text);
};

/** Opens connections up to `most`, at most `atOnce` a round after the first. */
const holding = (most: number, open: (onEnd: () => void, number: number) => void, atOnce = OPENED_PER_ROUND) => {
  let held = 0;
  let number = 0;
  return (round: number): void => {
    for (let opened = 0; held < most && (round === 0 || opened < atOnce); opened += 1) {
      held += 1;
      open(() => (held -= 1), (number += 1));
    }
  };
};
/** Likewise; writes the result of `first` on each new connection. */
const writing = (most: number, first: () => string): ((round: number) => void) =>
  holding(most, (onEnd) => void counting(start(onEnd)).write(first()));
/** Likewise; reads no answer. */
const notReading = (most: number, text: string): ((round: number) => void) =>
  holding(most, (onEnd) => void start(onEnd).pause().write(text));

const LONG_NUMBERS = `[${'1e9,'.repeat(MIB / 4 - 1)}1]`;
const IDLE = 1_100;
const UNFINISHED = 600;
const SLOW_HEADS = 100;

/** Connections that send nothing, or less than they announced. */
const silence = (): ((round: number) => void)[] => {
  const unread = 'x'.repeat(MIB - 1);
  const kept = 'x'.repeat(MIB / 8 - 1);
  const CLOSE = 'Connection: close\r\n';
  return [
    writing(IDLE, () => ''),
    writing(UNFINISHED / 2, () => head(guess(), MIB) + unread),
    writing(UNFINISHED / 2, () => head(known, MIB / 8) + kept),
    writing(SLOW_HEADS, () => `POST ${guess()} HTTP/1.1\r\nHost: localhost\r\nX-Slow: `),
    () => {
      for (let sent = 0; sent < 30; sent += 1) sendOnce(post(guess(), LONG_NUMBERS, CLOSE));
      for (let sent = 0; sent < 100; sent += 1) sendOnce(post(guess(), '{}', CLOSE));
    },
  ];
};

/** Connections that only request `/healthz`, stay open, and request again before their timeout. */
const lodgers = (addresses: number): ((round: number) => void)[] => {
  const sockets = new Set<Socket>();
  const open = (onEnd: () => void, number: number): void => {
    const place = number % addresses;
    const socket = counting(start(onEnd, `127.0.${Math.floor(place / 250)}.${(place % 250) + 1}`));
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.write(get('/healthz'));
  };
  return [
    // The polite one takes connections that become free.
    holding(IDLE, open, 5),
    (round) => {
      if (round % 10 === 9) for (const socket of sockets) socket.write(get('/healthz'));
    },
  ];
};

const fatRequest = (webhookData: unknown): string => {
  const sender = `0x${'22'.repeat(20)}`;
  const gas = { callGasLimit: '1', verificationGasLimit: '1', preVerificationGas: '1', maxFeePerGas: '1' };
  const op = { sender, nonce: '0', callData: '0x', ...gas, maxPriorityFeePerGas: '1' };
  const params = [op, { mode: 'SPONSORED', sponsorshipInfo: { webhookData } }];
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation', params });
  return post(known, text.replaceAll('1000000000', '1e9'));
};

/** Sends `perRound` requests a round over connections that each wait for their answer. */
const asking = (connections: number, perRound: number, text: string): ((round: number) => void) => {
  const free: Socket[] = [];
  const open = holding(connections, (onEnd) => {
    const socket = counting(start(onEnd)).on('data', () => free.push(socket));
    free.push(socket);
  });
  return (round) => {
    open(round);
    for (let sent = 0; sent < perRound; sent += 1) free.shift()?.write(text);
  };
};

const kinds: Record<FloodKind, () => ((round: number) => void)[]> = {
  silence,
  'lodgers of one address': () => lodgers(1),
  'lodgers of many addresses': () => lodgers(400),
  'unread answers': () => [
    notReading(45, get('/openapi.json').repeat(1_390)),
    notReading(10, get('/console/').repeat(5_000)),
    notReading(600, get('/openapi.json').repeat(6)),
  ],
  'requests ahead': () => [
    (round) => {
      if (round % 4 === 0) sendOnce(Array.from({ length: 15_000 }, () => post(guess(), '{}')).join(''));
      if (round % 4 === 2) sendOnce(post(known, '{}').repeat(6_500));
    },
    writing(300, () => Array.from({ length: 8 }, () => post(guess(), '{}')).join('')),
  ],
  'event streams': () => tokens.map((token) => writing(16, () => get('/events', `authToken: ${token}\r\n`))),
  'fat data': () => [
    asking(8, 19, fatRequest(Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`k${n}`, n])))),
    asking(8, 68, fatRequest({ numbers: Array<number>(32_000).fill(1_000_000_000) })),
  ],
};

const parts = kinds[kind]();
const round = (number: number): void => {
  for (const part of parts) part(number);
  if (number === 1) console.log(JSON.stringify({ event: 'flooding' }));
  if (number < ROUNDS) setTimeout(() => round(number + 1), ROUND_MS).unref();
};

round(0);
process.stdin.once('data', () => {
  console.log(JSON.stringify(answers));
  process.exit();
});
process.stdin.once('end', () => process.exit());
