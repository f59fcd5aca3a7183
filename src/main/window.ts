import { BrowserWindow, dialog, nativeTheme, screen } from 'electron';
import { systemClock } from '../engine/base/clock.ts';
import type { Log } from '../engine/base/log.ts';
import { CONSOLE_ORIGIN } from './console-files.ts';
import { FIRST, SMALLEST, keepWindowState, placeOn, readWindowState } from './window-state.ts';

/** What the window shows until the console has painted, in either theme. */
const background = (): string => (nativeTheme.shouldUseDarkColors ? '#15171b' : '#f6f7f9');

/** What every window is made of: paths of files. */
export interface WindowFiles {
  readonly preload: string;
  readonly icon: string;
}

/** What a window needs. */
export interface WindowOptions extends WindowFiles {
  /** Keeps position and size from one start to the next, where they are to be kept. */
  readonly stateFile?: string;
  /** Address of the page it begins with, in place of the console. */
  readonly page?: string;
  readonly log: Log;
}

/** The areas of the screens, the primary one's first. */
const workAreas = () => {
  const primary = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter(({ id }) => id !== primary.id);
  return [primary, ...others].map(({ workArea }) => workArea);
};

/**
 * When the page's process dies, loads the page again, at the same place; and says so, since what was being typed is
 * lost. Only once by itself: a page that dies of what it shows would die for ever.
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
    const asked = dialog.showMessageBox(window, {
      type: 'warning',
      message: isFirst ? 'The console crashed and was reloaded' : 'The console crashed again',
      detail: isFirst ? `${detail} Unsaved input is lost.` : detail,
      buttons: isFirst ? ['OK'] : ['Reload', 'Leave it'],
    });
    void asked.then(({ response }) => {
      if (!isFirst && response === 0 && !window.isDestroyed()) window.webContents.reload();
    });
  });
};

/** Opens the window that shows the console, where it was last time. It is seen once there is something to see. */
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
    // Elsewhere the system takes that of the package.
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

/** Leads the console to a page by its address, such as `/decisions/ID`. */
export const showPage = (window: BrowserWindow, path: string): void => {
  // Rejects when it is overtaken by another navigation, which is no fault.
  window.loadURL(`${CONSOLE_ORIGIN}/#${path}`).catch(() => undefined);
};
