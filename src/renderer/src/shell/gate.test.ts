import { beforeEach, expect, test } from 'vitest';
import { signOut, startGate, tokenIn } from './gate.ts';

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

/** A browser tab, reduced to what the gate uses. */
const tab = () => {
  const kept = new Map<string, string>();
  const location = { hash: '', reload: () => undefined };
  const history = { replaceState: (_data: unknown, _title: string, url: string) => (location.hash = url) };
  const sessionStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const heard: ((event: { newURL: string }) => void)[] = [];
  const addEventListener = (_name: string, hear: (typeof heard)[number]) => void heard.push(hear);
  /** Changes the address as pasting does, with a router that leaves an address that it does not know. */
  const paste = (hash: string): void => {
    location.hash = hash.startsWith('#/') ? hash : '#/';
    for (const hear of heard) hear({ newURL: `http://127.0.0.1:8645/console/${hash}` });
  };
  return { location, history, sessionStorage, addEventListener, paste } as unknown as Window & {
    location: { hash: string };
    paste(hash: string): void;
  };
};

let page: ReturnType<typeof tab>;
/** Loads the page. @returns what it does; if it asks for the token, the operator types it */
const load = (keep = true): string => {
  let done = '';
  startGate(page, {
    enter: (token) => (done += `enters with ${token}`),
    prompt: (open) => {
      done += 'asks, ';
      open(TOKEN, keep);
    },
  });
  return done;
};
beforeEach(() => (page = tab()));

test('a reload asks for no token, and the address holds none', () => {
  page.location.hash = `#token=${TOKEN}`;
  expect(load()).toBe(`enters with ${TOKEN}`);
  expect(page.location.hash).toBe('#/');
  expect(load()).toBe(`enters with ${TOKEN}`);
});

test('an address with a token that is pasted into the same tab opens the console; any other only moves in it', () => {
  let reloads = 0;
  page.location.reload = () => (reloads += 1);
  load(false);
  page.paste('#/decisions');
  expect(reloads).toBe(0);
  page.paste(`#token=${TOKEN}`);
  expect(reloads).toBe(1);
  expect(page.location.hash).toBe('#/');
  expect(load()).toBe(`enters with ${TOKEN}`);
});

test('who does not want it kept, or signs out, is asked again', () => {
  expect(load(false)).toBe(`asks, enters with ${TOKEN}`);
  expect(load()).toBe(`asks, enters with ${TOKEN}`);
  expect(load()).toBe(`enters with ${TOKEN}`);
  signOut(page);
  expect(load()).toBe(`asks, enters with ${TOKEN}`);
});
