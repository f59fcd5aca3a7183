import { EventEmitter } from 'node:events';
import type { Session } from 'electron';
import type { Browser } from 'playwright-core';
import { toChromium } from './schemes.ts';
import { strict } from './strict.ts';

type CheckHandler = Parameters<Session['setPermissionCheckHandler']>[0];

type DeviceHandler = Parameters<Session['setDevicePermissionHandler']>[0];

/** Tests call the application's permission handlers. */
export const permissions = { check: null as CheckHandler, device: null as DeviceHandler };

/** https://www.electronjs.org/docs/latest/api/session; {@link applyPermissions} passes permissions to Chromium. */
export const session = strict<typeof Electron.session>('session', {
  // No device exists: a test emits the events of those it simulates.
  defaultSession: strict<Session>(
    'session.defaultSession',
    Object.assign(new EventEmitter(), {
      setPermissionCheckHandler: (handler: CheckHandler) => void (permissions.check = handler),
      // Chromium gets the answers of the check handler in advance, so it never asks.
      setPermissionRequestHandler: () => undefined,
      setDevicePermissionHandler: (handler: DeviceHandler) => void (permissions.device = handler),
    } satisfies Partial<Session>),
  ),
});

/** Sets an origin's permissions to the answers of the check handler. Without a handler Electron grants everything. */
export const applyPermissions = async (browser: Browser, origin: string): Promise<void> => {
  const cdp = await browser.newBrowserCDPSession();
  for (const name of ['geolocation', 'notifications'] as const) {
    const granted = permissions.check?.(null, name, origin, { requestingUrl: origin, isMainFrame: true }) ?? true;
    await cdp.send('Browser.setPermission', {
      permission: { name },
      setting: granted ? 'granted' : 'denied',
      origin: toChromium(origin),
    });
  }
  // The session stays open: without it, Chromium would forget the permissions.
};
