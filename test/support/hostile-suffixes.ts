import type { Hex } from '../../src/shared/schema/hex.ts';

const MAGIC = '22e325a297439656';
const FRAME = `004d${MAGIC}`;

/**
 * What is not the data of a parallel-0.9 contract although it ends, or nearly ends, as such data does.
 *
 * @param proper its own, finished data
 */
export const hostileSuffixes = (proper: Hex): [what: string, paymasterAndData: Hex][] => {
  const body = proper.slice(0, -FRAME.length);
  const head = proper.slice(0, 2 + 2 * 52);
  const signature = body.slice(head.length);
  const ending = (text: string): Hex => `${body}${text}` as Hex;
  return [
    ['a length of 0, with which it is no suffix', ending(`0000${MAGIC}`)],
    ['a length that leaves a byte of the signature to the hash', ending(`004c${MAGIC}`)],
    ['a length that reaches into the gas limits', ending(`004e${MAGIC}`)],
    ['the longest length', ending(`ffff${MAGIC}`)],
    ['another magic', ending(`004d${MAGIC.replace('22', '23')}`)],
    ['the magic without a length', ending(MAGIC)],
    ['a byte after it', ending(`${FRAME}00`)],
    ['its last byte cut', ending(FRAME.slice(0, -2))],
    ['a byte before the signature, which the hash covers', `${head}00${signature}${FRAME}` as Hex],
    ['a second suffix after it', ending(`${FRAME}${signature}${FRAME}`)],
    ['another signature before its own', `${head}${signature}${signature}${FRAME}` as Hex],
    ['nothing but the magic', `${head}${MAGIC}` as Hex],
    ['a suffix of an empty signature', `${head}0000${MAGIC}` as Hex],
    ['only a signature', body as Hex],
    ['no data', head as Hex],
  ];
};
