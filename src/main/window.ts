import { BrowserWindow, nativeTheme } from 'electron';
import { CONSOLE_ORIGIN } from './console-files.ts';

/** What the window shows until the console has painted, in either theme. */
const background = (): string => (nativeTheme.shouldUseDarkColors ? '#15171b' : '#f6f7f9');

/** Opens the window that shows the console. It is seen once there is something to see. */
export const openWindow = (preload: string): BrowserWindow => {
  const window = new BrowserWindow({
    title: 'Gasdesk',
    width: 1200,
    height: 800,
    minWidth: 640,
    minHeight: 480,
    show: false,
    autoHideMenuBar: true,
    backgroundColor: background(),
    webPreferences: { preload, sandbox: true, contextIsolation: true, nodeIntegration: false, spellcheck: false },
  });
  window.once('ready-to-show', () => window.show());
  void window.loadURL(`${CONSOLE_ORIGIN}/`);
  return window;
};
