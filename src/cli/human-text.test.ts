import { expect, it } from 'vitest';
import { humanText } from './human-text.ts';

const AT = Date.UTC(2026, 10, 21, 14, 30);

it('a tank is read in coins, words and lines, not in wei and JSON', () => {
  const signer = { vault: '0x11', next: null, agrees: true };
  const tank = {
    symbol: 'POL',
    balanceWei: '1500000000000000001',
    burnWeiPerDay: '0',
    lowBalanceThresholdWei: null,
    signer,
  };
  expect(humanText(tank).split('\n')).toEqual([
    'symbol                 POL',
    'balance                1.500000000000000001 POL',
    'burn per day           0 POL',
    'low balance threshold  -',
    'signer                 vault 0x11, next -, agrees yes',
  ]);
});

it('times are local, and an unknown time is a dash', () => {
  const shown = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' }).format(AT);
  expect(humanText({ paused: true, since: AT, createdAt: 0, knownSince: AT })).toBe(
    `paused       yes\nsince        ${shown}\ncreated at   -\nknown since  ${shown}`,
  );
});

it('a list shows settings in words, and amounts without a symbol as of the native coin', () => {
  const rows = [{ rate: { type: 'static', price: '2' }, chains: [1, 137], breaker: { amountWei: '5', seconds: 60 } }];
  expect(humanText(rows).split(/ {2,}|\n/)).toEqual([
    'rate',
    'chains',
    'breaker',
    'type static, price 2',
    '1, 137',
    'amount 0.000000000000000005 of the native coin, seconds 60',
  ]);
});

it('fields are named in words, also within a field, and as a standard or the glossary names them', () => {
  const dapp = { paymasterId: 'p', apiKey: 'k', sponsor: { icon: null, isTold: true }, userOpHash: '0x' };
  expect(humanText(dapp).split('\n')).toEqual([
    'DApp id     p',
    'API key     k',
    'sponsor     icon -, shown to wallets yes',
    'userOpHash  0x',
  ]);
});

it('a text of several lines stays in its field', () => {
  expect(humanText({ message: 'Timestamp: 1\nSigning this', nonce: 2 })).toBe(
    'message  Timestamp: 1 Signing this\nnonce    2',
  );
});

it('what a DApp sent does not steer the terminal, however deep it stands', () => {
  expect(humanText({ a: 'x\u{1b}[2J', b: { c: '\u{9b}y' } })).toBe('a  x\u{fffd}[2J\nb  c \u{fffd}y');
  // A request is shown as it was sent.
  expect(humanText({ request: { op: { nonce: '\u{9b}' } } })).toBe('request  {"op":{"nonce":"\u{fffd}"}}');
});
