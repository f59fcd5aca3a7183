import type { Page } from 'playwright-core';
import type { LedgerEmulator } from './ledger-emulator.ts';

interface Cable {
  /** An APDU and its answer in hex; null if nothing is plugged in. */
  readonly exchange: (apdu: string) => Promise<string | null>;
  readonly isPlugged: () => Promise<boolean>;
}

/**
 * The part of WebHID (https://wicg.github.io/webhid/) that one Ledger needs, with APDUs in frames of 64 bytes. The
 * owner chooses the Ledger whenever it is plugged in. Self-contained, since it is injected into a page as text.
 */
export const emulatedHid = ({ exchange, isPlugged }: Cable): EventTarget => {
  const FRAME = 64;
  const TAG = 5;

  /** The frames of a message: channel, tag, sequence number; the first also has the length. */
  const framesOf = (channel: number, message: Uint8Array): DataView[] => {
    const whole = new Uint8Array([message.length >> 8, message.length & 0xff, ...message]);
    const room = FRAME - 5;
    return Array.from({ length: Math.ceil(whole.length / room) }, (_, sequence) => {
      const frame = new DataView(new ArrayBuffer(FRAME));
      frame.setUint16(0, channel);
      frame.setUint8(2, TAG);
      frame.setUint16(3, sequence);
      new Uint8Array(frame.buffer).set(whole.subarray(sequence * room, (sequence + 1) * room), 5);
      return frame;
    });
  };
  const hexOf = (bytes: Iterable<number>): string =>
    Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const bytesOf = (hex: string): Uint8Array =>
    Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

  const hid = new EventTarget();
  let received: number[] = [];

  const unplug = (): void => {
    device.opened = false;
    received = [];
    hid.dispatchEvent(Object.assign(new Event('disconnect'), { device }));
  };
  const answer = async (channel: number, apdu: Uint8Array): Promise<void> => {
    const response = await exchange(hexOf(apdu));
    if (response === null) unplug();
    else for (const data of framesOf(channel, bytesOf(response))) device.oninputreport?.({ data });
  };

  const device = {
    vendorId: 0x2c97,
    productId: 0x5011,
    productName: 'Nano S Plus',
    opened: false,
    oninputreport: undefined as ((event: { data: DataView }) => void) | undefined,
    open: async () => void (device.opened = true),
    close: async () => void (device.opened = false),
    async sendReport(_report: number, frame: Uint8Array) {
      if (!device.opened) throw new DOMException('The device is not open', 'InvalidStateError');
      const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
      if (view.getUint16(3) === 0) received = [];
      received.push(...frame.subarray(5));
      const [high = 0, low = 0, ...message] = received;
      const length = high * 256 + low;
      if (message.length >= length) void answer(view.getUint16(0), Uint8Array.from(message.slice(0, length)));
    },
  };
  const devices = async () => ((await isPlugged()) ? [device] : []);
  return Object.assign(hid, { getDevices: devices, requestDevice: devices });
};

export const cableTo = (ledger: LedgerEmulator): Cable => ({
  exchange: (apdu) => ledger.exchange(apdu),
  isPlugged: () => Promise.resolve(ledger.isPlugged),
});

/** Plugs an emulated Ledger into a page, from its next load on. */
export const plugInto = async (page: Page, ledger: LedgerEmulator): Promise<void> => {
  const cable = cableTo(ledger);
  await page.exposeFunction('emulatedLedgerExchange', cable.exchange);
  await page.exposeFunction('emulatedLedgerIsPlugged', cable.isPlugged);
  await page.addInitScript(
    `Object.defineProperty(navigator, 'hid', { configurable: true, value: (${String(emulatedHid)})({
      exchange: (apdu) => window.emulatedLedgerExchange(apdu),
      isPlugged: () => window.emulatedLedgerIsPlugged(),
    }) });`,
  );
};
