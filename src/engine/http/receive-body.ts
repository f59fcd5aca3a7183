import type { IncomingMessage } from 'node:http';
import { EngineError } from '../../shared/errors.ts';
import { createOrderedList } from '../base/ordered-list.ts';

/** Receives request bodies, and limits the memory of all unfinished bodies together. */
export interface BodyReceiver {
  /**
   * Receives the body of a request.
   *
   * @param limitBytes maximum size of the body
   * @throws EngineError `BODY_TOO_LARGE`; `REQUEST_TIMEOUT` if it does not arrive, or is dropped in favour of others
   */
  receive(request: IncomingMessage, limitBytes: number): Promise<Buffer>;
}

/** More bytes than honest clients send at the same time: their bodies arrive within milliseconds. */
const MAX_UNFINISHED_BYTES = 32 * 1024 * 1024;

/** Memory overhead of each chunk of a body. A body may arrive byte by byte. */
const PIECE_BYTES = 512;

const KIB = 1024;

/** A size for display, such as `1 MiB`. */
const sizeText = (bytes: number): string => {
  if (bytes % (KIB * KIB) === 0) return `${bytes / (KIB * KIB)} MiB`;
  return bytes % KIB === 0 ? `${bytes / KIB} KiB` : `${bytes} bytes`;
};

const tooLarge = (limitBytes: number): EngineError =>
  new EngineError('BODY_TOO_LARGE', `The request body is larger than ${sizeText(limitBytes)}`);

/**
 * Creates a receiver. If unfinished bodies together take more than `mostBytes`, the oldest one is dropped, because an
 * honest body is complete long before that.
 */
export const createBodyReceiver = (mostBytes = MAX_UNFINISHED_BYTES): BodyReceiver => {
  /** What drops each unfinished body, the oldest first. */
  const unfinished = createOrderedList<() => void>();
  let held = 0;

  const collect = (request: IncomingMessage, limitBytes: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      let pieces: Buffer[] = [];
      let length = 0;
      let isUnfinished = true;
      const size = (): number => length + pieces.length * PIECE_BYTES;
      const end = (): void => {
        isUnfinished = false;
        unfinished.remove(entry);
        request.off('data', take);
        held -= size();
        pieces = [];
        length = 0;
      };
      const fail = (error: EngineError): void => {
        end();
        reject(error);
      };
      // This runs whenever a request closes. Creating an error for a completed request would cost more than receiving
      // it.
      const giveUp = (): void => {
        if (isUnfinished) fail(new EngineError('REQUEST_TIMEOUT'));
      };
      const take = (piece: Buffer): void => {
        if (length + piece.length > limitBytes) {
          fail(tooLarge(limitBytes));
          return;
        }
        pieces.push(piece);
        length += piece.length;
        held += piece.length + PIECE_BYTES;
        for (let oldest = unfinished.first; oldest !== undefined && held > mostBytes; oldest = unfinished.first)
          oldest();
      };
      const entry = unfinished.add(giveUp);
      request.on('data', take);
      request.once('end', () => {
        const body = Buffer.concat(pieces);
        end();
        resolve(body);
      });
      // The client disconnected, or took longer than the server waits.
      request.once('error', giveUp);
      request.once('close', giveUp);
    });

  return {
    receive(request, limitBytes) {
      if (Number(request.headers['content-length']) > limitBytes) return Promise.reject(tooLarge(limitBytes));
      return collect(request, limitBytes);
    },
  };
};

/**
 * Number of bytes of an unwanted body that are read, so that its sender can read the answer. This is the largest body
 * size that can be configured.
 */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/**
 * Reads and discards the rest of a request that was answered early. Disconnects a client that keeps sending. The
 * request timeout ends a slow client.
 */
export const discardRest = (request: IncomingMessage): void => {
  if (request.complete) return;
  let left = MAX_DISCARDED_BYTES;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.socket.destroy();
  });
};
