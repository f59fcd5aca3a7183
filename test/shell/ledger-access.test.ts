import type { HIDDevice } from 'electron';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { permissions } from '../support/electron-double/session.ts';
import { type Shell, startShell } from '../support/shell.ts';
import { useTempFolders } from '../support/temp-folder.ts';

/** What the double shows in addition to Electron. */
type Double = typeof Electron & { permissions: typeof permissions };

const CONSOLE = 'app://console';
const LEDGER = 0x2c97;
const device = (vendorId: number, deviceId: string): HIDDevice =>
  ({ vendorId, productId: 0x5011, deviceId, name: `Nano ${deviceId}`, collections: [] }) satisfies HIDDevice;

const newHome = useTempFolders();
let shell: Shell;
beforeAll(async () => {
  shell = await startShell(newHome(), { ELECTRON_DOUBLE_PRESSES: JSON.stringify(['2. Nano b', '1. Nano a', 'None']) });
});
afterAll(() => shell.quit());

/** Whether the page may use the permission at all. */
const mayUse = (asked: { permission?: string; origin?: string; isMainFrame?: boolean; isDesk?: boolean }) =>
  shell.evaluate((electron, { permission = 'hid', origin = 'app://console/', isMainFrame = true, isDesk = true }) => {
    const { check } = (electron as Double).permissions;
    const contents = electron.BrowserWindow.getAllWindows()[0]!.webContents;
    const asking = isDesk ? contents : (Object.create(contents) as typeof contents);
    return check?.(asking, permission as 'hid', origin, { isMainFrame, requestingUrl: origin });
  }, asked);

const mayOpen = (vendorId: number, origin: string, deviceType: 'hid' | 'usb' = 'hid') =>
  shell.evaluate(
    (electron, { deviceType, origin, device }) =>
      (electron as Double).permissions.device?.({ deviceType, origin, device }),
    { deviceType, origin, device: device(vendorId, 'a') },
  );

/** The device that is chosen from the list, `null` for none. */
const chosenOf = (deviceList: HIDDevice[], { isOwn = true, removed = [] as HIDDevice[] } = {}) =>
  shell.evaluate(
    ({ BrowserWindow, session }, { deviceList, isOwn, removed }) =>
      new Promise<string | null>((resolve) => {
        const { mainFrame } = BrowserWindow.getAllWindows()[0]!.webContents;
        const frame = isOwn ? mainFrame : { parent: mainFrame, origin: 'app://console' };
        const answer = (id?: string | null) => resolve(id ?? null);
        const event = { preventDefault: () => undefined };
        session.defaultSession.emit('select-hid-device', event, { deviceList, frame }, answer);
        for (const one of removed) session.defaultSession.emit('hid-device-removed', {}, { device: one, frame });
      }),
    { deviceList, isOwn, removed },
  );

describe('a page can reach a Ledger', () => {
  test('if it is the console in the window of the desk', async () => {
    expect(await mayUse({})).toBe(true);
    expect(await mayUse({ origin: CONSOLE })).toBe(true);
    expect(await mayOpen(LEDGER, CONSOLE)).toBe(true);
  });

  test.each([
    ['another origin', { origin: 'https://stranger.example/' }],
    ['an origin that begins alike', { origin: 'app://console.stranger/' }],
    ['a frame within', { isMainFrame: false }],
    ['the window of a review', { isDesk: false }],
  ])('not if it is %s', async (_what, asked) => {
    expect(await mayUse(asked)).toBe(false);
  });

  test('and has no other permission, and no other device', async () => {
    for (const permission of ['usb', 'serial', 'media', 'clipboard-read']) {
      expect(await mayUse({ permission }), permission).toBe(false);
    }
    expect(await mayOpen(0x1050, CONSOLE)).toBe(false);
    expect(await mayOpen(LEDGER, 'https://stranger.example')).toBe(false);
    expect(await mayOpen(LEDGER, CONSOLE, 'usb')).toBe(false);
  });
});

describe('the Ledger to use', () => {
  const [a, b, foreign] = [device(LEDGER, 'a'), device(LEDGER, 'b'), device(0x1050, 'key')];

  test('is the only one, whatever else is plugged in', async () => {
    expect(await chosenOf([foreign, b])).toBe('b');
  });

  test('is none without a Ledger', async () => {
    expect(await chosenOf([])).toBeNull();
    expect(await chosenOf([foreign])).toBeNull();
  });

  test('is none, if a frame within the page asks', async () => {
    expect(await chosenOf([a], { isOwn: false })).toBeNull();
  });

  test('is none, if it was unplugged meanwhile', async () => {
    expect(await chosenOf([a], { removed: [a] })).toBeNull();
    expect(await chosenOf([a])).toBe('a');
  });

  test('is named by the operator if several exist, who may name none', async () => {
    expect(await chosenOf([a, b, foreign])).toBe('b');
    await expect.poll(() => shell.stderr()).toContain('[1. Nano a] [2. Nano b] [None]');
    expect(await chosenOf([a, b], { removed: [a] })).toBeNull();
    expect(await chosenOf([a, b])).toBeNull();
  });
});
