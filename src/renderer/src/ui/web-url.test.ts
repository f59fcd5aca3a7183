import { expect, test } from 'vitest';
import { isWebUrl, webUrlError } from './web-url.ts';

test.each(['ftp://x.example', 'localhost:3000', 'your-service.example/verify', 'http:/x'])(
  'the field of a URL says what is missing: %s',
  (typed) => {
    expect([isWebUrl(typed), webUrlError(typed)]).toEqual([false, 'A URL begins with https:// or http://.']);
  },
);

test.each(['', ' ', 'ht', 'https:', 'http://', 'https://x', ' http://127.0.0.1:3000/verify '])(
  'nothing is said while it may become one: %j',
  (typed) => {
    expect(webUrlError(typed)).toBe('');
  },
);
