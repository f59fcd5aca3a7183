import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserWindow, app, dialog, session } from 'electron';
import { systemEntropy } from '../engine/clock.ts';
import { type DataFolder, defaultDataFolder, openDataFolder } from '../engine/data-folder/data-folder.ts';
import type { Engine } from '../engine/index.ts';
import { EngineError } from '../shared/errors.ts';
import { createLog } from '../engine/log.ts';
import { startDesk } from './desk.ts';
import { handleIpc } from './ipc.ts';
import { registerConsoleScheme, serveConsole } from './protocol.ts';
import { confineWebContents, denyPermissions } from './security.ts';
import { openWindow } from './window.ts';

/** The desktop application: one engine on this user's data folder, and a window that shows it. */

/** The build puts main, preload and renderer side by side. */
const built = join(import.meta.dirname, '..');

/** For what goes wrong before the engine has its own, and after. */
const log = createLog({ level: 'error' });

let engine: Engine | undefined;
let window: BrowserWindow | undefined;
let stopping: Promise<void> | undefined;

const showWindow = (): void => {
  if (window === undefined) {
    window = openWindow(join(built, 'preload', 'index.cjs'));
    window.once('closed', () => (window = undefined));
  }
  if (window.isMinimized()) window.restore();
  window.focus();
};

const start = async (folder: DataFolder): Promise<void> => {
  await app.whenReady();
  denyPermissions(session.defaultSession);
  serveConsole(join(built, 'renderer'));
  const desk = await startDesk(folder, process.env);
  engine = desk.engine;
  handleIpc({ service: engine.service, log: desk.log, entropy: systemEntropy, window: () => window });
  app.on('second-instance', showWindow);
  app.on('activate', showWindow);
  showWindow();
};

/** Tells a person why there is no desk. What is not expected has its details on standard error. */
const fail = (error: unknown): void => {
  if (!(error instanceof EngineError)) log.error('desktop.start', { err: error });
  const reason =
    error instanceof EngineError ? error.message : 'Internal error; start Gasdesk from a terminal to see it.';
  dialog.showErrorBox('Gasdesk cannot start', reason);
  app.exit(1);
};

const stop = async (running: Engine): Promise<void> => {
  try {
    await running.stop();
    app.exit(0);
  } catch (error) {
    log.error('desktop.stop', { err: error });
    app.exit(1);
  }
};

app.on('window-all-closed', () => {
  if (process.platform !== 'darwin') app.quit();
});

// The process ends once the engine has written everything to its database.
app.on('will-quit', (event) => {
  if (engine === undefined) return;
  event.preventDefault();
  stopping ??= stop(engine);
});

registerConsoleScheme();
confineWebContents();

try {
  const folder = openDataFolder(defaultDataFolder(process.env));
  // Chromium's own files lie in the data folder, and its lock makes one instance per folder.
  const profile = join(folder.dir, 'window');
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  app.setPath('userData', profile);
  if (app.requestSingleInstanceLock()) start(folder).catch(fail);
  else app.quit();
} catch (error) {
  fail(error);
}
