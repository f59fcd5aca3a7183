import type { ErrorCode } from './errors.ts';

/** IPC channel by which a window calls procedures: `(name, input) → EngineAnswer`. */
export const ENGINE_CALL = 'engine:call';

/** IPC channel that puts text on the clipboard: the page itself has no permission to. */
export const SHELL_COPY = 'shell:copy';

/** IPC channel that opens the report of a filter, as `decisions.report` takes it, where it can be printed. */
export const SHELL_PRINT = 'shell:print';

/** An answer of the engine; a failure is an answer too, since Electron keeps nothing of an error but its message. */
export type EngineAnswer =
  | { readonly ok: true; readonly output: unknown }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message: string;
      readonly data: Readonly<Record<string, unknown>>;
    };

/** What the preload script gives the window, as `window.gasdesk`. */
export interface ConsoleBridge {
  /** Calls a procedure. Never rejects for what the engine says. */
  call(name: string, input: unknown): Promise<EngineAnswer>;
  /** Puts text on the clipboard. */
  copy(text: string): Promise<void>;
  /** Opens the report of a filter in the operator's browser, which prints it or makes a PDF. */
  print(filter: unknown): Promise<void>;
}
