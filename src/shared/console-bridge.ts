import type { ErrorCode } from './errors.ts';

/** IPC channel through which a window calls procedures: `(name, input) → EngineAnswer`. */
export const ENGINE_CALL = 'engine:call';

/** IPC channel that copies text to the clipboard, for which the page itself has no permission. */
export const SHELL_COPY = 'shell:copy';

/** IPC channel that opens a printable report. Its argument is a filter, as for `decisions.report`. */
export const SHELL_PRINT = 'shell:print';

/**
 * The result of a call. An error is part of the result, because Electron would pass on only the message of a thrown
 * error.
 */
export type EngineAnswer =
  | { readonly ok: true; readonly output: unknown }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message: string;
      readonly data: Readonly<Record<string, unknown>>;
    };

/** What the preload script exposes to the window as `window.gasdesk`. */
export interface ConsoleBridge {
  /** Does not reject if the engine reports an error, because the error is part of the result. */
  call(name: string, input: unknown): Promise<EngineAnswer>;
  copy(text: string): Promise<void>;
  /** Opens the report for a filter in the operator's browser, which can print it or save it as PDF. */
  print(filter: unknown): Promise<void>;
}
