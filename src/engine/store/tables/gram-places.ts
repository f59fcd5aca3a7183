import type { Needle } from './grams.ts';

/** All places are below this number. */
export const MOST_PLACES = 16_384;

/** A bit for each place. Nothing longer is kept, so that decisions with long texts do not fill the memory. */
const BITMAP_BYTES = MOST_PLACES / 8;

/**
 * A list of ascending places, each as its distance to the one before, in groups of seven bits. What would be as long as
 * a bitmap is a bitmap, whose length no list has.
 */
interface Places {
  bytes: Uint8Array;
  length: number;
  last: number;
}

const MORE = 0x80;

/** The most bytes of a distance. */
const LONGEST = 3;

const setBit = (bitmap: Uint8Array, place: number): void => {
  bitmap[place >>> 3] = (bitmap[place >>> 3] ?? 0) | (1 << (place & 7));
};

const toBitmap = (places: Places): void => {
  const bitmap = new Uint8Array(BITMAP_BYTES);
  eachPlace(places.bytes.subarray(0, places.length), (place) => setBit(bitmap, place));
  places.bytes = bitmap;
  places.length = BITMAP_BYTES;
};

const append = (places: Places, place: number): void => {
  const longest = places.length + LONGEST;
  if (longest >= BITMAP_BYTES && places.length < BITMAP_BYTES) toBitmap(places);
  if (places.length === BITMAP_BYTES) setBit(places.bytes, place);
  else {
    if (longest > places.bytes.length) {
      const bytes = new Uint8Array(places.bytes.length * 2);
      bytes.set(places.bytes);
      places.bytes = bytes;
    }
    let distance = place - places.last;
    for (; distance >= MORE; distance >>>= 7) places.bytes[places.length++] = (distance % MORE) | MORE;
    places.bytes[places.length++] = distance;
  }
  places.last = place;
};

/** Calls `add` with each of the places, in ascending order. */
export const eachPlace = (bytes: Uint8Array, add: (place: number) => void): void => {
  if (bytes.length === BITMAP_BYTES) {
    for (let place = 0; place < MOST_PLACES; place += 1) {
      if (((bytes[place >>> 3] ?? 0) >>> (place & 7)) & 1) add(place);
    }
    return;
  }
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

/** The places where each gram occurs, in memory. */
export const createGramPlaces = () => {
  const byGram = new Map<number, Places>();
  return {
    /** Adds a place where a gram occurs. It must not be before the gram's last place. The same place may be added again. */
    enter(gram: number, place: number): void {
      const places = byGram.get(gram) ?? { bytes: new Uint8Array(4), length: 0, last: -1 };
      if (places.length === 0) byGram.set(gram, places);
      if (places.last !== place) append(places, place);
    },
    /** For each gram of the needle that occurs, its places in the format that {@link eachPlace} reads. */
    of(needle: Needle): Uint8Array[] {
      const found =
        'every' in needle
          ? needle.every.flatMap((gram) => byGram.get(gram) ?? [])
          : [...byGram].flatMap(([gram, places]) => (gram >= needle.first && gram <= needle.last ? [places] : []));
      return found.map(({ bytes, length }) => bytes.subarray(0, length));
    },
    /** All grams, in ascending order, with their places. */
    all: (): [gram: number, places: Uint8Array][] =>
      [...byGram]
        .sort(([one], [other]) => one - other)
        .map(([gram, { bytes, length }]) => [gram, bytes.slice(0, length)]),
  };
};

export type GramPlaces = ReturnType<typeof createGramPlaces>;
