import { BrowserWindow, dialog, nativeTheme, screen } from 'electron';
import { systemClock } from '../engine/base/clock.ts';
import type { Log } from '../engine/base/log.ts';
import { CONSOLE_ORIGIN } from './console-files.ts';
import { FIRST, SMALLEST, keepWindowState, placeOn, readWindowState } from './window-state.ts';

/** Colour of the window until the console has painted, in either theme. */
const background = (): string => (nativeTheme.shouldUseDarkColors ? '#15171b' : '#f6f7f9');

export interface WindowFiles {
  readonly preload: string;
  readonly icon: string;
}

export interface WindowOptions extends WindowFiles {
  /** Stores position and size between starts; absent to forget them. */
  readonly stateFile?: string;
  /** Default: the console. */
  readonly page?: string;
  readonly log: Log;
}

/** Areas of the screens, the primary one first. */
const workAreas = () => {
  const primary = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter(({ id }) => id !== primary.id);
  return [primary, ...others].map(({ workArea }) => workArea);
};

/**
 * Reloads the page at the same place when its process dies, and says so, since unsaved input is lost. Only the first
 * time without asking: a page that its content crashes would reload without end.
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

/** Opens the window that shows the console, where it was last time. It appears when the page has something to show. */
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
    // Other systems take the icon of the package.
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

/** Opens a page of the console by its address, such as `/decisions/ID`. */
export const showPage = (window: BrowserWindow, path: string): void => {
  // Rejects if another navigation overtakes it, which is not an error.
  window.loadURL(`${CONSOLE_ORIGIN}/#${path}`).catch(() => undefined);
};
