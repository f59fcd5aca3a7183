import { BrowserWindow, dialog, nativeTheme, screen } from 'electron';
import { systemClock } from '../engine/base/clock.ts';
import type { Log } from '../engine/base/log.ts';
import { CONSOLE_ORIGIN } from './console-files.ts';
import { FIRST, SMALLEST, keepWindowState, placeOn, readWindowState } from './window-state.ts';

/** Background colour of the window until the console is painted, in the current theme. */
const background = (): string => (nativeTheme.shouldUseDarkColors ? '#15171b' : '#f6f7f9');

export interface WindowFiles {
  readonly preload: string;
  readonly icon: string;
}

export interface WindowOptions extends WindowFiles {
  /** File that stores position and size between starts; absent if they should not be stored. */
  readonly stateFile?: string;
  /** Page to show. Default: the console. */
  readonly page?: string;
  readonly log: Log;
}

/** Work areas of the screens, primary screen first. */
const workAreas = () => {
  const primary = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter(({ id }) => id !== primary.id);
  return [primary, ...others].map(({ workArea }) => workArea);
};

/**
 * Reloads the page if its process crashes, and informs the operator, because unsaved input is lost. After the first
 * crash it asks before reloading, because a page whose content causes the crash would reload endlessly.
 */
const survivePageCrash = (window: BrowserWindow, log: Log): void => {
  let crashes = 0;
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return;
    log.error('desktop.page-gone', { reason });
    crashes += 1;
    const isFirst = crashes === 1;
    if (isFirst) window.webContents.reload();
    const detail = `Its process ended (${reason}). The engine keeps deciding and signing.`;
    const choice = dialog.showMessageBox(window, {
      type: 'warning',
      message: isFirst ? 'The console crashed and was reloaded' : 'The console crashed again',
      detail: isFirst ? `${detail} Unsaved input is lost.` : detail,
      buttons: isFirst ? ['OK'] : ['Reload', 'Leave it'],
    });
    void choice.then(({ response }) => {
      if (!isFirst && response === 0 && !window.isDestroyed()) window.webContents.reload();
    });
  });
};

/** Opens the window with the console at its previous position. The window appears when the page has content to show. */
export const openWindow = ({
  preload,
  icon,
  stateFile,
  page = `${CONSOLE_ORIGIN}/`,
  log,
}: WindowOptions): BrowserWindow => {
  const { isMaximised, x, y, width, height } = placeOn(
    workAreas(),
    stateFile === undefined ? FIRST : readWindowState(stateFile),
  );
  const window = new BrowserWindow({
    title: 'Gasdesk',
    ...(x !== undefined && y !== undefined && { x, y }),
    width,
    height,
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
    show: false,
    backgroundColor: background(),
    // On other systems, the packaged application contains the icon.
    ...(process.platform === 'linux' && { icon }),
    webPreferences: { preload, sandbox: true, contextIsolation: true, nodeIntegration: false, spellcheck: false },
  });
  if (isMaximised) window.maximize();
  if (stateFile !== undefined) {
    keepWindowState(window, stateFile, systemClock, (error) => log.error('desktop.window-state', { err: error }));
  }
  survivePageCrash(window, log);
  window.once('ready-to-show', () => window.show());
  window.loadURL(page).catch((error: unknown) => log.error('desktop.load', { err: error }));
  return window;
};

/** Opens a page of the console, given its path, such as `/decisions/ID`. */
export const showPage = (window: BrowserWindow, path: string): void => {
  // Rejects if another navigation replaces this one, which is not an error.
  window.loadURL(`${CONSOLE_ORIGIN}/#${path}`).catch(() => undefined);
};
