import { type BrowserWindow, type IpcMainInvokeEvent, clipboard, ipcMain } from 'electron';
import type { Entropy } from '../engine/clock.ts';
import { publicFault } from '../engine/http/faults.ts';
import type { Log } from '../engine/log.ts';
import type { Service } from '../engine/service/index.ts';
import { ENGINE_CALL, type EngineAnswer, SHELL_COPY } from '../shared/console-bridge.ts';
import { isProcedureName } from '../shared/contract/index.ts';
import { EngineError } from '../shared/errors.ts';
import { CONSOLE_ORIGIN } from './console-files.ts';

/** What answers to calls of the window need. */
export interface IpcContext {
  readonly service: Service;
  readonly log: Log;
  readonly entropy: Entropy;
  /** The window, while there is one. */
  readonly window: () => BrowserWindow | undefined;
}

/** Enough for an address, a key or an export of one decision. */
const LONGEST_COPY = 1_000_000;

const requireOwnPage = ({ window }: IpcContext, { sender, senderFrame }: IpcMainInvokeEvent): void => {
  const isOwnWindow = sender === window()?.webContents;
  if (isOwnWindow && senderFrame?.parent === null && senderFrame.origin === CONSOLE_ORIGIN) return;
  throw new EngineError('FORBIDDEN_ORIGIN');
};

const callProcedure = async (service: Service, name: unknown, input: unknown): Promise<unknown> => {
  if (typeof name !== 'string' || !isProcedureName(name)) {
    const given = typeof name === 'string' ? name.slice(0, 100) : `of type ${typeof name}`;
    throw new EngineError('METHOD_NOT_FOUND', `There is no procedure ${given}`);
  }
  return service.call(name, input);
};

/** Serves the channels of the window's bridge, to the console's own page alone. */
export const handleIpc = (context: IpcContext): void => {
  ipcMain.handle(ENGINE_CALL, async (event, name: unknown, input: unknown): Promise<EngineAnswer> => {
    try {
      requireOwnPage(context, event);
      return { ok: true, output: await callProcedure(context.service, name, input) };
    } catch (error) {
      const { code, message, data } = publicFault(error, context.log, context.entropy);
      return { ok: false, code, message, data };
    }
  });
  ipcMain.handle(SHELL_COPY, (event, text: unknown): void => {
    requireOwnPage(context, event);
    if (typeof text === 'string' && text.length <= LONGEST_COPY) clipboard.writeText(text);
  });
};
