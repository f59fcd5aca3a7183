import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOST_PLACES, createGramPlaces, eachPlace } from './gram-places.ts';
import { TEXT_END, eachGram, needleOf } from './grams.ts';

const text = fc.string({
  unit: fc.oneof(fc.constantFrom('a', 'b', '0', '"', '\n', '日'), fc.string({ maxLength: 2 })),
});

test('the grams of any part of a text name the place of the text, whatever is entered around it', () => {
  const parts = text.chain((whole) =>
    fc.tuple(fc.constant(whole), fc.nat(), fc.nat()).map(([, start, length]) => {
      const from = whole.length === 0 ? 0 : start % whole.length;
      return { whole, part: whole.slice(from, from + 1 + (length % 20)) };
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(MOST_PLACES - 1), parts), { minLength: 1, maxLength: 20 }), (entered) => {
      const ascending = entered.toSorted(([one], [other]) => one - other);
      const grams = createGramPlaces();
      for (const [place, { whole }] of ascending) eachGram(whole + TEXT_END, (gram) => grams.enter(gram, place));
      for (const [place, { part }] of ascending.filter(([, one]) => one.part !== '')) {
        const needle = needleOf([part])!;
        const lists = grams.of(needle);
        const found = lists.map((list) => {
          const places = new Set<number>();
          eachPlace(list, (one) => places.add(one));
          return places.has(place);
        });
        if ('every' in needle) expect(found).toEqual(needle.every.map(() => true));
        else expect(found).toContain(true);
      }
    }),
  );
});

test('a gram that is in many decisions names exactly these, and takes a bit for each decision at most', () => {
  // Every place in turn, with gaps of all sizes, until some grams are in most places.
  const steps = [1, 2, 7, 127, 128, 129, 1_000, 5_000];
  for (const step of steps) {
    const entered = Array.from({ length: MOST_PLACES }, (_, place) => place).filter(
      (place) => place % step === 0 || place < 3_000,
    );
    const grams = createGramPlaces();
    for (const place of entered) {
      grams.enter(5, place);
      grams.enter(5, place);
    }
    const [[gram, list] = []] = grams.all();
    const found: number[] = [];
    eachPlace(list!, (place) => found.push(place));
    expect({ gram, found }).toEqual({ gram: 5, found: entered });
    expect(list!.length).toBeLessThanOrEqual(MOST_PLACES / 8);
  }
});
