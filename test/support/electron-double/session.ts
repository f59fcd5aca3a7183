import type { Session } from 'electron';
import type { Browser } from 'playwright-core';
import { toChromium } from './schemes.ts';
import { strict } from './strict.ts';

type CheckHandler = Parameters<Session['setPermissionCheckHandler']>[0];

let check: CheckHandler = null;

/** https://www.electronjs.org/docs/latest/api/session; what is asked for is asked of Chromium, see below. */
export const session = strict<typeof Electron.session>('session', {
  defaultSession: strict<Session>('session.defaultSession', {
    setPermissionCheckHandler(handler: CheckHandler): void {
      check = handler;
    },
    // Chromium is told beforehand what the check handler says, so that it never asks.
    setPermissionRequestHandler: () => undefined,
    setDevicePermissionHandler: () => undefined,
  } satisfies Partial<Session>),
});

/** Gives an origin what the check handler gives it. Without a handler Electron grants everything. */
export const applyPermissions = async (browser: Browser, origin: string): Promise<void> => {
  const cdp = await browser.newBrowserCDPSession();
  for (const name of ['geolocation', 'notifications'] as const) {
    const granted = check?.(null, name, origin, { requestingUrl: origin, isMainFrame: true }) ?? true;
    await cdp.send('Browser.setPermission', {
      permission: { name },
      setting: granted ? 'granted' : 'denied',
      origin: toChromium(origin),
    });
  }
  // The session stays open: with it, Chromium would forget what it was told.
};
