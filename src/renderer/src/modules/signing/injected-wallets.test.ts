import { expect, test } from 'vitest';
import type { Address } from '../../../../shared/schema/hex.ts';
import { type Eip1193Provider, type InjectedWallet, findWallets } from './injected-wallets.ts';
import { useWallet } from './injected-wallet.ts';

const provider: Eip1193Provider = { request: () => Promise.resolve(null) };
const info = { uuid: 'a', name: 'Wallet', icon: 'data:image/png;base64,AA==', rdns: 'com.example' };
const FROM: Address = '0x1111111111111111111111111111111111111111';

const found = (...details: unknown[]): readonly InjectedWallet[] => {
  const page = new EventTarget();
  let wallets: readonly InjectedWallet[] = [];
  const stop = findWallets(page, (now) => (wallets = now));
  for (const detail of details) page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  stop();
  page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info: { uuid: 'late' }, provider } }));
  return wallets;
};

test('wallets that were there before the page asks, and those that come later, are found', () => {
  const page = new EventTarget();
  page.addEventListener('eip6963:requestProvider', () =>
    page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } })),
  );
  let wallets: readonly InjectedWallet[] = [];
  findWallets(page, (now) => (wallets = now));
  expect(wallets).toEqual([{ id: 'a', name: 'Wallet', icon: info.icon, provider }]);
  const other = { info: { ...info, uuid: 'b' }, provider };
  page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: other }));
  expect(wallets.map(({ id }) => id)).toEqual(['a', 'b']);
});

test.each([
  null,
  'x',
  {},
  { info },
  { provider },
  { info: { name: 'x' }, provider },
  { info, provider: { request: 1 } },
])('what is no announcement is passed over: %j', (detail) => expect(found(detail)).toEqual([]));

test.each([
  ['https://example.com/x.png', undefined],
  ['data:text/html,<script>', undefined],
  [`data:image/png,${'x'.repeat(300_000)}`, undefined],
  [7, undefined],
  ['data:image/svg+xml,<svg/>', 'data:image/svg+xml,<svg/>'],
])('of the icon %.40s only an image in a data URL is kept', (icon, kept) => {
  expect(found({ info: { ...info, icon }, provider })[0]?.icon).toBe(kept);
});

test('names are short and printable, and the first of an id stays', () => {
  const named = (name: unknown, uuid = String(name)) => ({ info: { ...info, uuid, name }, provider });
  const names = found(named('\u202eevil\n wallet'), named('x'.repeat(99)), named(''), named('Other', 'x'.repeat(9)));
  expect(names.map(({ name }) => name)).toEqual(['evil wallet', `${'x'.repeat(40)}…`, 'Other']);
  const [first, ...others] = found(named('First', 'same'), named('Second', 'same'));
  expect([first?.name, others]).toEqual(['First', []]);
  expect(found(...Array.from({ length: 30 }, (_, index) => named('x', `${index}`)))).toHaveLength(20);
});

test('a silent wallet is reported as soon as its time is over, which is short if no owner is asked', async () => {
  const waits: number[] = [];
  const at = {
    now: () => 0,
    after: (ms: number, fn: () => void) => {
      waits.push(ms);
      const handle = setImmediate(fn);
      return () => clearImmediate(handle);
    },
  };
  const silent = useWallet({ request: () => new Promise(() => undefined) }, at);
  const error = { kind: 'silent', message: expect.stringContaining('has not answered for 10 seconds') };
  await expect(silent.accounts()).rejects.toMatchObject(error);
  await expect(silent.signMessage(FROM, 'x')).rejects.toMatchObject(error);
  const unsure = useWallet(
    { request: ({ method }) => (method === 'eth_accounts' ? Promise.resolve([FROM]) : new Promise(() => undefined)) },
    at,
  );
  await expect(unsure.signMessage(FROM, 'x')).rejects.toMatchObject({
    kind: 'silent',
    message: expect.stringContaining('has not answered for 5 minutes'),
  });
  expect(waits).toEqual([10_000, 10_000, 10_000, 300_000]);
});
