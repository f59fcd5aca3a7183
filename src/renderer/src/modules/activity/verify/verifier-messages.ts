import type { LogReport } from '../../../../../core/log/log-report.ts';

/** What the page sends to the worker that verifies a log, in this order. */
export type ToVerifier =
  | {
      readonly start: {
        /** The key of the log, as a vkey. */
        readonly key: string;
        readonly engine: string;
        readonly withSignatures: boolean;
        /** An earlier checkpoint that the log must continue. */
        readonly since: string | undefined;
      };
    }
  | { readonly lines: readonly { readonly text: string; readonly hash: string }[] }
  | { readonly checkpoint: string };

/** What the worker answers: the number of entries so far, or the result. */
export type FromVerifier = { readonly size: number } | { readonly report: LogReport } | { readonly failure: string };
