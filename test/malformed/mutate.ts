import { JsonNumber } from '../../src/shared/schema/decimal.ts';
import type { Draw } from '../support/draw.ts';

/** JSON; numbers may be {@link JsonNumber}, in a form that only the sender of JSON text can choose. */
export type Json = unknown;

const LONG = 70_000;

/** Texts that have confused programs before. */
const ODD_TEXTS: readonly string[] = [
  ...['', ' ', '0', '-1', '0x', '0x0', '0X1', '0xg', '0x00', '1e3', 'null', 'true', '[]', '{}', 'NaN', 'latest'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '../../etc/passwd', '%00', '%2e%2e%2f', '\0', 'a\0b'],
  ...['\ud800', '\udfff', '\ufeff', '\u202e', 'line\nbreak', 'a\r\nb: c', "'; DROP TABLE decision; --", '<script>'],
  ...['😀', '\u2028', '٣', 'ı', 'ﬀ', '2147483648', '9007199254740993', '340282366920938463463374607431768211456'],
  `0x${'ff'.repeat(32)}`,
  `0x${'f'.repeat(63)}`,
  `0x${'0'.repeat(40)}`,
  `0x${'ff'.repeat(20)}`,
  `0x${'ab'.repeat(400)}`,
  'x'.repeat(3_000),
  '9'.repeat(400),
];

/** Repeated, they make an expression or a parser that starts again at each of them take time by the square of the length. */
const REPEATED = [
  ...['x', '9', ' ', '\n', '(', '[', '{"a":', '"', '\\', '%25', '<', '!', '&& ', '../', 'a.', '-', '-a', '.-'],
  ...['eyJa.', '-eyJ', 'Bearer ', '-gd_', 'whsec_', 'a1b2c3d4e.00000000-', 'https://', '{{', '${', '0x', 'é'],
];

const longText = (draw: Draw): string => {
  if (draw.chance(30)) return `0x${'ab'.repeat(LONG)}`;
  const part = draw.pick(REPEATED);
  return part.repeat(LONG / part.length);
};

/** Long texts are drawn seldom, because they take most of the time. */
const oddText = (draw: Draw): string => (draw.chance(1) ? longText(draw) : draw.pick(ODD_TEXTS));

const ODD_NUMBERS: readonly string[] = [
  ...['0', '-0', '-1', '1.5', '1e3', '1e400', '-1e400', '1e-400', '1e21', '0.1', '2147483648', '4294967296'],
  ...['9007199254740991', '9007199254740993', '18446744073709551616', `1${'0'.repeat(78)}`, `0.${'0'.repeat(300)}1`],
];

const nested = (levels: number): Json => {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

const oddValue = (draw: Draw): Json => {
  switch (draw.below(8)) {
    case 0:
      return draw.pick([null, true, false]);
    case 1:
    case 2:
      return new JsonNumber(draw.pick(ODD_NUMBERS));
    case 3:
      return draw.pick<Json>([[], {}, [null], [[]], { __proto__: null, toString: 1 }, { length: 1, 0: 'a' }]);
    case 4:
      return nested(draw.pick([2, 30, 63, 64, 65, 200]));
    case 5:
      return Array.from({ length: draw.pick(draw.chance(5) ? [5_000] : [2, 21, 100]) }, () => 1);
    default:
      return oddText(draw);
  }
};

const HEX = /^0x(?:[\da-f]{2})*$/i;

/** Changes hex digits by bytes: cut, longer, other, or with a length or an offset of the ABI that is too large. */
const mutateHex = (text: string, draw: Draw): string => {
  const bytes = Buffer.from(text.slice(2), 'hex');
  const at = draw.below(bytes.length + 1);
  const word = Math.floor(at / 32) * 32;
  switch (draw.below(6)) {
    case 0:
      return text.slice(0, 2 + draw.below(text.length));
    case 1:
      return `0x${bytes.subarray(0, at).toString('hex')}`;
    case 2:
      return `0x${Buffer.concat([bytes.subarray(0, at), draw.bytes(draw.pick([1, 4, 32])), bytes.subarray(at)]).toString('hex')}`;
    case 3:
      bytes.subarray(word, word + 32).fill(draw.pick([0, 1, 0x20, 0x7f, 0x80, 0xff]));
      return `0x${bytes.toString('hex')}`;
    case 4:
      bytes.set(draw.bytes(Math.min(draw.between(1, 4), bytes.length - at)), at);
      return `0x${bytes.toString('hex')}`;
    default:
      return `0x${bytes.toString('hex')}${bytes.subarray(at).toString('hex')}`;
  }
};

export const mutateText = (text: string, draw: Draw): string => {
  if (HEX.test(text) && draw.chance(60)) return mutateHex(text, draw);
  const at = draw.below(text.length + 1);
  switch (draw.below(7)) {
    case 0:
      return oddText(draw);
    case 1:
      return text.slice(0, at);
    case 2:
      return text.slice(at);
    case 3:
      return (
        text.slice(0, at) +
        String.fromCharCode(draw.pick([0, 9, 10, 34, 39, 92, 127, 0xd800, draw.below(65_536)])) +
        text.slice(at + draw.below(2))
      );
    case 4:
      return text.slice(0, at) + oddText(draw) + text.slice(at);
    case 5:
      return draw.chance(50) ? text.toUpperCase() : text.toLowerCase();
    default:
      return text + text;
  }
};

const mutateScalar = (value: Json, draw: Draw): Json => {
  if (typeof value === 'string' && draw.chance(70)) return mutateText(value, draw);
  if (typeof value === 'number' && draw.chance(50)) return value + draw.pick([-1, 1, 0.5, 2 ** 31, 2 ** 53]);
  return oddValue(draw);
};

type Members = Record<string, Json>;

const isMembers = (value: Json): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mutateMembers = (value: Members, draw: Draw): Json => {
  const entries = Object.entries(value);
  const at = draw.below(entries.length);
  const [name = 'a', member] = entries[at] ?? [];
  const without = Object.fromEntries(entries.toSpliced(at, 1));
  switch (draw.below(5)) {
    case 0:
      return without;
    case 1:
      return { ...without, [mutateText(name, draw)]: member };
    case 2:
      return { ...value, [oddText(draw)]: oddValue(draw) };
    case 3:
      return { ...value, [name]: draw.pick(entries)?.[1] };
    default:
      return draw.chance(50) ? [value] : oddValue(draw);
  }
};

const mutateItems = (items: readonly Json[], draw: Draw): Json => {
  const at = draw.below(items.length + 1);
  switch (draw.below(5)) {
    case 0:
      return items.toSpliced(at, 1);
    case 1:
      return items.toSpliced(at, 0, oddValue(draw));
    case 2:
      return [...items, ...items];
    case 3:
      return items.toReversed();
    default:
      return draw.chance(50) ? { ...items } : oddValue(draw);
  }
};

/** Changes one place of a JSON value: a member, an item, a name, or the whole. The value itself stays as it is. */
export const mutateJson = (value: Json, draw: Draw): Json => {
  const isInside = draw.chance(80);
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    if (!isInside || items.length === 0) return mutateItems(items, draw);
    const at = draw.below(items.length);
    return items.with(at, mutateJson(items[at], draw));
  }
  if (!isMembers(value) || value instanceof JsonNumber) return mutateScalar(value, draw);
  const names = Object.keys(value);
  if (!isInside || names.length === 0) return mutateMembers(value, draw);
  const name = draw.pick(names);
  return { ...value, [name]: mutateJson(value[name], draw) };
};

/** JSON text that is cut, repeated or otherwise none, or none that every reader reads alike. */
export const mutateJsonText = (text: string, draw: Draw): string => {
  const at = draw.below(text.length + 1);
  switch (draw.below(8)) {
    case 0:
      return '['.repeat(draw.pick(draw.chance(5) ? [100_000] : [60, 70])) + text;
    case 1:
      return `${text.slice(0, at)}${draw.pick([',', ':', '{', '}', '[', ']', '"', '\\', '\\u', '//', '/*', '\ufeff'])}${text.slice(at)}`;
    case 2:
      return `${text}${draw.pick([text, ',', 'x', ' '])}`;
    case 3:
      return text.replace(/"([^"]*)":/, '"$1":1,"$1":');
    case 4:
      return text.replaceAll('"', "'");
    case 5:
      return `[${Array.from({ length: draw.pick(draw.chance(5) ? [3_000] : [1, 20, 21]) }, () => text.slice(0, 20_000)).join()}]`.slice(
        0,
        300_000,
      );
    default:
      return mutateText(text, draw);
  }
};

/** Changes bytes: other, cut, repeated, inserted or in another order. */
export const mutateBytes = (bytes: Buffer, draw: Draw): Buffer => {
  const at = draw.below(bytes.length + 1);
  const to = Math.min(bytes.length, at + draw.between(1, 64));
  switch (draw.below(6)) {
    case 0:
      return Buffer.concat([bytes.subarray(0, at), draw.bytes(draw.between(1, 8)), bytes.subarray(at)]);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
    case 2:
      return bytes.subarray(0, at);
    case 3:
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(oddText(draw)), bytes.subarray(to)]);
    default: {
      const other = Buffer.from(bytes);
      if (at < other.length) other[at] = draw.chance(50) ? (other[at] ?? 0) ^ (1 << draw.below(8)) : draw.below(256);
      return other;
    }
  }
};

/** Changes it several times. */
export const severalTimes = <T>(value: T, draw: Draw, mutate: (value: T, draw: Draw) => T): T => {
  let mutated = value;
  for (let times = draw.pick([1, 1, 1, 2, 3, 5]); times > 0; times -= 1) mutated = mutate(mutated, draw);
  return mutated;
};
