import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';

/** A client of `/events` that ends with the test. */
export interface EventClient {
  readonly response: IncomingMessage;
  /** What came so far. */
  readonly seqs: number[];
  readonly decisions: DecisionRecord[];
  comments(): number;
  /** Waits until that many decisions came, or the stream ended. */
  received(count: number): Promise<void>;
  /** Waits for the end of the stream, however it comes. */
  ended(): Promise<void>;
  close(): void;
}

const fieldOf = (event: string, name: string): string | undefined =>
  event
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);

/** Connects; `headers` carry the authToken, and `Last-Event-ID` when it reconnects. */
export const followEvents = async (
  url: string,
  headers: Record<string, string>,
  path = '/events',
): Promise<EventClient> => {
  const sent = request(url + path, { headers, agent: false }).end();
  onTestFinished(() => void sent.destroy());
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const decisions: DecisionRecord[] = [];
  const seqs: number[] = [];
  let comments = 0;
  let text = '';
  let over = false;
  let check = (): void => undefined;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const events = (text + chunk).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      if (event.startsWith(':')) comments += 1;
      const data = fieldOf(event, 'data');
      if (data === undefined) continue;
      if (fieldOf(event, 'event') !== 'decision') throw new Error(`Not a decision: ${event.slice(0, 100)}`);
      decisions.push(JSON.parse(data) as DecisionRecord);
      seqs.push(Number(fieldOf(event, 'id')));
    }
    check();
  });
  response.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    response.once('close', () => {
      over = true;
      check();
      resolve();
    });
  });
  return {
    response,
    decisions,
    seqs,
    comments: () => comments,
    received: (count) =>
      new Promise((resolve) => {
        check = () => {
          if (seqs.length >= count || over) resolve();
        };
        check();
      }),
    ended: () => closed,
    close: () => void sent.destroy(),
  };
};
