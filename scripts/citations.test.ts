import { expect, test } from 'vitest';
import { wrongCitations } from './citations.ts';

const document = '# Behaviour\n\n## 5. Deciding\n\n### 5.1 Order\n\n### 5.10 Webhooks\n';

test.each([
  ['a comment', '/** The order (behaviour 5.1). */'],
  ['several numbers', '// behaviour 5.1, behaviour 5.10'],
  ['a number at the end of a sentence', 'as in behaviour 5.10.'],
  ['a citation that is broken over two lines of a comment', ' * the order (behaviour\n * 5.1) of'],
  ['another use of the word', 'The behaviour of 5 accounts'],
])('%s', (_what, text) => {
  expect(wrongCitations(text, document)).toEqual([]);
});

test.each([
  ['a number that is no heading', '/** The order (behaviour 5.2). */', ['5.2']],
  ['a number that only begins like one', 'behaviour 5.100', ['5.100']],
  ['a part without a subject', 'behaviour 5', ['5']],
  ['one that is broken over two lines', ' * the order (behaviour\n * 5.7) of', ['5.7']],
])('%s is wrong', (_what, text, wrong) => {
  expect(wrongCitations(text, document)).toEqual(wrong);
});
