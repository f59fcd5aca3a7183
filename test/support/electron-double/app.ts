import { EventEmitter } from 'node:events';
import type { App } from 'electron';
import { preventable, strict } from './strict.ts';

/** Closes all windows; the window module sets it. */
export const windows = { closeAll: (): Promise<void> => Promise.resolve() };

const paths = new Map<string, string>();
let quitting = false;

const implemented = {
  isPackaged: false,
  whenReady: () => Promise.resolve(),
  /**
   * True unless the test simulates a second instance: by emitting `second-instance`, or, for one at the start, with the
   * file that this names.
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
  /**
   * Emits `before-quit`, closes the windows, emits `will-quit`, ends the process; listeners of both events can prevent
   * it.
   */
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
  /** Ends the process without `before-quit` or `will-quit`. */
  exit: (code = 0) => process.exit(code),
} satisfies Partial<App>;

const emitter = Object.assign(new EventEmitter(), implemented);

/** https://www.electronjs.org/docs/latest/api/app */
export const app = strict<App>('app', emitter);

/** After the last window a listener decides; without one the application quits. */
export const lastWindowClosed = (): void => {
  if (quitting) return;
  if (!emitter.emit('window-all-closed')) implemented.quit();
};
