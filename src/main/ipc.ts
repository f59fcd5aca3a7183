import { type IpcMainInvokeEvent, type WebContents, clipboard, ipcMain } from 'electron';
import { calledBy } from '../engine/base/caller.ts';
import { type CallContext, type CalledService, answerCall } from '../engine/http/answer-call.ts';
import { ENGINE_CALL, type EngineAnswer, SHELL_COPY, SHELL_PRINT } from '../shared/console-bridge.ts';
import { EngineError } from '../shared/errors.ts';
import { CONSOLE_ORIGIN } from './console-files.ts';

export interface IpcContext extends Omit<CallContext, 'service'> {
  /**
   * The service that the window with these contents shows: the engine's or a review's; undefined for other contents.
   */
  readonly serviceOf: (contents: WebContents) => CalledService | undefined;
  /** Opens the printable report for a filter, which is untrusted. */
  readonly print: (service: CalledService, filter: unknown) => Promise<void>;
}

/** Maximum length of copied text: enough for an address, a key or an exported decision. */
const LONGEST_COPY = 1_000_000;

/** The service for a call from the console's own page. Other pages are refused. */
const ownService = ({ serviceOf }: IpcContext, { sender, senderFrame }: IpcMainInvokeEvent): CalledService => {
  const service = serviceOf(sender);
  const isOwnPage = senderFrame?.parent === null && senderFrame.origin === CONSOLE_ORIGIN;
  if (service === undefined || !isOwnPage) throw new EngineError('FORBIDDEN_ORIGIN');
  return service;
};

export const handleIpc = (context: IpcContext): void => {
  ipcMain.handle(ENGINE_CALL, (event, name: unknown, input: unknown): Promise<EngineAnswer> =>
    calledBy({ via: 'console', by: 'operator' }, () =>
      answerCall({ ...context, service: () => ownService(context, event) }, () => ({ name, input })),
    ),
  );
  ipcMain.handle(SHELL_COPY, async (event, text: unknown): Promise<void> => {
    ownService(context, event);
    if (typeof text === 'string' && text.length <= LONGEST_COPY) await clipboard.writeText(text);
  });
  ipcMain.handle(SHELL_PRINT, (event, filter: unknown): Promise<void> =>
    context.print(ownService(context, event), filter),
  );
};
