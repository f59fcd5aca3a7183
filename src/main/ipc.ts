import { type BrowserWindow, type IpcMainInvokeEvent, clipboard, ipcMain } from 'electron';
import { type CallContext, answerCall } from '../engine/http/answer-call.ts';
import { ENGINE_CALL, type EngineAnswer, SHELL_COPY } from '../shared/console-bridge.ts';
import { EngineError } from '../shared/errors.ts';
import { CONSOLE_ORIGIN } from './console-files.ts';

/** What answers to calls of the window need. */
export interface IpcContext extends CallContext {
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

/** Serves the channels of the window's bridge, to the console's own page alone. */
export const handleIpc = (context: IpcContext): void => {
  ipcMain.handle(ENGINE_CALL, (event, name: unknown, input: unknown): Promise<EngineAnswer> =>
    answerCall(context, () => {
      requireOwnPage(context, event);
      return { name, input };
    }),
  );
  ipcMain.handle(SHELL_COPY, async (event, text: unknown): Promise<void> => {
    requireOwnPage(context, event);
    if (typeof text === 'string' && text.length <= LONGEST_COPY) await clipboard.writeText(text);
  });
};
