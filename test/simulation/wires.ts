import { writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Network, ServerPlace } from '../../src/engine/network/network.ts';

/** Called with everything that is sent. */
type Note = (sent: string) => void;

/** One end of a connection in memory. It has what Node's HTTP asks of a socket. */
class Wire extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  peer: Wire | undefined;
  #hasEnded = false;
  readonly #note: Note;

  constructor(note: Note) {
    super();
    this.#note = note;
  }

  override _read(): void {
    // The peer pushes what it writes.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.peer === undefined || this.peer.destroyed) done(connectionReset());
    else {
      this.#note(chunk.toString('latin1'));
      this.peer.push(chunk);
      done();
    }
  }

  override _final(done: () => void): void {
    this.peer?.finishReading();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.peer?.finishReading();
    done(error);
  }

  /** The peer sends nothing more. */
  finishReading(): void {
    if (this.#hasEnded || this.destroyed) return;
    this.#hasEnded = true;
    this.push(null);
  }

  /** Breaks the connection for both ends. */
  cut(): void {
    this.peer?.destroy(connectionReset());
    this.destroy();
  }

  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else {
      this.once('finish', () => this.destroy());
      this.end();
    }
  }

  readonly setTimeout = (): this => this;
  readonly setKeepAlive = (): this => this;
  readonly setNoDelay = (): this => this;
  readonly ref = (): this => this;
  readonly unref = (): this => this;
}

const connectionReset = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const connectionRefused = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

const connection = (note: Note): [Wire, Wire] => {
  const [one, other] = [new Wire(note), new Wire(note)];
  [one.peer, other.peer] = [other, one];
  return [one, other];
};

/** The servers that engines call, by host name. */
export class Internet {
  readonly #servers = new Map<string, Server>();
  readonly note: Note;

  constructor(note: Note = () => undefined) {
    this.note = note;
  }

  /** Puts a server at a host, which is an IP address. */
  serve(host: string, answer: RequestListener): void {
    this.#servers.set(host, createServer({ keepAlive: false }, answer));
  }

  connect(host: string): Wire {
    const [near, far] = connection(this.note);
    const server = this.#servers.get(host);
    if (server === undefined) process.nextTick(() => near.destroy(connectionRefused()));
    else server.emit('connection', far as unknown as Socket);
    return near;
  }
}

/** The network of one process: it reaches the internet, and has one HTTP server at most. */
export class ProcessNetwork implements Network {
  readonly #internet: Internet;
  readonly #servers: Server[] = [];
  readonly #open = new Set<Wire>();
  #isCut = false;

  readonly timers: Network['timers'];

  constructor(internet: Internet, timers: Network['timers']) {
    this.#internet = internet;
    this.timers = timers;
  }

  agents(): ReturnType<Network['agents']> {
    const agent = new Agent({ keepAlive: false });
    agent.createConnection = ({ host }) => {
      const wire = this.#isCut ? connection(this.#internet.note)[0] : this.#internet.connect(String(host));
      this.#keep(wire);
      return wire as unknown as Socket;
    };
    return { of: () => agent, destroy: () => agent.destroy() };
  }

  listen(server: Server, place: ServerPlace): void {
    // An engine protects the file of its socket.
    if ('path' in place) writeFileSync(place.path, '');
    this.#servers.push(server);
    process.nextTick(() => server.emit('listening'));
  }

  #keep(wire: Wire): void {
    this.#open.add(wire);
    wire.once('close', () => this.#open.delete(wire));
  }

  /** Sends a request to the process's HTTP server. Undefined if no complete answer came. */
  request(
    method: 'GET' | 'POST',
    path: string,
    body: string,
  ): Promise<{ readonly status: number; readonly body: string } | undefined> {
    const server = this.#servers.at(-1);
    if (server === undefined || this.#isCut) return Promise.resolve(undefined);
    const [near, far] = connection(this.#internet.note);
    this.#keep(far);
    const chunks: Buffer[] = [];
    const answered = new Promise<ReturnType<typeof readAnswer>>((resolve) => {
      near.on('data', (chunk: Buffer) => chunks.push(chunk));
      near.on('error', () => resolve(undefined));
      near.on('close', () => resolve(readAnswer(Buffer.concat(chunks).toString())));
      near.on('end', () => near.destroy());
    });
    server.emit('connection', far as unknown as Socket);
    const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n`;
    near.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return answered;
  }

  /** The process is gone: nothing that it still does reaches anyone. */
  cut(): void {
    this.#isCut = true;
    for (const wire of this.#open) wire.cut();
  }
}

const readAnswer = (text: string): { readonly status: number; readonly body: string } | undefined => {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined || Buffer.byteLength(body) < Number(length)) return undefined;
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1]), body };
};

export const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
