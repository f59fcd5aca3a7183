import type { Draw } from '../support/draw.ts';
import { checkStatus } from './answers.ts';
import { mutateFraming } from './framing.ts';
import { severalTimes } from './mutate.ts';
import { type HttpInput, bytesOf } from './requests.ts';
import { Finding, type Way, way } from './way.ts';
import { type Delivery, answersIn, deliver } from './wire.ts';

const MAX_PIECES = 6;

const split = (bytes: Buffer, draw: Draw): Buffer[] => {
  const pieces: Buffer[] = [];
  let rest = bytes;
  for (let count = draw.below(MAX_PIECES); count > 0 && rest.length > 1; count -= 1) {
    const at = draw.between(1, rest.length - 1);
    pieces.push(rest.subarray(0, at));
    rest = rest.subarray(at);
  }
  return [...pieces, rest];
};

/** Requests whose HTTP is broken, in pieces. @param seeds requests whose answers contain no secret */
export const rawWay = (url: URL, seeds: readonly HttpInput[], secrets: readonly string[]): Way =>
  way<Delivery>({
    name: 'broken HTTP',
    atATime: 60,
    atOnce: 16,
    seeds: seeds.map((input) => ({ pieces: [bytesOf(input)], end: 'half' })),
    mutate: ({ pieces }, draw) => ({
      pieces: split(severalTimes(Buffer.concat(pieces), draw, mutateFraming), draw),
      end: draw.chance(90) ? 'half' : 'drop',
    }),
    async play(delivery) {
      const received = await deliver(url, delivery);
      for (const answer of answersIn(received, true) ?? []) checkStatus(answer);
      const sent = Buffer.concat(delivery.pieces).toString('latin1');
      const told = received.toString('latin1');
      for (const secret of secrets)
        if (told.includes(secret) && !sent.includes(secret)) throw new Finding('An answer tells a secret');
    },
    show: ({ pieces, end }) => `${end}: ${pieces.map((piece) => JSON.stringify(piece.toString('latin1'))).join(' + ')}`,
  });
