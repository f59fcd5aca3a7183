import { EventEmitter } from 'node:events';
import type { Session } from 'electron';
import type { Browser } from 'playwright-core';
import { toChromium } from './schemes.ts';
import { strict } from './strict.ts';

type CheckHandler = Parameters<Session['setPermissionCheckHandler']>[0];

type DeviceHandler = Parameters<Session['setDevicePermissionHandler']>[0];

/** What the application lets pages do, for tests to ask. */
export const permissions = {
  check: null as CheckHandler,
  device: null as DeviceHandler,
};

/** https://www.electronjs.org/docs/latest/api/session; what is asked for is asked of Chromium, see below. */
export const session = strict<typeof Electron.session>('session', {
  // Devices there are none: a test emits what Electron would of those it thinks of.
  defaultSession: strict<Session>(
    'session.defaultSession',
    Object.assign(new EventEmitter(), {
      setPermissionCheckHandler: (handler: CheckHandler) => void (permissions.check = handler),
      // Chromium is told beforehand what the check handler says, so that it never asks.
      setPermissionRequestHandler: () => undefined,
      setDevicePermissionHandler: (handler: DeviceHandler) => void (permissions.device = handler),
    } satisfies Partial<Session>),
  ),
});

/** Gives an origin what the check handler gives it. Without a handler Electron grants everything. */
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
  // The session stays open: with it, Chromium would forget what it was told.
};
