import { expect, test } from 'vitest';
import { tokenIn } from './gate.ts';

const TOKEN = 'V1F5zGZno0VlEqvtK1VPhvN56HzDu2IQSu1P0euNgzM';

test.each([
  ['the token', TOKEN],
  ['the token with blanks around it', `  ${TOKEN}\n`],
  ['the address', `http://127.0.0.1:8645/console/#token=${TOKEN}`],
  ['the line that serve prints', `{"event":"listening","console":"http://127.0.0.1:8645/console/#token=${TOKEN}"}`],
])('an operator may paste %s', (_what, text) => {
  expect(tokenIn(text)).toBe(TOKEN);
});

test.each(['', 'hello', '#/decisions', `#/decisions/${TOKEN}`, `${TOKEN}x`])('%j holds no token', (text) => {
  expect(tokenIn(text)).toBeUndefined();
});
