import type { Clipboard, NativeTheme, Net } from 'electron';
import { answerScheme } from './schemes.ts';
import { strict } from './strict.ts';

/**
 * Stands in for `electron` in a built main bundle under test. It imitates the parts that Gasdesk uses, after Electron's
 * documentation. A name missing here fails at import, a missing member fails when used.
 */

export { app } from './app.ts';
export { BrowserWindow } from './browser-window.ts';
export { Menu, Notification, Tray, desktop, dialog, nativeImage, safeStorage, screen, shell } from './desktop.ts';
export { ipcMain } from './ipc-main.ts';
export { protocol } from './schemes.ts';
export { permissions, session } from './session.ts';

let copied = '';

/** https://www.electronjs.org/docs/latest/api/clipboard */
export const clipboard = strict<Clipboard>('clipboard', {
  writeText: async (text: string) => void (copied = text),
  readText: async () => copied,
} satisfies Partial<Clipboard>);

/** https://www.electronjs.org/docs/latest/api/native-theme */
export const nativeTheme = strict<NativeTheme>('nativeTheme', { shouldUseDarkColors: false });

/** https://www.electronjs.org/docs/latest/api/net: reaches only custom schemes, as without a network. */
export const net = strict<Net>('net', {
  async fetch(url: string): Promise<Response> {
    const response = await answerScheme(url);
    if (response === undefined) throw new Error('net::ERR_INTERNET_DISCONNECTED');
    return response;
  },
});
