import { connect } from 'node:net';

/** What a load looked like from outside. */
export interface Load {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds from the first byte sent to the last one received, of each request. */
  readonly latencies: readonly number[];
}

/** A new request each time, as bytes of HTTP, and what must stand in its answer. */
export interface Traffic {
  next(): string;
  /** Distinguishes an answer that did the work from one that did not. */
  accepts(answer: string): boolean;
}

const HEAD_END = '\r\n\r\n';

/** Where an answer ends; undefined until its head is there. */
const answerLength = (received: string): number | undefined => {
  const head = received.indexOf(HEAD_END);
  if (head < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, head))?.[1];
  if (length === undefined) throw new Error(`The answer has no length: ${received.slice(0, head)}`);
  return head + HEAD_END.length + Number(length);
};

/** How hard a server is driven, and until when: whichever comes first. */
export interface LoadPlan {
  readonly connections: number;
  readonly seconds?: number;
  readonly requests?: number;
}

/**
 * One keep-alive connection that sends the next request as soon as the last one is answered. Bare sockets, so that the
 * load costs the machine little compared with what is measured. Answers are ASCII.
 */
const keepAsking = (url: URL, traffic: Traffic, isOver: () => boolean, latencies: number[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    let received = '';
    let start = 0;
    const ask = (): void => {
      if (isOver()) {
        socket.end();
        resolve();
        return;
      }
      received = '';
      start = performance.now();
      socket.write(traffic.next());
    };
    socket.setEncoding('latin1');
    socket.on('connect', ask);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server ended the connection')));
    socket.on('data', (chunk: string) => {
      received += chunk;
      const length = answerLength(received);
      if (length === undefined || received.length < length) return;
      latencies.push(performance.now() - start);
      if (traffic.accepts(received)) ask();
      else socket.destroy(new Error(`Not what was asked for: ${received.slice(0, 1000)}`));
    });
  });

/** Keeps that many connections busy. Rejects when any answer is not as it must be. */
export const drive = async (
  url: string,
  traffic: Traffic,
  { connections, seconds = Infinity, requests = Infinity }: LoadPlan,
): Promise<Load> => {
  const latencies: number[] = [];
  const start = performance.now();
  const isOver = (): boolean => latencies.length >= requests || performance.now() >= start + seconds * 1000;
  await Promise.all(Array.from({ length: connections }, () => keepAsking(new URL(url), traffic, isOver, latencies)));
  return { requests: latencies.length, seconds: (performance.now() - start) / 1000, latencies };
};
