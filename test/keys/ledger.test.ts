import { Socket } from 'node:net';
import { Transaction, verifyMessage } from 'ethers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { cableTo, emulatedHid } from '../support/emulated-hid.ts';
import { type LedgerEmulator, createLedgerEmulator } from '../support/ledger-emulator.ts';
import type { Hex } from '../../src/shared/schema/hex.ts';
import { ledgerPath } from '../../src/renderer/src/modules/signing/ledger-paths.ts';
import type { Ledger, LedgerPrompt } from '../../src/renderer/src/modules/signing/ledger.ts';

const PATH = ledgerPath('ledger-live', 1);
const TEXT = 'I fund this paymaster — für “Game Items” ✓\n'.repeat(12);
const PLAIN = {
  type: 2,
  chainId: 1,
  to: `0x${'11'.repeat(20)}`,
  value: 10n ** 18n,
  maxFeePerGas: 9n,
  gasLimit: 21_000,
};
const unsigned = (data = '0x'): Hex => Transaction.from({ ...PLAIN, data }).unsignedSerialized as Hex;

let device: LedgerEmulator;
let prompts: LedgerPrompt[];
let reached: string[];

beforeEach(() => {
  // As in a reloaded page: its kit has seen no device yet.
  vi.resetModules();
  device = createLedgerEmulator();
  prompts = [];
  reached = [];
  vi.stubGlobal('navigator', { hid: emulatedHid(cableTo(device)) });
  for (const name of ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource']) {
    vi.stubGlobal(name, function notHere() {
      reached.push(name);
      throw new Error('There is no network');
    });
  }
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(() => {
    reached.push('socket');
    throw new Error('There is no network');
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  expect(reached, 'nothing reaches the maker or anybody else').toEqual([]);
});

const connect = async (): Promise<Ledger> => {
  const { connectLedger } = await import('../../src/renderer/src/modules/signing/ledger.ts');
  return connectLedger((prompt) => prompt !== undefined && prompts.push(prompt));
};

describe('with the Ethereum app open', () => {
  test.each(['ledger-live', 'legacy'] as const)(
    'every account of the scheme %s has its own address',
    async (scheme) => {
      const ledger = await connect();
      for (const index of [0, 1, 4]) {
        const path = ledgerPath(scheme, index);
        expect(await ledger.address(path, { confirm: false })).toBe(device.addressAt(path));
      }
      expect(device.screens).toEqual([]);
    },
  );

  test('an address is shown on the device where it is to be compared', async () => {
    const address = await (await connect()).address(PATH, { confirm: true });
    expect(device.screens).toEqual([{ kind: 'address', text: address }]);
    expect(prompts).toContain('compare-address');
  });

  test('a signed message proves the account, also where it is long and not English', async () => {
    const signature = await (await connect()).signMessage(PATH, TEXT);
    expect(signature).toMatch(/^0x[0-9a-f]{128}(1b|1c)$/);
    expect(verifyMessage(TEXT, signature)).toBe(device.addressAt(PATH));
    expect(device.screens).toEqual([{ kind: 'message', text: TEXT }]);
    expect(prompts).toContain('confirm');
  });

  test.each([
    ['a payment', '0x'],
    ['a call in several APDUs', `0x${'ab'.repeat(700)}`],
  ])('%s that was signed is of the account', async (_what, data) => {
    const draft = unsigned(data);
    const signature = await (await connect()).signTransaction(PATH, draft);
    const transaction = Transaction.from(draft);
    transaction.signature = signature;
    expect(transaction.from).toBe(device.addressAt(PATH));
    expect(transaction.unsignedSerialized).toBe(draft);
    expect(prompts).toContain('confirm');
  });
});

test.each(['BOLOS', 'Bitcoin'] as const)('out of %s the Ethereum app is opened, if its owner agrees', async (app) => {
  device.app = app;
  const ledger = await connect();
  expect(await ledger.address(PATH, { confirm: false })).toBe(device.addressAt(PATH));
  expect(device.screens).toEqual([{ kind: 'open app', text: 'Ethereum' }]);
  expect(prompts).toContain('open-app');
});

test('a locked device is waited for until its PIN is entered', async () => {
  device.isLocked = true;
  const ledger = await connect();
  vi.useFakeTimers();
  const signature = ledger.signMessage(PATH, 'hello');
  await vi.advanceTimersByTimeAsync(2_500);
  expect(prompts).toEqual(['unlock']);
  device.isLocked = false;
  await vi.advanceTimersByTimeAsync(2_500);
  expect(verifyMessage('hello', await signature)).toBe(device.addressAt(PATH));
});

describe('what goes wrong is said in words that help', () => {
  const error = async (act: () => Promise<unknown>, code: string, words: RegExp): Promise<void> => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'Date'] });
    const seen = expect(act()).rejects.toMatchObject({ code, message: expect.stringMatching(words) });
    await vi.advanceTimersByTimeAsync(70_000);
    await seen;
  };

  test('a browser without WebHID', async () => {
    vi.stubGlobal('navigator', {});
    await error(connect, 'unsupported', /desktop application, or in Chrome/);
  });

  test('no device is chosen', async () => {
    device.isPlugged = false;
    await error(connect, 'not-chosen', /No Ledger was chosen[.] Plug it in/);
  });

  test('another program holds the device', async () => {
    const hid = emulatedHid(cableTo(device)) as EventTarget & { getDevices: () => Promise<{ open: unknown }[]> };
    const [first] = await hid.getDevices();
    first!.open = () => Promise.reject(new DOMException('Failed to open the device.', 'NotAllowedError'));
    vi.stubGlobal('navigator', { hid });
    await error(connect, 'in-use', /Close other programs/);
  });

  test('the device stays locked', async () => {
    device.isLocked = true;
    const ledger = await connect();
    await error(() => ledger.signMessage(PATH, 'hello'), 'locked', /Enter its PIN/);
  });

  test('the device locks itself when it is to sign', async () => {
    const ledger = await connect();
    const answer = device.exchange;
    device.exchange = (apdu) => {
      device.isLocked = apdu.startsWith('e008');
      return answer(apdu);
    };
    await error(() => ledger.signMessage(PATH, 'hello'), 'locked', /Enter its PIN/);
  });

  test('the owner does not let the Ethereum app be opened', async () => {
    device.app = 'BOLOS';
    device.owner = () => false;
    const ledger = await connect();
    await error(() => ledger.address(PATH, { confirm: false }), 'app-closed', /Open it there/);
  });

  test('there is no Ethereum app', async () => {
    device.app = 'BOLOS';
    device.isEthereumInstalled = false;
    const ledger = await connect();
    await error(() => ledger.address(PATH, { confirm: false }), 'app-missing', /Install it/);
  });

  test.each([
    ['the address', (ledger: Ledger) => ledger.address(PATH, { confirm: true })],
    ['the message', (ledger: Ledger) => ledger.signMessage(PATH, 'hello')],
    ['the transaction', (ledger: Ledger) => ledger.signTransaction(PATH, unsigned('0x1234'))],
  ])('the owner rejects %s: they are asked once, and can continue with the same connection', async (_what, act) => {
    device.owner = () => false;
    const ledger = await connect();
    await error(() => act(ledger), 'rejected', /Nothing was signed, sent or changed/);
    expect(device.screens).toHaveLength(1);
    vi.useRealTimers();
    device.owner = () => true;
    await act(ledger);
  });

  test('blind signing is off', async () => {
    device.isBlindSigningOn = false;
    const ledger = await connect();
    await error(() => ledger.signTransaction(PATH, unsigned('0x1234')), 'blind-signing', /switch on “Blind signing”/);
    vi.useRealTimers();
    await ledger.signTransaction(PATH, unsigned());
  });

  test('a transaction of another type', async () => {
    const ledger = await connect();
    await error(() => ledger.signTransaction(PATH, '0xc0'), 'other', /type 2/);
  });

  test('an unforeseen answer', async () => {
    const ledger = await connect();
    const answer = device.exchange;
    device.exchange = (apdu) => (apdu.startsWith('e008') ? Promise.resolve('6f00') : answer(apdu));
    await error(() => ledger.signMessage(PATH, 'hello'), 'other', /status 6f00.*try again/);
  });
});

describe('a device that is unplugged', () => {
  const transaction = (ledger: Ledger) => ledger.signTransaction(PATH, unsigned(`0x${'ab'.repeat(300)}`));
  const message = (ledger: Ledger) => ledger.signMessage(PATH, TEXT);

  /** Number of APDUs, without those of connecting. */
  const exchanges = async (act: (ledger: Ledger) => Promise<unknown>): Promise<number> => {
    const ledger = await connect();
    const before = device.received.length;
    await act(ledger);
    return device.received.length - before;
  };

  test.each([
    ['a message', message],
    ['a transaction', transaction],
  ])('at whichever APDU of %s: it says so, and connected again it signs', async (_what, act) => {
    const count = await exchanges(act);
    expect(count).toBeGreaterThan(2);
    for (let at = 0; at < count; at += 1) {
      const ledger = await connect();
      device.unplugAt = device.received.length + at;
      vi.useFakeTimers();
      const seen = expect(act(ledger), `at ${at}`).rejects.toMatchObject({ code: 'disconnected' });
      // The kit waits for the device to return.
      await vi.advanceTimersByTimeAsync(20_000);
      await seen;
      vi.useRealTimers();
      device.isPlugged = true;
      device.unplugAt = undefined;
      await act(await connect());
    }
  });

  test('while its owner reads, and before anything is asked', async () => {
    const ledger = await connect();
    device.owner = () => (device.isPlugged = false);
    vi.useFakeTimers();
    const seen = expect(ledger.address(PATH, { confirm: true })).rejects.toMatchObject({ code: 'disconnected' });
    await vi.advanceTimersByTimeAsync(20_000);
    await seen;
    const again = expect(ledger.signMessage(PATH, 'hello')).rejects.toMatchObject({
      code: 'disconnected',
      message: expect.stringMatching(/connect it again/),
    });
    await vi.advanceTimersByTimeAsync(20_000);
    await again;
  });

  test('what a closed connection was doing ends', async () => {
    const ledger = await connect();
    device.owner = () => new Promise(() => undefined);
    const pending = expect(ledger.signMessage(PATH, 'hello')).rejects.toMatchObject({ code: 'disconnected' });
    await vi.waitFor(() => expect(device.screens).toHaveLength(1));
    await ledger.close();
    await pending;
    await ledger.close();
  });
});
