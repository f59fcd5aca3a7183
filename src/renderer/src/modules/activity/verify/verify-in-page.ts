import type { LogReport } from '../../../../../core/log/log-report.ts';
import { EngineError } from '../../../../../shared/errors.ts';
import type { Transport } from '../../../transport/transport.ts';
import type { FromVerifier, ToVerifier } from './verifier-messages.ts';

export interface LogVerification {
  readonly engine: string;
  readonly withSignatures: boolean;
  /** An earlier checkpoint that the log must continue. */
  readonly since: string | undefined;
  readonly signal: AbortSignal;
  /** Called with the number of entries verified so far. */
  readonly progress: (done: number, of: number) => void;
}

/**
 * Verifies the log of the service with the code of this page: every entry, and every verdict.
 *
 * @throws EngineError if the log cannot be read, or the signal's reason
 */
export const verifyInPage = async (transport: Transport, verification: LogVerification): Promise<LogReport> => {
  const { engine, withSignatures, since, signal, progress } = verification;
  const { key } = await transport.call('log.key', {});
  const { note, size } = await transport.call('log.checkpoint', {});
  const worker = new Worker(new URL('verify-worker.ts', import.meta.url), { type: 'module' });
  const ask = (message: ToVerifier): Promise<FromVerifier> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<FromVerifier>) => resolve(data);
      worker.onerror = ({ message: why }) => reject(new EngineError('LOG_INCONSISTENT', why));
      signal.onabort = () => reject(signal.reason as Error);
      worker.postMessage(message);
    });
  try {
    let answer = await ask({ start: { key, engine, withSignatures, since } });
    while ('size' in answer && answer.size < size) {
      const lines = await transport.call('log.page', { from: answer.size, to: size });
      signal.throwIfAborted();
      if (lines.length === 0) break;
      answer = await ask({ lines });
      if ('size' in answer) progress(answer.size, size);
    }
    if ('size' in answer) answer = await ask({ checkpoint: note });
    if ('report' in answer) return answer.report;
    const why = 'failure' in answer ? answer.failure : 'The log ends before its checkpoint';
    throw new EngineError('LOG_INCONSISTENT', why);
  } finally {
    worker.terminate();
  }
};
