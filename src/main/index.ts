import { mkdirSync } from 'node:fs';
import { url as inspectorUrl } from 'node:inspector';
import { join, resolve } from 'node:path';
import { type BrowserWindow, app, dialog, session } from 'electron';
import { systemClock, systemEntropy } from '../engine/base/clock.ts';
import { type DataFolder, defaultDataFolder, openDataFolder } from '../engine/data-folder/data-folder.ts';
import type { Engine } from '../engine/index.ts';
import { createLog } from '../engine/base/log.ts';
import { EngineError } from '../shared/errors.ts';
import { deskControl } from './desk-state.ts';
import { refuseDebuggers } from './debugging.ts';
import { type Desk, startDesk } from './desk.ts';
import { handleIpc } from './ipc.ts';
import { keychainKey } from './keychain.ts';
import { allowLedgersOnly } from './ledger-access.ts';
import { setMenu } from './menu.ts';
import { createPrintedReports } from './printed-reports.ts';
import { createReviewWindows } from './review-windows.ts';
import { notifyOperator } from './notify.ts';
import { registerConsoleScheme, serveConsole } from './protocol.ts';
import { confineWebContents } from './security.ts';
import { openTray } from './tray.ts';
import { chooseWayOut } from './way-out.ts';
import { openWindow, showPage } from './window.ts';

/** The desktop application: an engine on this user's data folder, and a window that shows its console. */

/** The build puts main, preload and renderer into the same folder. */
const built = join(import.meta.dirname, '..');
const consoleFolder = join(built, 'renderer');
const files = { preload: join(built, 'preload', 'index.cjs'), icon: join(consoleFolder, 'icon.png') };

/** Maximum time for quitting, in ms. Decisions are already on disk. */
const STOP_MS = 10_000;

/** A log for errors that occur before or after the engine's own log exists. */
const log = createLog({ level: 'error' });

const reviews = createReviewWindows({ ...files, log, worker: join(import.meta.dirname, 'review-worker.js') });
const reports = createPrintedReports();

let engine: Engine | undefined;
let window: BrowserWindow | undefined;
let stopping: Promise<void> | undefined;

/** Brings the window to the front, or opens it. */
const showWindow = (): BrowserWindow => {
  if (window === undefined) {
    const stateFile = join(app.getPath('userData'), 'window.json');
    window = openWindow({ ...files, stateFile, log });
    window.once('closed', () => (window = undefined));
  }
  if (window.isMinimized()) window.restore();
  window.focus();
  return window;
};

/** The file on the command line that should be reviewed. */
const fileToReview = (): string | undefined => {
  const given = process.argv.slice(app.isPackaged ? 1 : 2).find((argument) => !argument.startsWith('-'));
  return given === undefined ? undefined : resolve(given);
};

/** Files to open once the engine is running; undefined from then on. */
let waiting: string[] | undefined = [];

const openForReview = (file: unknown): void => {
  if (typeof file !== 'string') return;
  if (waiting !== undefined) {
    waiting.push(file);
    return;
  }
  reviews.open(file).catch((error: unknown) => log.error('desktop.review', { err: error }));
};

const go = (path: string): void => showPage(showWindow(), path);

/** Starts the engine. If that fails, the operator chooses what to do; undefined if they quit. */
const startSomehow = async (folder: DataFolder): Promise<Desk | undefined> => {
  const vaultKey = await keychainKey(join(folder.dir, 'vault.key'), systemEntropy);
  let port: number | undefined;
  for (;;) {
    try {
      return await startDesk({ folder, env: process.env, consoleFolder, port, vaultKey });
    } catch (error) {
      const wayOut = await chooseWayOut(error);
      if (wayOut === undefined) throw error;
      if (wayOut === 'quit') return undefined;
      if (wayOut === 'free port') port = 0;
    }
  }
};

const start = async (folder: DataFolder): Promise<void> => {
  await app.whenReady();
  allowLedgersOnly(session.defaultSession, () => window);
  serveConsole(consoleFolder);
  const desk = await startSomehow(folder);
  if (desk === undefined) {
    app.exit(1);
    return;
  }
  engine = desk.engine;
  const { service } = engine;
  const failed = (error: unknown): void => desk.log.error('desktop.error', { err: error });
  handleIpc({
    log: desk.log,
    entropy: systemEntropy,
    serviceOf: (contents) => (contents === window?.webContents ? service : reviews.serviceOf(contents)),
    print: (service, filter) => reports.open(service, filter),
  });
  setMenu({ go, dataFolder: folder.dir, openForReview: () => void reviews.choose().catch(failed) });
  app.on('activate', showWindow);
  showWindow();
  const tasks = waiting ?? [];
  waiting = undefined;
  for (const file of tasks) openForReview(file);
  const closeTray = openTray({
    desk: deskControl(service),
    show: showWindow,
    quit: () => app.quit(),
    clock: systemClock,
    failed,
  });
  app.once('will-quit', closeTray);
  notifyOperator({ service, go, failed });
};

/** Shows the operator why the engine cannot start. Details of an unexpected error go to standard error. */
const fail = (error: unknown): void => {
  if (!(error instanceof EngineError)) log.error('desktop.start', { err: error });
  const reason =
    error instanceof EngineError ? error.message : 'Internal error. Start Gasdesk from a terminal to see the details.';
  dialog.showErrorBox('Gasdesk cannot start', reason);
  app.exit(1);
};

const stop = async (running: Engine): Promise<void> => {
  systemClock.setTimer(STOP_MS, () => app.exit(1));
  // The engine must be stopped properly, even if stopping other parts fails.
  const ends = await Promise.allSettled([running.stop(), reviews.stop(), reports.remove()]);
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  for (const error of errors) log.error('desktop.stop', { err: error });
  app.exit(errors.length === 0 ? 0 : 1);
};

app.on('window-all-closed', () => {
  if (process.platform !== 'darwin') app.quit();
});

// The process ends only when the engine has written everything to its database.
app.on('will-quit', (event) => {
  if (engine === undefined) return;
  event.preventDefault();
  stopping ??= stop(engine);
});

registerConsoleScheme();
confineWebContents();

try {
  // The project's tests use debuggers to control Electron, but never in a packaged application.
  const isTest = !app.isPackaged && process.env['ELECTRON_UNDER_TEST'] !== undefined;
  if (!isTest) refuseDebuggers([...process.execArgv, ...process.argv.slice(1)], inspectorUrl());
  const folder = openDataFolder(defaultDataFolder(process.env));
  // Chromium's files are in the data folder. Chromium locks them, which allows one instance per data folder.
  const profile = join(folder.dir, 'window');
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  app.setPath('userData', profile);
  const file = fileToReview();
  // A second instance passes its file to the first one.
  if (app.requestSingleInstanceLock({ file })) {
    // Registered early, because starting may take a while, and may ask the operator a question.
    app.on('second-instance', (_event, _argv, _folder, given) => {
      if (waiting === undefined) showWindow();
      openForReview((given as { file?: unknown } | null)?.file);
    });
    openForReview(file);
    start(folder).catch(fail);
  } else app.quit();
} catch (error) {
  fail(error);
}
