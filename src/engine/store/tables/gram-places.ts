import type { Needle } from './grams.ts';

/** Ascending whole numbers, each as its distance to the one before, in groups of seven bits. */
interface Places {
  bytes: Uint8Array;
  length: number;
  last: number;
}

const MORE = 0x80;

const append = (places: Places, place: number): void => {
  if (places.length + 3 > places.bytes.length) {
    const bytes = new Uint8Array(places.bytes.length * 2);
    bytes.set(places.bytes);
    places.bytes = bytes;
  }
  let distance = place - places.last;
  for (; distance >= MORE; distance >>>= 7) places.bytes[places.length++] = (distance % MORE) | MORE;
  places.bytes[places.length++] = distance;
  places.last = place;
};

/** Calls `add` with each of the places. */
export const eachPlace = (bytes: Uint8Array, add: (place: number) => void): void => {
  let place = -1;
  let [distance, shift] = [0, 0];
  for (const byte of bytes) {
    distance += (byte % MORE) << shift;
    shift += 7;
    if (byte >= MORE) continue;
    place += distance;
    add(place);
    [distance, shift] = [0, 0];
  }
};

/** Where each gram occurs, in memory. */
export const createGramPlaces = () => {
  const byGram = new Map<number, Places>();
  return {
    /** Enters that a gram occurs at a place, which must not be before the last one. It may be entered repeatedly. */
    enter(gram: number, place: number): void {
      const places = byGram.get(gram) ?? { bytes: new Uint8Array(4), length: 0, last: -1 };
      if (places.length === 0) byGram.set(gram, places);
      if (places.last !== place) append(places, place);
    },
    /** The places of each gram that a needle names and that occurs, as {@link eachPlace} reads them. */
    of(needle: Needle): Uint8Array[] {
      const found =
        'every' in needle
          ? needle.every.flatMap((gram) => byGram.get(gram) ?? [])
          : [...byGram].flatMap(([gram, places]) => (gram >= needle.first && gram <= needle.last ? [places] : []));
      return found.map(({ bytes, length }) => bytes.subarray(0, length));
    },
    /** Grams, ascending, with their places. */
    all: (): [gram: number, places: Uint8Array][] =>
      [...byGram]
        .sort(([one], [other]) => one - other)
        .map(([gram, { bytes, length }]) => [gram, bytes.slice(0, length)]),
  };
};

export type GramPlaces = ReturnType<typeof createGramPlaces>;
