import { EventEmitter } from 'node:events';
import type { App } from 'electron';
import { preventable, strict } from './strict.ts';

/** How to close all windows; the window module says how. */
export const windows = { closeAll: (): Promise<void> => Promise.resolve() };

const paths = new Map<string, string>();
let quitting = false;

const implemented = {
  isPackaged: false,
  whenReady: () => Promise.resolve(),
  /**
   * Always the first instance: a test tells of a second one by emitting `second-instance`, or, of one that comes at once,
   * by the file that this names.
   */
  requestSingleInstanceLock(): boolean {
    const file = process.env['ELECTRON_DOUBLE_SECOND_START'];
    if (file !== undefined) setImmediate(() => emitter.emit('second-instance', preventable({}), [], '', { file }));
    return true;
  },
  getPath(name: Parameters<App['getPath']>[0]): string {
    const path = paths.get(name);
    if (path === undefined) throw new Error(`The electron double knows no path ${name} that was not set`);
    return path;
  },
  setPath: (name: string, path: string) => void paths.set(name, path),
  /** Emits `before-quit`, closes the windows, emits `will-quit`, ends the process; both events can prevent it. */
  quit(): void {
    quitting = true;
    const beforeQuit = preventable({});
    emitter.emit('before-quit', beforeQuit);
    if (beforeQuit.defaultPrevented) return;
    void windows.closeAll().then(() => {
      const willQuit = preventable({});
      emitter.emit('will-quit', willQuit);
      if (!willQuit.defaultPrevented) process.exit(0);
    });
  },
  /** Ends the process without asking anybody; neither `before-quit` nor `will-quit` is emitted. */
  exit: (code = 0) => process.exit(code),
} satisfies Partial<App>;

const emitter = Object.assign(new EventEmitter(), implemented);

/** https://www.electronjs.org/docs/latest/api/app */
export const app = strict<App>('app', emitter);

/** After the last window: the listener decides; without one the application quits. */
export const lastWindowClosed = (): void => {
  if (quitting) return;
  if (!emitter.emit('window-all-closed')) implemented.quit();
};
