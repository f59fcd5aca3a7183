import v8 from 'node:v8';
import type { IpcMain, IpcMainInvokeEvent } from 'electron';
import { strict } from './strict.ts';

type Handler = (event: IpcMainInvokeEvent, ...args: unknown[]) => unknown;

const handlers = new Map<string, Handler>();

/** The structured clone algorithm copies values between processes, and refuses functions and the like. */
const clone = (value: unknown): unknown => v8.deserialize(v8.serialize(value));

/** https://www.electronjs.org/docs/latest/api/ipc-main */
export const ipcMain = strict<IpcMain>('ipcMain', {
  handle(channel: string, handler: Handler): void {
    if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    handlers.set(channel, handler);
  },
});

/** Runs the handler of the channel as for `ipcRenderer.invoke`. Of an error only its text gets through. */
export const invoke = async (
  channel: string,
  event: IpcMainInvokeEvent,
  args: readonly unknown[],
): Promise<unknown> => {
  try {
    const handler = handlers.get(channel);
    if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
    return clone(await handler(event, ...args.map(clone)));
  } catch (error) {
    throw new Error(`Error invoking remote method '${channel}': ${String(error)}`, { cause: error });
  }
};
