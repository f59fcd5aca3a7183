import { EngineError } from '../../shared/errors.ts';

/** The copy may be this far behind. */
export const LATE_MS = 10_000;

export const secondsText = (ms: number): string => `${Math.round(ms / 1000)} s`;

/** Why a desk does not answer if its answers wait for the copy. @param error null if another desk may lead */
export const notConfirmed = (error: string | null): EngineError =>
  new EngineError(
    'STORE_UNAVAILABLE',
    error === null
      ? 'Another desk may lead, so this one answers nothing'
      : `The continuous backup cannot be written to (${error}), so nothing is answered`,
  );

export const POSTGRES =
  'The data is in PostgreSQL, which Gasdesk does not copy. Use its own tools: streaming replication, or pgBackRest or WAL-G with archived WAL';
