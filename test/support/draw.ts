/** Numbers that follow from a seed: whatever a simulation decides, it draws here. */
export interface Draw {
  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number;
  /** An integer from `least` to `most`. */
  between(least: number, most: number): number;
  /** True in `percent` of a hundred cases. */
  chance(percent: number): boolean;
  pick<T>(from: readonly T[]): T;
  bytes(count: number): Uint8Array;
  /** Draws of its own for a part, so that what another part draws does not change them. */
  part(name: string): Draw;
}

/** FNV-1a, 32 bits. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
};

/** Draws by the generator sfc32 (Chris Doty-Humphrey's PractRand). */
export const drawOf = (seed: string): Draw => {
  let [a, b, c, counter] = [hashOf(seed), hashOf(`${seed} b`), hashOf(`${seed} c`), 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round += 1) next();
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (percent) => below(100) < percent,
    pick: (from) => from[below(from.length)] as (typeof from)[number],
    bytes: (count) => Uint8Array.from({ length: count }, () => below(256)),
    part: (name) => drawOf(`${seed}/${name}`),
  };
};
