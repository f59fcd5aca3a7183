import { type Socket, connect } from 'node:net';
import { PATIENCE_MS } from '../support/patience.ts';

/** An HTTP answer as it came. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Bytes that a server sent, as answers; undefined while the last one is incomplete. @throws Error if they are no HTTP */
export const answersIn = (received: Buffer, isClosed: boolean, isHead = false): Answer[] | undefined => {
  const answers: Answer[] = [];
  for (let from = 0; from < received.length;) {
    const headEnd = received.indexOf('\r\n\r\n', from);
    if (headEnd < 0) {
      if (isClosed)
        throw new Error(`An answer without an end of its head: ${received.toString('latin1', from, from + 200)}`);
      return undefined;
    }
    const [line = '', ...fields] = received.toString('latin1', from, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(line)?.[1]);
    if (Number.isNaN(status)) throw new Error(`Not an HTTP answer: ${line.slice(0, 200)}`);
    const headers = new Map(
      fields.map((field): [string, string] => {
        const colon = field.indexOf(':');
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    );
    const bodyStart = headEnd + 4;
    const body = bodyOf(received.subarray(bodyStart), headers, { status, isClosed, isHead });
    if (body === undefined) return undefined;
    answers.push({ status, headers, body: body.text });
    from = bodyStart + body.length;
  }
  return answers;
};

const isStream = (headers: Answer['headers']): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

interface Framing {
  readonly status: number;
  readonly isClosed: boolean;
  readonly isHead: boolean;
}

const bodyOf = (
  rest: Buffer,
  headers: ReadonlyMap<string, string>,
  { status, isClosed, isHead }: Framing,
): { text: string; length: number } | undefined => {
  const declared = headers.get('content-length');
  if (isHead || status === 204 || status === 304 || status < 200) return { text: '', length: 0 };
  if (declared !== undefined) {
    const length = Number(declared);
    if (rest.length < length && !isClosed) return undefined;
    return { text: rest.toString('utf8', 0, length), length };
  }
  // A stream of events has no end: its head is enough.
  if (isStream(headers)) return { text: '', length: rest.length };
  if (headers.get('transfer-encoding') === 'chunked') {
    const end = rest.indexOf('\r\n0\r\n\r\n');
    if (end >= 0) return { text: rest.toString('utf8', 0, end), length: end + 7 };
  }
  return isClosed ? { text: rest.toString('utf8'), length: rest.length } : undefined;
};

/** How bytes are sent. */
export interface Delivery {
  readonly pieces: readonly Buffer[];
  /** After the last piece: closes its half of the connection, or drops all of it. */
  readonly end: 'half' | 'drop';
}

const PIECE_MS = 1;

/** Sends bytes on a connection of their own, and reads until the server closes it. */
export const deliver = ({ hostname, port }: URL, { pieces, end }: Delivery): Promise<Buffer> =>
  new Promise((resolve) => {
    const received: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true });
    const send = (index: number): void => {
      const piece = pieces[index];
      if (socket.destroyed) return;
      if (piece === undefined) {
        if (end === 'half') socket.end();
        else socket.destroy();
      } else if (socket.write(piece) || index > 0) {
        setTimeout(() => send(index + 1), pieces.length > 1 ? PIECE_MS : 0);
      } else {
        socket.once('drain', () => send(index + 1));
      }
    };
    socket.on('connect', () => send(0));
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('end', () => socket.end());
    // A server may refuse what is still being sent.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(received)));
  });

/** Connections that are kept open, each with one request at a time. */
export class Connections {
  readonly #idle: Socket[] = [];
  readonly #url: URL;

  constructor(url: URL) {
    this.#url = url;
  }

  /** Sends a whole request; undefined if the server closed the connection without an answer. */
  async ask(request: Buffer, isHead: boolean): Promise<Answer | undefined> {
    const kept = this.#idle.pop();
    const answer = await this.#askOn(kept ?? this.#open(), request, isHead);
    // The server may have closed a connection before it read the request.
    return answer === undefined && kept !== undefined ? this.#askOn(this.#open(), request, isHead) : answer;
  }

  close(): void {
    for (const socket of this.#idle.splice(0)) socket.destroy();
  }

  #open(): Socket {
    const { hostname, port } = this.#url;
    return connect({ host: hostname, port: Number(port), noDelay: true }).on('error', () => undefined);
  }

  #askOn(socket: Socket, request: Buffer, isHead: boolean): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      let received = Buffer.alloc(0);
      const read = (isClosed: boolean): void => {
        try {
          const answers = answersIn(received, isClosed, isHead)?.filter(({ status }) => status >= 200);
          const [answer] = answers ?? [];
          if (answer === undefined && !isClosed) return;
          for (const event of ['data', 'close', 'timeout']) socket.removeAllListeners(event);
          socket.setTimeout(0);
          const isKept = !isClosed && answers?.length === 1 && answer?.headers.get('connection') === 'keep-alive';
          if (isKept && !isStream(answer.headers)) this.#idle.push(socket);
          else socket.destroy();
          resolve(answer);
        } catch (error) {
          socket.destroy();
          reject(error as Error);
        }
      };
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        read(false);
      });
      socket.on('close', () => read(true));
      socket.setTimeout(PATIENCE_MS, () => {
        socket.destroy();
        reject(new Error(`No answer within ${PATIENCE_MS} ms, but: ${received.toString('latin1').slice(0, 500)}`));
      });
      socket.write(request);
    });
  }
}
