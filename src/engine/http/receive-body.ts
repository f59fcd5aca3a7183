import type { IncomingMessage } from 'node:http';
import { EngineError } from '../../shared/errors.ts';

/** Receives bodies, and bounds what all those that are not there in full hold together. */
export interface BodyReceiver {
  /**
   * Receives the body of a request.
   *
   * @param limitBytes largest body
   * @throws EngineError `BODY_TOO_LARGE`; `REQUEST_TIMEOUT` if it does not arrive, or is given up for the others
   */
  receive(request: IncomingMessage, limitBytes: number): Promise<Buffer>;
}

/** More than honest clients send at once: their bodies are there within milliseconds. */
const MOST_UNFINISHED_BYTES = 32 * 1024 * 1024;

/** What a piece of a body takes besides its bytes: a body may come byte by byte. */
const PIECE_BYTES = 512;

const KIB = 1024;

/** A size as people say it: `1 MiB`. */
const sizeText = (bytes: number): string => {
  if (bytes % (KIB * KIB) === 0) return `${bytes / (KIB * KIB)} MiB`;
  return bytes % KIB === 0 ? `${bytes / KIB} KiB` : `${bytes} bytes`;
};

const tooLarge = (limitBytes: number): EngineError =>
  new EngineError('BODY_TOO_LARGE', `The request body is larger than ${sizeText(limitBytes)}`);

/**
 * A receiver of bodies. Where those that are still arriving hold more than `mostBytes` together, the one that has been
 * arriving for longest is given up: an honest body is there long before its turn.
 */
export const createBodyReceiver = (mostBytes = MOST_UNFINISHED_BYTES): BodyReceiver => {
  /** How each unfinished body is given up, in the order in which they began. */
  const unfinished = new Set<() => void>();
  let held = 0;

  const collect = (request: IncomingMessage, limitBytes: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      let pieces: Buffer[] = [];
      let length = 0;
      const size = (): number => length + pieces.length * PIECE_BYTES;
      /** Lets go of the body, which may go on arriving: it is not kept any more. */
      const end = (): void => {
        unfinished.delete(giveUp);
        request.off('data', take);
        held -= size();
        pieces = [];
        length = 0;
      };
      const fail = (error: EngineError): void => {
        end();
        reject(error);
      };
      const giveUp = (): void => {
        // Each request is closed in the end: an error for one that ended well would cost more than to receive it.
        if (unfinished.has(giveUp)) fail(new EngineError('REQUEST_TIMEOUT'));
      };
      const take = (piece: Buffer): void => {
        if (length + piece.length > limitBytes) {
          fail(tooLarge(limitBytes));
          return;
        }
        pieces.push(piece);
        length += piece.length;
        held += piece.length + PIECE_BYTES;
        for (const giveUpOldest of unfinished) {
          if (held <= mostBytes) return;
          giveUpOldest();
        }
      };
      unfinished.add(giveUp);
      request.on('data', take);
      request.once('end', () => {
        const body = Buffer.concat(pieces);
        end();
        resolve(body);
      });
      // The client went away, or took longer than the server waits.
      request.once('error', giveUp);
      request.once('close', giveUp);
    });

  return {
    async receive(request, limitBytes) {
      if (Number(request.headers['content-length']) > limitBytes) throw tooLarge(limitBytes);
      return collect(request, limitBytes);
    },
  };
};

/** What is read of a body that nobody wants, so that its sender comes to read the answer: as much as a body may be set to. */
const MOST_DISCARDED_BYTES = 16 * 1024 * 1024;

/**
 * Takes what still arrives of a request that was answered early, and keeps nothing of it. A client that goes on sending
 * is disconnected; one that sends slowly is by the time-out of requests.
 */
export const discardRest = (request: IncomingMessage): void => {
  if (request.complete) return;
  let left = MOST_DISCARDED_BYTES;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.socket.destroy();
  });
};
