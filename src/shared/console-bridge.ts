import type { ErrorCode } from './errors.ts';

/** IPC channel through which a window calls procedures: `(name, input) → EngineAnswer`. */
export const ENGINE_CALL = 'engine:call';

/** IPC channel that copies text to the clipboard: the page itself has no permission to. */
export const SHELL_COPY = 'shell:copy';

/** IPC channel that opens the printable report of a filter, as `decisions.report` takes it. */
export const SHELL_PRINT = 'shell:print';

/** An answer of the engine. A failure is an answer too: of an error, Electron keeps only the message. */
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
  /** Never rejects for an error of the engine: that is an answer. */
  call(name: string, input: unknown): Promise<EngineAnswer>;
  copy(text: string): Promise<void>;
  /** Opens the report of a filter in the operator's browser, which can print it or save it as PDF. */
  print(filter: unknown): Promise<void>;
}
